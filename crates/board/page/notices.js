// Notices above the content, which screen readers announce.

import { find, setText } from "./dom.js";

const notice = name => {
  const box = find(name);
  find(`${name}-close`).addEventListener("click", () => { box.hidden = true; });
  return text => {
    box.hidden = !text;
    setText(find(`${name}-said`), "");
    // A live region must be there before its text changes.
    if (text) requestAnimationFrame(() => setText(find(`${name}-said`), text));
  };
};

/** Says what has happened. */
export const say = notice("note");

/** Says what has failed. */
export const sayProblem = notice("problem");
