// A day of all jobs as a timeline.

import { button, element, jobLink, setText } from "./dom.js";
import { get } from "./api.js";
import { pictureFrame, showPicture } from "./picture.js";
import { nextDate, ownZone, today } from "./times.js";

const isDate = text => /^2\d{3}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(text));

const WORDS = { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };

/** Opens a day. The date and the search are read from the address, and written to it by `navigate`. */
export const openDay = (main, parameters, navigate) => {
  let date = isDate(parameters.get("date")) ? parameters.get("date") : today(ownZone);
  let isToday = false;
  let search = parameters.get("search") ?? "";
  let drawing = new AbortController();

  // The picture has the date as its title.
  const heading = element("h2", { tabIndex: -1, className: "hidden" });
  const field = element("input", { id: "date", type: "date", min: "2000-01-01", max: "2100-12-31", required: true });
  const searching = element("input", { id: "day-search", type: "search", value: search, placeholder: "Search", autocomplete: "off", spellcheck: false });
  const description = element("p", { role: "status", className: "hidden" });
  const rest = element("p", { className: "faint" });
  const frame = pictureFrame("Timeline of the day");
  const jobs = element("ul", { className: "day-jobs" });
  const list = element("details", {}, element("summary", {}, "Jobs of this day"), jobs);
  main.replaceChildren(heading,
    element("div", { className: "filters" },
      element("div", { className: "turn" }, button("←", () => go(nextDate(date, -1)), { "aria-label": "Day before" }),
        element("label", { htmlFor: "date", className: "hidden" }, "Date"), field,
        button("→", () => go(nextDate(date, 1)), { "aria-label": "Day after" }),
        button("Today", () => go(today(ownZone)))),
      element("div", { className: "search" }, element("label", { htmlFor: "day-search", className: "hidden" }, "Search jobs"), searching)),
    description, rest, frame, list);

  const show = async () => {
    drawing.abort();
    drawing = new AbortController();
    const { signal } = drawing;
    heading.textContent = new Intl.DateTimeFormat("en-GB", WORDS).format(new Date(`${date}T00:00:00Z`));
    field.value = date;
    isToday = date === today(ownZone);
    const query = { date, zone: ownZone, search };
    const picture = showPicture(frame, "api/day.svg", query, signal);
    try {
      const answer = await get(`api/day?${new URLSearchParams(query)}`, signal);
      // The picture shows it, too.
      setText(description, `${answer.description} Times in ${ownZone}.`);
      setText(rest, answer.shown < answer.matching
        ? `The first ${answer.shown} of ${answer.matching.toLocaleString("en")} jobs are shown. Search to see others.` : "");
      list.hidden = !answer.jobs?.length;
      jobs.replaceChildren(...(answer.jobs ?? []).map(name => element("li", {}, jobLink(name))));
    } catch (error) {
      if (!signal.aborted) setText(rest, error.message);
    }
    await picture;
  };

  const save = () => {
    const values = new URLSearchParams({ date });
    if (search) values.set("search", search);
    navigate(`#/day?${values}`);
  };
  const go = to => {
    if (!isDate(to)) return;
    date = to;
    save();
    show();
  };
  field.addEventListener("change", () => go(field.value));
  let waiting = 0;
  searching.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      search = searching.value.trim();
      save();
      show();
    }, 250);
  });

  show();
  // Continues with the new day if the day that is shown was today.
  const update = () => {
    if (isToday && date !== today(ownZone)) go(today(ownZone));
    else show();
  };
  // The runs of a day change all the time; the picture follows once a minute.
  const follow = setInterval(() => { if (!document.hidden && (isToday || date === today(ownZone))) update(); }, 60_000);
  return {
    title: "Day",
    update: changed => { if (!changed) update(); },
    tick: () => {},
    close: () => {
      clearInterval(follow);
      clearTimeout(waiting);
      drawing.abort();
    },
  };
};
