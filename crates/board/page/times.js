// Instants and durations as text.

import { element } from "./dom.js";

// The page is in English; the order of dates is the visitor's, if they read English. Hours are those of schedules, 0 to 23.
const locale = navigator.languages.find(it => it.startsWith("en")) ?? "en-GB";
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const KEY = "millicron-board-times";
const QUARTER = 15 * 60_000;
const DAY = 86_400_000;

let usesJobZone = false;
try {
  usesJobZone = localStorage.getItem(KEY) === "job";
} catch {
  // Storage may be off. The choice then lasts as long as the page.
}
let ahead = 0;

/** Learns the server's clock, which counts. */
export const setServerTime = now => { ahead = now - Date.now(); };
export const serverTime = () => Date.now() + ahead;

export const isInJobZone = () => usesJobZone;
export const setInJobZone = value => {
  usesJobZone = value;
  try {
    localStorage.setItem(KEY, value ? "job" : "own");
  } catch {
    // As above.
  }
};
/** Follows the choice made in another tab. */
export const isTimesKey = key => key === KEY;

const formats = new Map();
const format = (zone, name, options) => {
  const key = `${name} ${zone}`;
  if (!formats.has(key)) {
    let made;
    try {
      made = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
    } catch {
      made = null;
    }
    formats.set(key, made);
  }
  return formats.get(key);
};

/** Returns the zone in which times of a job are shown: one that the browser knows. */
export const zoneOf = job => {
  const zone = usesJobZone ? job.zone ?? "UTC" : ownZone;
  return format(zone, "date", DATE) ? zone : ownZone;
};

const DATE = { year: "numeric", month: "2-digit", day: "2-digit" };
const NEAR = { weekday: "short", month: "short", day: "numeric" };
const FAR = { year: "numeric", month: "short", day: "numeric" };
const MINUTES = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const SECONDS = { ...MINUTES, second: "2-digit" };
const FULL = { ...NEAR, ...SECONDS, year: "numeric", timeZoneName: "short" };

/** Returns the date of an instant as `2026-11-26`. */
const isoDate = (instant, zone) => {
  const parts = Object.fromEntries(format(zone, "date", DATE).formatToParts(instant).map(it => [it.type, it.value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
};

/** Returns today's date in a zone. */
export const today = zone => isoDate(serverTime(), zone);

/** Returns a text that changes when the times of a job must be made again: the zone, and the present date there. */
export const contextOf = job => `${zoneOf(job)} ${today(zoneOf(job))}`;

/** Returns a text that changes when a day begins in any zone that is shown. */
export const dayKey = () => {
  // In every zone, midnight is at a quarter of an hour in UTC.
  const quarter = usesJobZone ? Math.floor(serverTime() / QUARTER) : "";
  return `${today(ownZone)} ${quarter}`;
};

/** Returns the date some days later. */
export const nextDate = (date, days) => {
  const next = new Date(`${date}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + days);
  return next.toISOString().slice(0, 10);
};

const dayOf = (instant, zone) => {
  const [day, present] = [isoDate(instant, zone), today(zone)];
  if (day === present) return "";
  if (day === nextDate(present, 1)) return "Tomorrow, ";
  if (day === nextDate(present, -1)) return "Yesterday, ";
  const isNear = Math.abs(instant - serverTime()) < 180 * DAY;
  const date = isNear ? format(zone, "near", NEAR) : format(zone, "far", FAR);
  // It breaks between date and clock only.
  return `${date.format(instant).replaceAll(" ", "\u00a0")}, `;
};

/** Makes the time of an instant, without what goes without saying: today's date, and seconds unless they are wanted. */
export const moment = (instant, zone, hasSeconds = instant % 60_000 !== 0) => {
  const clock = !hasSeconds ? format(zone, "minutes", MINUTES) : format(zone, "seconds", SECONDS);
  return element("time", { dateTime: new Date(instant).toISOString(), title: format(zone, "full", FULL).format(instant) },
    dayOf(instant, zone) + clock.format(instant));
};

/** Returns a number of milliseconds in the two largest units that matter. */
export const duration = millis => {
  const [seconds, minutes, hours] = [millis / 1000, millis / 60_000, millis / 3_600_000].map(Math.floor);
  const pair = (first, firstUnit, second, secondUnit) =>
    second ? `${first} ${firstUnit} ${second} ${secondUnit}` : `${first} ${firstUnit}`;
  if (millis > 0 && millis < 1000) return `${Math.round(millis)} ms`;
  if (seconds < 10) return `${Number((millis / 1000).toFixed(1))} s`;
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return pair(minutes, "min", seconds % 60, "s");
  if (hours < 24) return pair(hours, "h", minutes % 60, "min");
  const days = Math.floor(hours / 24);
  return pair(days, days === 1 ? "day" : "days", days < 3 ? hours % 24 : 0, "h");
};

// Like a duration, but calmer: in whole seconds, and in one unit for what is long ago or far ahead.
const rough = millis => {
  const whole = millis < 60_000 ? Math.floor(millis / 1000) * 1000 : millis;
  if (whole < 10_000) return `${whole / 1000} s`;
  if (millis < 10 * 60_000 || (millis >= 3_600_000 && millis < 2 * DAY)) return duration(whole);
  return duration(millis).split(" ").slice(0, 2).join(" ");
};

// The largest unit alone.
const roughest = millis => rough(millis).split(" ").slice(0, 2).join(" ");

const RELATIVE = {
  until: left => left < -1000 ? `due for ${rough(-left)}` : left < 1000 ? "now" : `in ${rough(left)}`,
  ago: left => -left < 1000 ? "just now" : `${roughest(-left)} ago`,
  since: left => duration(Math.floor(Math.max(0, -left) / 1000) * 1000),
};

/** Makes a text that keeps up with the clock: `until` an instant, `ago`, or the time `since` it. */
export const relative = (kind, instant) =>
  element("span", { className: "relative", "data-kind": kind, "data-at": instant }, RELATIVE[kind](instant - serverTime()));

/** Brings all relative times up to date. */
export const tick = () => {
  const now = serverTime();
  for (const shown of document.querySelectorAll("[data-at]")) {
    const text = RELATIVE[shown.dataset.kind](shown.dataset.at - now);
    if (shown.textContent !== text) shown.textContent = text;
  }
};

export const age = millis => roughest(Math.max(0, millis));
