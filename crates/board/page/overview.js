// The overview: a row for each job.

import { button, element, jobLink, placeholder, replace, setText, visible } from "./dom.js";
import { badges, outcome, STATES, statesOf, store, strip, zoneAfter } from "./jobs.js";
import { Rows } from "./rows.js";
import { duration, moment, relative, zoneOf } from "./times.js";

const took = run => run?.started != null && run.ended != null ? run.ended - run.started : null;

// What jobs are sorted by. Jobs without a value come last.
const ORDERS = {
  name: ["Job", null],
  next: ["Next run", job => job.state === "waiting" ? job.next : null],
  last: ["Last run", job => job.last ? -(job.last.started ?? job.last.scheduled) : null],
  duration: ["Took", job => took(job.last) === null ? null : -took(job.last)],
  failures: ["Last 30 runs", job => -job.outcomes.filter(it => it === "failed").length],
};

const names = new Intl.Collator("en", { numeric: true });

const sorted = (jobs, key, isReversed) => {
  const value = ORDERS[key][1] ?? (() => 0);
  const rows = jobs.map(job => ({ job, value: value(job) }));
  const sign = isReversed ? -1 : 1;
  rows.sort((one, other) => {
    if (one.value === null || other.value === null) {
      if (one.value !== other.value) return one.value === null ? 1 : -1;
    } else if (one.value !== other.value) return sign * (one.value - other.value);
    return (key === "name" ? sign : 1) * names.compare(one.job.name, other.job.name);
  });
  return rows.map(({ job }) => job.name);
};

const scheduleCell = job => element("td", { role: "cell", "data-label": "Schedule", className: "schedule" },
  job.description ? element("span", {}, visible(job.description)) : null,
  element("span", { className: "faint" },
    job.schedule ? element("code", {}, visible(job.schedule)) : "No schedule",
    job.schedule ? zoneAfter(job) : ""));

const nextCell = job => {
  const cell = element("td", { role: "cell", "data-label": "Next run" });
  if (job.state === "paused") cell.append(element("span", { className: "faint" }, "Paused"));
  else if (job.next === null) cell.append(element("span", { className: "faint" }, job.state === "ended" ? "No further runs" : "–"));
  else cell.append(moment(job.next, zoneOf(job)), element("span", { className: "faint" }, relative("until", job.next)));
  return cell;
};

const lastCell = job => {
  const cell = element("td", { role: "cell", "data-label": "Last run" });
  if (!job.last) cell.append(element("span", { className: "faint" }, "Never"));
  else cell.append(outcome(job.last.state), element("span", { className: "faint" }, relative("ago", job.last.started ?? job.last.scheduled)));
  return cell;
};

const tookCell = job => {
  const isRunning = job.last?.started != null && job.last.ended === null;
  const millis = took(job.last);
  return element("td", { role: "cell", "data-label": "Took" },
    isRunning ? relative("since", job.last.started) : millis === null ? "" : element("span", { className: "nowrap" }, duration(millis)));
};

const cells = name => {
  const job = store.jobs.get(name);
  return [
    element("th", { role: "rowheader", scope: "row" }, jobLink(name, { className: "name" }), badges(job),
      job.tags.length ? element("span", { className: "tags faint" }, job.tags.map(visible).join(", ")) : null),
    scheduleCell(job), nextCell(job), lastCell(job), tookCell(job),
    element("td", { role: "cell", "data-label": "Last 30 runs" }, strip(job.outcomes)),
  ];
};

const ids = { search: "search", tag: "tag", sort: "sort" };

const field = (id, name, control, className = "") =>
  element("div", { className }, element("label", { htmlFor: id, className: "hidden" }, name), control);

// Returns a key of a table, if it is one: anything may stand in an address.
const keyOf = (table, key) => Object.hasOwn(table, key) ? key : null;

/** Opens the overview. Filters are read from the address, and written to it by `navigate`. */
export const openOverview = (main, parameters, navigate) => {
  const filter = {
    search: parameters.get("search") ?? "", tag: parameters.get("tag") ?? "", state: keyOf(STATES, parameters.get("state")) ?? "",
    sort: keyOf(ORDERS, parameters.get("sort")) ?? "name", isReversed: parameters.has("reversed"),
  };
  const search = element("input", { id: ids.search, type: "search", value: filter.search, placeholder: "Search", autocomplete: "off", spellcheck: false });
  const tag = element("select", { id: ids.tag });
  const sort = element("select", { id: ids.sort },
    Object.entries(ORDERS).map(([value, [text]]) => element("option", { value }, `Sort by ${text.toLowerCase()}`)));
  const states = element("div", { className: "states", role: "group", "aria-label": "State" });
  const count = element("p", { className: "faint count", role: "status" });
  const table = element("table", { className: "jobs", role: "table", "aria-label": "Jobs" });
  const headers = Object.fromEntries(Object.entries(ORDERS).map(([key, [text]]) =>
    [key, element("th", { role: "columnheader", scope: "col" }, button(text, () => order(key)))]));
  const head = element("tr", { role: "row", "aria-rowindex": 1 }, headers.name, element("th", { role: "columnheader", scope: "col" }, "Schedule"),
    headers.next, headers.last, headers.duration, headers.failures);
  table.append(element("thead", { role: "rowgroup" }, head));
  const create = element("a", { href: "#/new", className: "button", hidden: true }, "New schedule");
  main.replaceChildren(
    element("h2", { className: "hidden", tabIndex: -1 }, "Jobs"),
    element("div", { className: "filters" }, field(ids.search, "Search jobs", search, "search"), field(ids.tag, "Tag", tag),
      field(ids.sort, "Sort", sort, "phone"), create),
    states, count, table);
  const rows = new Rows(table, cells);

  // Jobs become overdue as time passes.
  const overdue = () => [...store.jobs.values()].filter(STATES.overdue.is).map(job => job.name).join("\n");
  let known = "";

  const save = () => {
    const values = new URLSearchParams();
    for (const key of ["search", "tag", "state"]) if (filter[key]) values.set(key, filter[key]);
    if (filter.sort !== "name") values.set("sort", filter.sort);
    if (filter.isReversed) values.set("reversed", "");
    navigate(`#/${values.size ? `?${values}` : ""}`);
  };
  const change = changes => {
    Object.assign(filter, changes);
    save();
    show(new Set());
  };
  const order = key => change({ sort: key, isReversed: filter.sort === key && !filter.isReversed });

  const showTags = () => {
    const tags = [...new Set([...store.jobs.values()].flatMap(job => job.tags))].sort(names.compare);
    if (filter.tag && !tags.includes(filter.tag)) tags.push(filter.tag);
    const options = [element("option", { value: "" }, "All tags"), ...tags.map(it => element("option", { value: it }, visible(it)))];
    if (options.length !== tag.options.length || options.some((it, index) => it.value !== tag.options[index].value)) {
      tag.replaceChildren(...options);
    }
    tag.value = filter.tag;
    tag.parentElement.hidden = !tags.length;
  };

  const showStates = counts => {
    const all = [["", "All", store.jobs.size], ...Object.entries(STATES).map(([state, { name }]) => [state, name, counts[state] ?? 0])];
    replace(states, all.map(([state, name, jobs]) => state === "" || state === filter.state || jobs
      ? element("button", { type: "button", className: `state ${state}`, value: state, "aria-pressed": String(filter.state === state) },
        `${name} `, element("span", { className: "number" }, jobs.toLocaleString("en")))
      : placeholder()));
  };

  const countStates = () => {
    const counts = {};
    for (const job of store.jobs.values()) for (const state of statesOf(job)) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  };

  const show = changed => {
    const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = [...store.jobs.values()].filter(job =>
      words.every(word => job.found.includes(word)) && (!filter.tag || job.tags.includes(filter.tag)) &&
      (!filter.state || STATES[filter.state].is(job)));
    const counts = countStates();
    known = overdue();
    showTags();
    showStates(counts);
    sort.value = filter.sort;
    for (const [key, header] of Object.entries(headers)) {
      if (key === filter.sort) header.setAttribute("aria-sort", filter.isReversed ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    }
    table.hidden = !matching.length;
    rows.show(sorted(matching, filter.sort, filter.isReversed), changed);
    const isFiltered = words.length || filter.tag || filter.state;
    const unlisted = store.unlisted ? `${store.unlisted.toLocaleString("en")} more are too many to be listed.` : "";
    setText(count, !store.jobs.size ? "There are no jobs yet." : !matching.length ? "No job matches." :
      isFiltered ? `${matching.length.toLocaleString("en")} of ${store.jobs.size.toLocaleString("en")} jobs. ${unlisted}` : unlisted);
    create.hidden = !store.board.canEdit;
  };

  search.addEventListener("input", () => change({ search: search.value.trim() }));
  tag.addEventListener("change", () => change({ tag: tag.value }));
  sort.addEventListener("change", () => change({ sort: sort.value, isReversed: false }));
  states.addEventListener("click", event => {
    const pressed = event.target.closest("button");
    if (pressed) change({ state: pressed.value });
  });
  show(null);
  return {
    title: "",
    update: show,
    tick: () => { if (overdue() !== known) show(null); },
    close: () => rows.close(),
  };
};
