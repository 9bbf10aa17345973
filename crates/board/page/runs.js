// The runs of a job.

import { button, element, replace, setText, visible } from "./dom.js";
import { cancelButton } from "./actions.js";
import { get, jobPath } from "./api.js";
import { outcome } from "./jobs.js";
import { outputPanel } from "./output.js";
import { contextOf, duration, moment, relative, zoneOf } from "./times.js";

const COLUMNS = ["Outcome", "Started", "Late by", "Took", "Attempts", ""];

// How many are shown at first. More are kept up to date.
const FIRST = 12;
const PAGE = 50;

const cell = (name, ...children) => element("td", { role: "cell", "data-label": name }, ...children);

const nowrap = text => element("span", { className: "nowrap" }, text);

const took = run => {
  if (run.started === null) return "";
  return run.ended === null ? relative("since", run.started) : nowrap(duration(run.ended - run.started));
};

/** Shows the runs of a job, the latest first. */
export class RunsTable {
  #job;
  #signal;
  #runs = new Map();
  // The row, and what ends its output, of each run whose output is shown.
  #outputs = new Map();
  #rows = new Map();
  // The zone and the date with which the rows were made.
  #context = "";
  #body = element("tbody", { role: "rowgroup" });
  #note = element("p", { className: "faint", role: "status" });
  #more = button("Earlier runs", () => this.#showEarlier(), { hidden: true, className: "more" });
  #shown = FIRST;
  #hasMore = false;
  #isLoading = false;
  #isStale = false;

  constructor(job, signal) {
    this.#job = job;
    this.#signal = signal;
    const head = COLUMNS.map(name => element("th", { role: "columnheader", scope: "col" }, name || element("span", { className: "hidden" }, "Output")));
    this.table = element("table", { className: "runs", role: "table", "aria-label": "Runs" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, head)), this.#body);
    this.parts = [this.#note, this.table, this.#more];
  }

  /** Loads the latest runs again. A call while it is loading leads to one more. */
  async load(job) {
    this.#job = job;
    this.#isStale = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#isStale && !this.#signal.aborted) {
      this.#isStale = false;
      await this.#get("");
    }
    this.#isLoading = false;
  }

  async #get(before) {
    try {
      const answer = await get(`${jobPath(this.#job.name)}/runs?limit=${PAGE}${before}`, this.#signal);
      const isGap = !before && !answer.runs.some(run => this.#runs.has(run.id));
      if (isGap) this.#runs.clear();
      if (isGap || before) this.#hasMore = answer.hasMore;
      for (const run of answer.runs) this.#runs.set(run.id, run);
      this.#show(new Set(answer.runs.map(run => run.id)));
      setText(this.#note, this.#runs.size ? "" : "It has not run yet.");
    } catch (error) {
      if (!this.#signal.aborted) setText(this.#note, error.message);
    }
  }

  async #showEarlier() {
    this.#shown += PAGE;
    if (this.#hasMore && this.#runs.size < this.#shown) await this.#get(`&before=${Math.min(...this.#runs.keys())}`);
    else this.#show(new Set());
  }

  #show(changed) {
    const all = [...this.#runs.keys()].sort((one, other) => other - one);
    const ids = all.slice(0, this.#shown);
    this.#drop(all.slice(this.#shown + PAGE), new Set(ids));
    const context = contextOf(this.#job);
    const isOther = context !== this.#context;
    this.#context = context;
    const rows = ids.flatMap(id => {
      const isNew = !this.#rows.has(id);
      if (isNew) this.#rows.set(id, element("tr", { role: "row" }));
      const row = this.#rows.get(id);
      if (isNew || isOther || changed.has(id)) replace(row, this.#cells(this.#runs.get(id)));
      return this.#outputs.has(id) ? [row, this.#outputs.get(id).row] : [row];
    });
    // Rows that stay are not moved, so that they keep the focus and how far they are scrolled.
    const staying = new Set(rows);
    for (const row of [...this.#body.children]) if (!staying.has(row)) row.remove();
    rows.forEach((row, index) => {
      if (this.#body.children[index] !== row) this.#body.insertBefore(row, this.#body.children[index] ?? null);
    });
    this.table.hidden = !ids.length;
    this.#more.hidden = !this.#hasMore && this.#runs.size <= this.#shown;
  }

  // Forgets runs, and the rows and outputs that are not shown, so that a page that stays open does not grow.
  #drop(runs, shown) {
    for (const id of runs) this.#runs.delete(id);
    if (runs.length) this.#hasMore = true;
    for (const id of this.#rows.keys()) if (!shown.has(id)) this.#rows.delete(id);
    for (const [id, { end }] of this.#outputs) {
      if (shown.has(id)) continue;
      end.abort();
      this.#outputs.delete(id);
    }
  }

  #cells(run) {
    const zone = zoneOf(this.#job);
    const started = run.started ?? run.scheduled;
    const lateness = run.started === null ? "" : run.started < run.scheduled ? "Early" : nowrap(duration(run.started - run.scheduled));
    return [
      cell("Outcome", outcome(run.state), run.message ? element("span", { className: "message" }, visible(run.message)) : null),
      cell("Started", moment(started, zone, true)),
      cell("Late by", lateness),
      cell("Took", took(run)),
      cell("Attempts", run.attempts ? String(run.attempts) : ""),
      element("td", { role: "cell", className: "buttons" }, this.#outputButton(run), cancelButton(this.#job, run)),
    ];
  }

  #outputButton(run) {
    if (!run.hasOutput) return null;
    return button("Output", () => this.#toggle(run), {
      "aria-expanded": String(this.#outputs.has(run.id)), "aria-label": `Output of run ${run.id}`,
    });
  }

  #toggle(run) {
    const shown = this.#outputs.get(run.id);
    if (shown) {
      shown.end.abort();
      this.#outputs.delete(run.id);
    } else {
      const end = new AbortController();
      this.#signal.addEventListener("abort", () => end.abort(), { once: true });
      const panel = outputPanel(this.#job.name, run, end.signal);
      const row = element("tr", { role: "row", className: "output-row" }, element("td", { role: "cell", colSpan: COLUMNS.length }, panel));
      this.#outputs.set(run.id, { row, end });
    }
    this.#show(new Set([run.id]));
  }
}
