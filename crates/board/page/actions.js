// What a visitor does to jobs.

import { button, find, setText, visible } from "./dom.js";
import { jobPath, send } from "./api.js";
import { store } from "./jobs.js";
import { say, sayProblem } from "./notices.js";
import { askToSignIn } from "./session.js";

/** Does something that may need signing in, which is then asked for. Returns whether it was done. */
export const act = async action => {
  sayProblem("");
  const { needsToken, isSignedIn } = store.board;
  if (needsToken && !isSignedIn && !await askToSignIn()) return false;
  try {
    await action();
    return true;
  } catch (error) {
    if (error.status === 401 && await askToSignIn()) return act(action);
    if (error.status !== 401) sayProblem(error.message);
    return false;
  }
};

const dialog = find("confirm");
let answer = null;
dialog.addEventListener("close", () => {
  // The event comes late, when the dialog may be open again.
  if (dialog.open) return;
  answer?.(dialog.returnValue === "yes");
  answer = null;
});

/** Asks for a confirmation in the page. */
export const confirm = (title, text, yes, no) => {
  answer?.(false);
  for (const [id, words] of [["confirm-title", title], ["confirm-text", text], ["confirm-yes", yes], ["confirm-no", no]]) {
    setText(find(id), words);
  }
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise(resolve => { answer = resolve; });
};

const offers = kind => store.board.actions.includes(kind);

const actOnJob = async (job, kind, done) => {
  if (await act(() => send("POST", `${jobPath(job.name)}/${kind}`))) say(`${visible(job.name)} ${done}.`);
};

const pauseButton = job => {
  if (offers("pause") && job.state === "waiting") return button("Pause", () => actOnJob(job, "pause", "is paused"));
  if (offers("resume") && job.state === "paused") return button("Resume", () => actOnJob(job, "resume", "continues"));
  return null;
};

/** Makes the two buttons for a job; `null` in place of one that is not offered. */
export const jobButtons = job => [
  offers("run") ? button("Run now", () => actOnJob(job, "run", "was asked to run"), { className: "main" }) : null,
  pauseButton(job),
];

/** Makes the button that cancels a run, if that is offered. A skipped run, or one that waits for a retry, cannot be canceled. */
export const cancelButton = (job, run) => {
  if (run.state !== "running" || !offers("cancel")) return null;
  return button("Cancel", async () => {
    const isSure = await confirm("Cancel this run?", `${visible(job.name)} is stopped before it is done.`, "Cancel the run", "Let it run");
    if (isSure && await act(() => send("POST", `${jobPath(job.name)}/runs/${run.id}/cancel`))) say("The run is being canceled.");
  }, { "aria-label": `Cancel run ${run.id}` });
};
