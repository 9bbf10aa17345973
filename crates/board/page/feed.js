// Keeps what is known of the jobs current.

import { get } from "./api.js";
import { applyChanges, setJobs, store } from "./jobs.js";
import { serverTime, setServerTime } from "./times.js";

const PATIENCE = [1, 2, 4, 8, 15];

let source = null;
let timer = 0;
let failures = 0;
// Counts the attempts, so that an earlier one does not carry on beside a later one.
let attempt = 0;
let listener = null;
// When what is shown was current for the last time.
let currentAt = 0;
// Whether it still is, as the server reports what changes.
let isCurrent = false;
// The epoch of the server when it last answered. Signing out clears the jobs, but not this.
let lastEpoch = null;

/**
 * Connects, and reports to the listener: `changed` with the names of the jobs, or `null` for all; `connected`,
 * `current`, `restarted`, and `lost` with the reason.
 */
export const start = to => {
  listener = to;
  // A hidden page does not need to be current, and browsers allow few connections to a server.
  document.addEventListener("visibilitychange", () => document.hidden ? stop() : connect());
  addEventListener("pagehide", stop);
  addEventListener("pageshow", event => { if (event.persisted) connect(); });
  addEventListener("online", connect);
  return connect();
};

/** Returns how old what is shown is. */
export const ageOfData = () => serverTime() - currentAt;

// Records that the server no longer reports changes. Up to now, there were none.
const endCurrent = () => {
  if (isCurrent) currentAt = Math.max(currentAt, serverTime() - 1000);
  isCurrent = false;
};

const stop = () => {
  endCurrent();
  attempt += 1;
  clearTimeout(timer);
  source?.close();
  source = null;
};

/** Connects again, and catches up with what has changed. */
export const connect = async () => {
  if (document.hidden && store.board) return;
  stop();
  const own = attempt;
  try {
    const board = await get("api/board");
    if (own !== attempt) return;
    setServerTime(board.now);
    // Whoever has signed out reads the jobs again, if that is allowed.
    if (store.board?.isSignedIn && !board.isSignedIn) store.epoch = null;
    const isKnown = board.epoch === store.epoch;
    const isRestarted = lastEpoch !== null && board.epoch !== lastEpoch;
    store.board = board;
    listener.connected();
    if (!isKnown) {
      const answer = await get("api/jobs");
      if (own !== attempt) return;
      Object.assign(store, { epoch: answer.epoch, version: answer.version, unlisted: answer.unlisted });
      setJobs(answer.jobs);
      currentAt = answer.now;
      listener.changed(null);
    }
    if (isRestarted) listener.restarted();
    lastEpoch = board.epoch;
    listen();
  } catch (error) {
    if (own === attempt) lose(error);
  }
};

const listen = () => {
  source = new EventSource(`api/feed?version=${store.version}&epoch=${encodeURIComponent(store.epoch)}`);
  source.addEventListener("hello", ({ data }) => {
    const { epoch, now } = JSON.parse(data);
    setServerTime(now);
    failures = 0;
    if (epoch !== store.epoch) return connect();
    [currentAt, isCurrent] = [now, true];
    listener.current();
  });
  source.addEventListener("changes", ({ data }) => {
    const changes = JSON.parse(data);
    setServerTime(changes.now);
    [currentAt, isCurrent] = [changes.now, true];
    listener.current();
    listener.changed(applyChanges(changes));
  });
  source.addEventListener("problem", ({ data }) => {
    endCurrent();
    listener.lost(new Error(`The jobs cannot be read: ${JSON.parse(data).error}.`));
  });
  source.addEventListener("error", () => {
    stop();
    lose(null);
  });
};

const lose = error => {
  const seconds = PATIENCE[Math.min(failures, PATIENCE.length - 1)];
  failures += 1;
  listener.lost(error);
  if (error?.status !== 401) timer = setTimeout(connect, seconds * 1000);
};
