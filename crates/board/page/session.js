// Signing in and out, and what needs it.

import { find, setText } from "./dom.js";
import { send } from "./api.js";
import { store } from "./jobs.js";
import { sayProblem } from "./notices.js";

const dialog = find("session");
// Other tabs of the same page learn it, too.
const channel = new BroadcastChannel(`millicron-board ${location.pathname}`);
let answer = null;
let isRequired = false;

/** Reports to `changed` whenever somebody has signed in or out. */
export const listenToSession = changed => {
  channel.addEventListener("message", changed);
  find("sign-in").addEventListener("click", () => askToSignIn());
  find("sign-out").addEventListener("click", async () => {
    sayProblem("");
    try {
      await send("DELETE", "api/session");
    } catch (error) {
      return sayProblem(`You are still signed in. ${error.message}`);
    }
    channel.postMessage(null);
    changed();
  });
  find("session-close").addEventListener("click", () => dialog.close());
  // Without a token, there is nothing to see behind the dialog.
  dialog.addEventListener("cancel", event => { if (isRequired) event.preventDefault(); });
  // The event comes late, when the dialog may be open again.
  dialog.addEventListener("close", () => { if (!dialog.open) finish(false); });
  dialog.querySelector("form").addEventListener("submit", async event => {
    event.preventDefault();
    setText(find("session-problem"), "");
    try {
      await send("POST", "api/session", { token: find("token").value });
    } catch (error) {
      find("session-problem").textContent = error.status === 403 ? "This is not the token." : error.message;
      find("token").select();
      return;
    }
    channel.postMessage(null);
    // Whoever acts before the board is read again is not asked again.
    if (store.board) store.board.isSignedIn = true;
    finish(true);
    changed();
  });
};

const finish = isSignedIn => {
  const waiting = answer;
  answer = null;
  find("token").value = "";
  if (dialog.open) dialog.close();
  waiting?.(isSignedIn);
};

/** Asks for the token. Resolves to whether the visitor has signed in. */
export const askToSignIn = (required = false) => {
  isRequired = required;
  find("session-close").hidden = required;
  setText(find("session-problem"), "");
  if (!dialog.open) dialog.showModal();
  answer?.(false);
  return new Promise(resolve => { answer = resolve; });
};

export const closeSignIn = () => { if (dialog.open) dialog.close(); };

/** Shows who is signed in. */
export const showSession = () => {
  const { isSignedIn, needsToken } = store.board;
  find("sign-in").hidden = isSignedIn || !needsToken;
  find("sign-out").hidden = !isSignedIn;
};
