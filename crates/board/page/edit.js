// Creates and changes schedules.

import { button, element, jobHash, setText, visible } from "./dom.js";
import { faint, section } from "./about.js";
import { act, confirm } from "./actions.js";
import { get, jobPath, send } from "./api.js";
import { say } from "./notices.js";
import { moment, ownZone, relative, zoneOf } from "./times.js";

const field = (id, name, hint, control) => {
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return element("div", { className: "field" }, element("label", { htmlFor: id }, name), control,
    hint ? element("p", { id: `${id}-hint`, className: "faint" }, hint) : null);
};

const plain = { type: "text", autocomplete: "off", spellcheck: false, autocapitalize: "off" };

const makeFields = isNew => {
  const zones = element("datalist", { id: "zones" }, ["UTC", ...Intl.supportedValuesOf("timeZone")].map(value => element("option", { value })));
  const fields = {
    name: element("input", { ...plain, required: true, readOnly: !isNew }),
    schedule: element("input", { ...plain, required: true, className: "code" }),
    zone: element("input", { ...plain, placeholder: "UTC" }),
    tags: element("input", plain),
    payload: element("textarea", { rows: 4, spellcheck: false, className: "code" }),
  };
  fields.zone.setAttribute("list", "zones");
  const parts = [
    field("name", "Name", isNew ? "" : "The name cannot be changed.", fields.name),
    field("schedule", "Schedule", "For example 0 9 * * MON-FRI for weekdays at nine.", fields.schedule),
    field("zone", "Time zone", "Such as Europe/Berlin. Empty means UTC.", fields.zone),
    field("tags", "Tags", "Separated by commas.", fields.tags),
    field("payload", "Payload", isNew ? "What each run receives, as JSON." : "What each run receives, as JSON. Leave it empty to keep what is stored.", fields.payload),
    zones,
  ];
  return { fields, parts };
};

// The name of a stored job is kept as it is, white space included.
const read = (fields, name, version) => ({
  name: name ?? fields.name.value.trim(), schedule: fields.schedule.value.trim(), zone: fields.zone.value.trim(),
  tags: fields.tags.value.split(",").map(tag => tag.trim()).filter(Boolean),
  payload: fields.payload.value.trim() || null, version,
});

const write = (fields, draft) => {
  for (const key of ["name", "schedule", "zone"]) fields[key].value = draft[key] ?? "";
  fields.tags.value = draft.tags.join(", ");
  fields.payload.value = draft.payload ?? "";
};

const meaning = ({ description, upcoming, clockChanges }, zone) => [
  element("p", { className: "description" }, visible(description)),
  element("h4", {}, "Next runs"),
  upcoming.length ? element("ol", { className: "upcoming" }, upcoming.map(event => element("li", {}, moment(event, zone), " ", faint(relative("until", event)))))
    : element("p", {}, "It never runs."),
  ...clockChanges.length ? [element("h4", {}, "Clock changes"), element("ul", {}, clockChanges.map(it => element("li", {}, visible(it))))] : [],
];

/** Opens the form for a new schedule, or for that of a job. `go` opens another view. */
export const openEdit = (main, name, go) => {
  const isNew = name === null;
  const closing = new AbortController();
  const { fields, parts } = makeFields(isNew);
  const said = element("div", { role: "status" });
  const problem = element("div", { className: "problem", role: "alert" });
  const form = element("form", { noValidate: false }, parts, problem,
    element("div", { className: "buttons" },
      element("button", { type: "submit", className: "main" }, isNew ? "Create" : "Save"),
      element("a", { className: "button", href: isNew ? "#/" : jobHash(name) }, "Do not save"),
      isNew ? null : button("Remove this job", () => remove(), { className: "danger apart" })));
  const title = isNew ? "New schedule" : `Change ${visible(name)}`;
  main.replaceChildren(element("h2", { tabIndex: -1 }, title),
    element("div", { className: "columns edit" }, form, section("meaning-title", "What this means", said)));

  let version = null;
  let number = 0;
  let waiting = 0;
  const preview = async () => {
    const own = number += 1;
    const draft = read(fields, name, version);
    if (!draft.schedule) return said.replaceChildren(element("p", { className: "faint" }, "Type a schedule to see when it runs."));
    let shown;
    try {
      const answer = await (await send("POST", "api/preview", draft, closing.signal)).json();
      shown = meaning(answer, zoneOf({ zone: draft.zone || null }));
      fields.schedule.removeAttribute("aria-invalid");
    } catch (error) {
      if (closing.signal.aborted || own !== number) return;
      if (error.status === 422) fields.schedule.setAttribute("aria-invalid", "true");
      shown = [element("p", { className: "problem" }, error.message)];
    }
    // The last answer wins, in whichever order they arrive.
    if (own === number) said.replaceChildren(...shown);
  };
  const load = async () => {
    try {
      const draft = await get(`${jobPath(name)}/draft`, closing.signal);
      version = draft.version;
      write(fields, draft);
      problem.replaceChildren();
      preview();
    } catch (error) {
      if (error.status === 401) throw error;
      if (!closing.signal.aborted) problem.replaceChildren(error.message);
    }
  };
  const open = async () => {
    problem.replaceChildren();
    if (await act(isNew ? preview : load)) return;
    problem.replaceChildren("Schedules can be changed by those who have signed in. ", button("Sign in", open));
  };
  const showConflict = () => problem.replaceChildren("Somebody else has changed this job in the meantime. Nothing was saved. ",
    button("Show their version", load));

  const store = async () => {
    const draft = read(fields, name, version);
    try {
      await send("PUT", jobPath(draft.name), draft, closing.signal);
    } catch (error) {
      if (error.status === 401) throw error;
      if (error.status === 409 && !isNew) showConflict();
      else if (error.status === 409) problem.replaceChildren("There is a job of this name already.");
      else problem.replaceChildren(error.message);
      return;
    }
    say(`${visible(draft.name)} is saved.`);
    go(jobHash(draft.name));
  };
  form.addEventListener("submit", event => {
    event.preventDefault();
    problem.replaceChildren();
    act(store);
  });
  form.addEventListener("input", () => {
    number += 1;
    clearTimeout(waiting);
    waiting = setTimeout(preview, 200);
  });
  const remove = async () => {
    if (!await confirm("Remove this job?", `${visible(name)} and its schedule are removed. This cannot be undone.`, "Remove it", "Keep it")) return;
    if (!await act(() => send("DELETE", jobPath(name)))) return;
    say(`${visible(name)} is removed.`);
    go("#/");
  };

  if (isNew) {
    fields.zone.value = ownZone === "UTC" ? "" : ownZone;
  }
  open();
  return {
    title,
    update: () => {},
    tick: () => {},
    close: () => {
      clearTimeout(waiting);
      closing.abort();
    },
  };
};
