// The output of a run.

import { element, setText } from "./dom.js";
import { get, jobPath } from "./api.js";
import { Terminal } from "./ansi.js";

const SECOND = 1000;

/** Shows the output of a run, and follows it while the run writes, until `signal` is aborted. */
export const outputPanel = (name, run, signal) => {
  const shown = element("pre", { className: "output", tabIndex: 0, role: "region", "aria-label": `Output of run ${run.id}` });
  const note = element("p", { className: "faint", role: "status" }, "Loading the output …");
  const terminal = new Terminal(shown);
  const path = `${jobPath(name)}/runs/${run.id}/output`;
  let end = 0;
  let isCut = false;

  const write = ({ start, text }) => {
    const isAtEnd = shown.scrollTop + shown.clientHeight >= shown.scrollHeight - 8;
    if (start > end) {
      isCut = true;
      if (end) terminal.write("\n… left out …\n");
    }
    terminal.write(text);
    if (isAtEnd) shown.scrollTop = shown.scrollHeight;
  };

  const load = async () => {
    if (signal.aborted) return;
    try {
      const answer = await get(`${path}?from=${end}`, signal);
      write(answer);
      end = answer.end;
      const parts = [isCut ? "Earlier output is not kept." : "", answer.isComplete ? "" : "Still writing …"];
      const isEmpty = answer.isComplete && end === 0;
      setText(note, isEmpty ? "It has written nothing." : parts.join(" ").trim());
      if (!answer.isComplete) setTimeout(load, SECOND);
    } catch (error) {
      if (signal.aborted) return;
      setText(note, error.status === 404 ? "The output is not kept any more." : error.message);
      if (error.status !== 404) setTimeout(load, 5 * SECOND);
    }
  };
  load();
  return element("div", { className: "output-panel" }, note, shown);
};
