// What a job is: the facts about it, and what it and other jobs need of each other.

import { element, jobLink, visible } from "./dom.js";
import { outcome, strip, zoneAfter } from "./jobs.js";
import { pictureFrame, showPicture } from "./picture.js";
import { duration, moment, relative, zoneOf } from "./times.js";

export const faint = (...children) => element("span", { className: "faint" }, ...children);

const fact = (name, ...values) => element("div", {}, element("dt", {}, name), element("dd", {}, ...values));

const tagLinks = job => job.tags.flatMap((tag, index) => [
  index ? ", " : null, element("a", { href: `#/?${new URLSearchParams({ tag })}` }, visible(tag))]);

const nextRun = job => {
  if (job.state === "paused") return ["None while it is paused"];
  if (job.next === null) return [job.state === "ended" ? "No further runs" : "Not known"];
  return [moment(job.next, zoneOf(job)), " ", faint(relative("until", job.next))];
};

const lastRun = job => {
  const { last } = job;
  if (!last) return ["None yet"];
  const took = last.started !== null && last.ended !== null ? ` took ${duration(last.ended - last.started)}` : "";
  return [outcome(last.state), " ", moment(last.started ?? last.scheduled, zoneOf(job), true), faint(took)];
};

const schedule = job => job.schedule ? [
  element("span", {}, visible(job.description)), " ",
  faint(element("code", {}, visible(job.schedule)), zoneAfter(job)),
] : ["None"];

/** Makes the list of facts about a job. */
export const facts = job => [
  fact("Schedule", ...schedule(job)),
  fact("Next run", ...nextRun(job)),
  fact("Last run", ...lastRun(job)),
  fact("Last 30 runs", strip(job.outcomes)),
  job.tags.length ? fact("Tags", ...tagLinks(job)) : null,
];

/** Makes a section with a heading. */
export const section = (id, title, ...children) =>
  element("section", { "aria-labelledby": id }, element("h3", { id }, title), ...children);

const which = need => [need.label, need.isAlternative ? "or another need" : ""].filter(Boolean).map(visible).join(", ");

const list = (title, needs, end) => needs.length ? [
  element("h4", {}, title),
  element("ul", {}, needs.map(need => element("li", {}, jobLink(need[end]), which(need) ? faint(` ${which(need)}`) : null))),
] : [];

/** Makes the section of the jobs before and after a job; `null` if there are none. */
export const needsSection = ({ upstream, downstream }, signal) => {
  if (!upstream.length && !downstream.length) return null;
  const graph = pictureFrame("Graph of all jobs that depend on each other");
  const details = element("details", {}, element("summary", {}, "Show all as a graph"), graph);
  details.addEventListener("toggle", () => { if (details.open) showPicture(graph, "api/graph.svg", {}, signal); });
  return section("needs-title", "Other jobs",
    ...list("Runs after these", upstream, "upstream"), ...list("These run after it", downstream, "downstream"), details);
};
