// What is known of the jobs, and how it is said.

import { element, shape, visible } from "./dom.js";
import { serverTime } from "./times.js";

/** What the server has said. */
export const store = { board: null, jobs: new Map(), unlisted: 0, epoch: null, version: 0 };

// How outcomes are sent, to be short.
const LETTERS = { r: "running", t: "retrying", s: "succeeded", f: "failed", k: "skipped", q: "queued" };

/** Prepares a job as it was sent: what is searched for, and its outcomes. */
export const prepare = job => {
  job.outcomes = [...job.outcomes].map(letter => LETTERS[letter] ?? letter);
  job.found = [job.name, job.schedule, job.description, job.zone ?? "UTC", ...job.tags].join("\n").toLowerCase();
  return job;
};

/** Returns the time zone of a job's schedule, unless its text ends with it. */
export const zoneAfter = job => job.zone && job.schedule.endsWith(job.zone) ? "" : ` ${visible(job.zone ?? "UTC")}`;

/** Replaces all jobs. */
export const setJobs = jobs => {
  store.jobs = new Map(jobs.map(job => [job.name, prepare(job)]));
};

/** Applies changes to the jobs. Returns the names of those that have changed, or `null` if it may be all. */
export const applyChanges = changes => {
  store.version = changes.version;
  if (changes.unlisted !== undefined) store.unlisted = changes.unlisted;
  if (changes.isComplete) {
    setJobs(changes.jobs);
    return null;
  }
  for (const job of changes.jobs) store.jobs.set(job.name, prepare(job));
  for (const name of changes.removed) store.jobs.delete(name);
  return new Set([...changes.jobs.map(job => job.name), ...changes.removed]);
};

/** The states that are pointed out, the most urgent first. */
export const STATES = {
  overdue: { name: "Overdue", is: job => job.state === "waiting" && !job.running && job.overdueAt !== null && job.overdueAt < serverTime() },
  failed: { name: "Failed", is: job => job.last?.state === "failed" },
  running: { name: "Running", is: job => job.running > 0 },
  paused: { name: "Paused", is: job => job.state === "paused" },
  ended: { name: "Ended", is: job => job.state === "ended" },
};

export const statesOf = job => Object.keys(STATES).filter(state => STATES[state].is(job));

/** Makes the badges of a job. */
export const badges = job => {
  const made = statesOf(job).map(state => {
    const count = state === "running" && job.running > 1 ? ` ×${job.running}` : "";
    return element("span", { className: `badge ${state}` }, STATES[state].name + count);
  });
  return made.length ? element("span", { className: "badges" }, made) : null;
};

const OUTCOMES = {
  running: ["▶", "Running"], retrying: ["↻", "Retrying"], succeeded: ["✓", "Succeeded"], failed: ["✕", "Failed"],
  skipped: ["–", "Skipped"], queued: ["→", "Queued"],
};

/** Makes the outcome of a run: a sign and a word. */
export const outcome = state => {
  const [sign, word] = OUTCOMES[state] ?? ["?", state];
  return element("span", { className: `outcome ${state in OUTCOMES ? state : ""}` }, element("span", { "aria-hidden": "true" }, sign), ` ${word}`);
};

const STRIP = 30;
// Where a bar begins and ends, so that states can be told apart without colors.
const BARS = { succeeded: [5, 18], failed: [0, 18], skipped: [13, 18], running: [8, 18], retrying: [8, 18], queued: [13, 18] };

/** Says how the last runs ended. */
export const outcomesInWords = outcomes => {
  if (!outcomes.length) return "No runs yet";
  const shown = outcomes.slice(-STRIP);
  const succeeded = shown.filter(it => it === "succeeded").length;
  const [, last] = OUTCOMES[shown.at(-1)] ?? ["", shown.at(-1)];
  const verb = { running: "is running", retrying: "is being retried", skipped: "was skipped", queued: "was queued" }[shown.at(-1)] ?? last.toLowerCase();
  return `${succeeded} of ${shown.length} succeeded, the last ${verb}`;
};

/** Draws how the last runs ended, the oldest first. */
export const strip = outcomes => {
  const words = outcomesInWords(outcomes);
  if (!outcomes.length) return element("span", { className: "faint" }, words);
  const shown = outcomes.slice(-STRIP);
  const paths = group(shown);
  const made = [...paths].filter(([state]) => state in BARS).map(([state, places]) => {
    const [top, bottom] = BARS[state];
    const bars = [...places].map(place => `M${place * 4} ${top}h3v${bottom - top}h-3z`);
    return shape("path", { class: state, d: bars.join("") });
  });
  return shape("svg", { class: "strip", viewBox: `0 0 ${STRIP * 4} 18`, role: "img", "aria-label": words },
    shape("title", {}, words), ...made);
};

const group = shown => {
  const places = new Map();
  shown.forEach((state, place) => places.set(state, [...places.get(state) ?? [], place]));
  return places;
};
