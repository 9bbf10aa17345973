// Starts the page, and opens the view that the address names.

import { element, find, setText, visible } from "./dom.js";
import { openDay } from "./day.js";
import { openEdit } from "./edit.js";
import { ageOfData, connect, start } from "./feed.js";
import { openJob } from "./job.js";
import { store } from "./jobs.js";
import { say } from "./notices.js";
import { openOverview } from "./overview.js";
import { askToSignIn, closeSignIn, listenToSession, showSession } from "./session.js";
import { age, dayKey, isInJobZone, isTimesKey, ownZone, setInJobZone, tick } from "./times.js";

const main = find("main");
let view = null;
// Names of jobs that have changed since the last frame; `null` for all.
let changed = new Set();
let isWaiting = false;
// The timer of a change of the address that the browser has refused.
let navigation = 0;

const decode = text => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// Changes the address of the view that is open.
const navigate = hash => {
  clearTimeout(navigation);
  try {
    history.replaceState(null, "", hash);
  } catch {
    // Browsers limit how often this is possible, such as Safari to 100 times in 30 seconds.
    navigation = setTimeout(navigate, 1000, hash);
  }
};

const go = hash => { location.hash = hash; };

const openView = () => {
  const [path, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const [, kind = "", name = ""] = path.split("/");
  if (kind === "job") return openJob(main, decode(name));
  if (kind === "day") return openDay(main, parameters, navigate);
  if (kind === "new") return openEdit(main, null, go);
  if (kind === "edit") return openEdit(main, decode(name), go);
  return openOverview(main, parameters, navigate);
};

const route = () => {
  clearTimeout(navigation);
  if (!store.board) return;
  const isFirst = view === null;
  view?.close();
  view = openView();
  for (const [id, isCurrent] of [["to-overview", view.title === ""], ["to-day", view.title === "Day"]]) {
    if (isCurrent) find(id).setAttribute("aria-current", "page");
    else find(id).removeAttribute("aria-current");
  }
  setTitle();
  if (isFirst) return;
  // Readers of the screen learn that there is another view.
  main.querySelector("h2").focus({ preventScroll: true });
  scrollTo(0, 0);
};

const setTitle = () => {
  const { title } = store.board;
  setText(find("title"), visible(title));
  document.title = view?.title ? `${view.title} · ${visible(title)}` : visible(title);
};

// Shows what has changed once a frame at most.
const change = names => {
  if (!names || !changed) changed = null;
  else for (const name of names) changed.add(name);
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    const all = changed;
    changed = new Set();
    if (view) view.update(all);
    else route();
  });
};

const showConnection = reason => {
  find("connection").hidden = !reason;
  setText(find("connection-said"), reason ?? "");
  showAge();
};

// Outside of the live region: it changes all the time.
const showAge = () => {
  if (!find("connection").hidden) setText(find("age"), `What you see is ${age(ageOfData())} old.`);
};

let shownBoard = "";
const listener = {
  connected() {
    closeRequired();
    const { now, ...board } = store.board;
    const text = JSON.stringify(board);
    if (text === shownBoard) return;
    shownBoard = text;
    showSession();
    setTitle();
    find("links").replaceChildren(...store.board.links.map(({ text: name, href }) => element("a", { href }, name)));
    if (view) change(null);
  },
  changed: change,
  current: () => showConnection(null),
  restarted: () => say(`The server was restarted. It was noticed at ${new Date().toLocaleTimeString("en-GB")}.`),
  lost(error) {
    if (error?.status === 401) {
      clear();
      askToSignIn(true);
    } else showConnection(`${error?.message ?? "The connection to the server is lost."} Trying again …`);
  },
};

let isRequired = false;
// Nothing is left to be seen by somebody who is not signed in.
const clear = () => {
  isRequired = true;
  view?.close();
  view = null;
  shownBoard = "";
  Object.assign(store, { board: null, epoch: null, jobs: new Map() });
  find("sign-out").hidden = true;
  main.replaceChildren(element("p", { className: "faint" }, "Sign in to see the jobs."));
};
const closeRequired = () => {
  if (isRequired) closeSignIn();
  isRequired = false;
};

const showTimes = () => {
  find("times").value = isInJobZone() ? "job" : "own";
  change(null);
};

find("times").options[0].textContent = `my time zone (${ownZone})`;
find("times").addEventListener("change", event => {
  setInJobZone(event.target.value === "job");
  showTimes();
});
find("times").value = isInJobZone() ? "job" : "own";
addEventListener("storage", ({ key, newValue }) => {
  if (!isTimesKey(key)) return;
  setInJobZone(newValue === "job");
  showTimes();
});
find("skip").addEventListener("click", () => main.focus());
addEventListener("hashchange", route);
let shownDay = dayKey();
setInterval(() => {
  if (document.hidden) return;
  tick();
  showAge();
  view?.tick();
  // At midnight, words such as "Tomorrow" become wrong.
  const day = dayKey();
  if (day !== shownDay && view) change(null);
  shownDay = day;
}, 1000);
listenToSession(connect);
start(listener);
