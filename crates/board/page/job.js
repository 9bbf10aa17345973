// A job: what it does, when, and its runs.

import { button, element, placeholder, replace, setText, visible } from "./dom.js";
import { facts, faint, needsSection, section } from "./about.js";
import { jobButtons } from "./actions.js";
import { get, jobPath } from "./api.js";
import { badges, prepare, store } from "./jobs.js";
import { pictureFrame, showPicture } from "./picture.js";
import { RunsTable } from "./runs.js";
import { contextOf, moment, relative, today, zoneOf } from "./times.js";

/** Makes the calendar of a year, and the buttons that turn to other years. */
const yearSection = (job, signal) => {
  const shown = element("span", { role: "status", className: "turned" });
  const frame = pictureFrame("Calendar of the year");
  let year = Number(today(zoneOf(job)).slice(0, 4));
  let drawing = new AbortController();
  const draw = () => {
    shown.textContent = String(year);
    // The picture of another year may arrive later than this one.
    drawing.abort();
    drawing = new AbortController();
    return showPicture(frame, `${jobPath(job.name)}/year.svg`, { year, zone: zoneOf(job) }, AbortSignal.any([signal, drawing.signal]));
  };
  const turn = years => {
    year = Math.min(2100, Math.max(2000, year + years));
    draw();
  };
  const part = section("year-title", "The year",
    element("div", { className: "turn" }, button("←", () => turn(-1), { "aria-label": "Year before" }), shown,
      button("→", () => turn(1), { "aria-label": "Year after" })), frame);
  return { part, draw };
};

const clockChanges = (sentences, job, signal) => {
  const frame = pictureFrame("Picture of the clock changes");
  const details = element("details", {}, element("summary", {}, "Show as a picture"), frame);
  details.addEventListener("toggle", () => {
    if (details.open) showPicture(frame, `${jobPath(job.name)}/clock-changes.svg`, {}, signal);
  });
  return section("changes-title", "Clock changes", element("ul", {}, sentences.map(it => element("li", {}, visible(it)))), details);
};

const upcoming = (events, job) => section("upcoming-title", "Upcoming",
  element("ol", { className: "upcoming" }, events.map(event => element("li", {}, moment(event, zoneOf(job)), " ", faint(relative("until", event))))));

const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:\d\d/g;

// Names of jobs are between backticks.
const words = text => visible(text).split("`").map((part, place) => place % 2 ? element("b", {}, part) : part);

// Shows the instants in a sentence in a time zone.
const sentence = (text, zone) => {
  const parts = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(INSTANT)) {
    const instant = Date.parse(found.replace(" ", "T"));
    // It may be part of a name.
    if (Number.isNaN(instant)) continue;
    parts.push(...words(text.slice(end, index)), moment(instant, zone));
    end = index + found.length;
  }
  return [...parts, ...words(text.slice(end))];
};

const waiting = (reasons, zone) => element("div", { className: "notice waits" }, element("h3", {}, "Why it waits"),
  element("ul", {}, reasons.map(reason => element("li", {}, sentence(reason, zone)))));

/** Opens a job. */
export const openJob = (main, name) => {
  const closing = new AbortController();
  const { signal } = closing;
  const head = element("div", { className: "job-head" });
  const note = element("p", { className: "faint", role: "status" });
  const waits = element("div", { "aria-live": "polite" });
  const about = section("about-title", "About this job", element("dl", { className: "facts" }));
  about.firstElementChild.className = "hidden";
  const past = element("div");
  const columns = element("div", { className: "columns" });
  const end = element("div");
  const heading = element("h2", { tabIndex: -1 }, element("bdi", {}, visible(name)));
  main.replaceChildren(element("div", { className: "title" }, heading, head), note, waits, about, past, columns, end);

  let job = store.jobs.get(name) ?? null;
  let runs = null;
  // What the parts were made of, so that they are made again only if it has changed.
  const made = new Map();
  const isNew = (part, ...data) => {
    const text = JSON.stringify(data);
    const differs = made.get(part) !== text;
    made.set(part, text);
    return differs;
  };
  const put = (parent, part, id) => {
    const shown = parent.querySelector(`[aria-labelledby=${id}]`);
    if (shown) shown.replaceWith(part ?? "");
    else if (part) parent.append(part);
  };

  const showJob = () => {
    const edit = store.board.canEdit ? element("a", { className: "button", href: `#/edit/${encodeURIComponent(name)}` }, "Change") : null;
    replace(head, [badges(job), ...jobButtons(job), edit].map(it => it ?? placeholder()));
    replace(about.lastElementChild, facts(job));
    if (!runs) {
      runs = new RunsTable(job, signal);
      past.append(section("runs-title", "Runs", ...runs.parts));
    }
    runs.load(job);
  };

  const showDetails = details => {
    const { upcoming: events, waitsFor } = details;
    if (isNew("waits", waitsFor, contextOf(job))) waits.replaceChildren(...waitsFor.length ? [waiting(waitsFor, zoneOf(job))] : []);
    const willRun = events.length > 0 && job.state === "waiting";
    if (isNew("upcoming", events, contextOf(job), willRun)) put(columns, willRun ? upcoming(events, job) : null, "upcoming-title");
    if (isNew("changes", details.clockChanges)) {
      put(columns, details.clockChanges.length ? clockChanges(details.clockChanges, job, signal) : null, "changes-title");
    }
    if (isNew("needs", details.upstream, details.downstream)) put(columns, needsSection(details, signal), "needs-title");
    if (isNew("year", job.schedule, zoneOf(job), events.length > 0)) {
      const year = events.length ? yearSection(job, signal) : null;
      put(end, year?.part, "year-title");
      year?.draw();
    }
  };

  let isLoading = false;
  let isStale = false;
  // A call while it is loading leads to one more.
  const load = async () => {
    isStale = true;
    if (isLoading) return;
    isLoading = true;
    try {
      while (isStale) {
        isStale = false;
        const details = await get(`${jobPath(name)}?${new URLSearchParams({ zone: zoneOf(job ?? {}) })}`, signal);
        job = store.jobs.get(name) ?? prepare(details.job);
        showJob();
        showDetails(details);
        setText(note, "");
      }
    } catch (error) {
      if (!signal.aborted) setText(note, error.status === 404 ? "There is no job of this name." : error.message);
    }
    isLoading = false;
  };

  if (job) showJob();
  load();
  return {
    title: visible(name),
    update: changed => { if (!changed || changed.has(name)) load(); },
    tick: () => {},
    close: () => closing.abort(),
  };
};
