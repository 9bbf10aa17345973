// Shows as many rows of a long table as are near what is visible.

import { element, replace } from "./dom.js";

const SIZE = 50;

/** A table whose rows are made in chunks when they come near the window, and dropped when they are far. */
export class Rows {
  #table;
  #make;
  #chunks = [];
  #height = 60;
  #observer = new IntersectionObserver(entries => this.#observe(entries), { rootMargin: "800px 0px" });

  /** `make` returns the cells of the row of a key. */
  constructor(table, make) {
    this.#table = table;
    this.#make = make;
  }

  /** Shows the rows of these keys. Those among `changed`, or all if it is `null`, are made again. */
  show(keys, changed) {
    const count = Math.ceil(keys.length / SIZE);
    while (this.#chunks.length > count) {
      const { body } = this.#chunks.pop();
      this.#observer.unobserve(body);
      body.remove();
    }
    while (this.#chunks.length < count) {
      const body = element("tbody", { role: "rowgroup" });
      const chunk = { body, keys: [], rows: null, first: this.#chunks.length * SIZE };
      this.#chunks.push(chunk);
      this.#table.append(body);
      this.#observer.observe(body);
    }
    this.#table.setAttribute("aria-rowcount", keys.length + 1);
    for (const chunk of this.#chunks) {
      chunk.keys = keys.slice(chunk.first, chunk.first + SIZE);
      if (chunk.rows || chunk.first === 0) this.#fill(chunk, changed);
      else this.#empty(chunk);
    }
  }

  close() {
    this.#observer.disconnect();
  }

  #observe(entries) {
    for (const { target, isIntersecting } of entries) {
      const chunk = this.#chunks.find(it => it.body === target);
      if (!chunk) continue;
      if (isIntersecting && !chunk.rows) this.#fill(chunk, null);
      else if (!isIntersecting && chunk.rows && !target.contains(document.activeElement)) {
        this.#height = target.offsetHeight / chunk.keys.length || this.#height;
        chunk.rows = null;
        this.#empty(chunk);
      }
    }
  }

  #fill(chunk, changed) {
    const before = chunk.rows ?? new Map();
    const focused = chunk.body.contains(document.activeElement) ? document.activeElement : null;
    chunk.rows = new Map(chunk.keys.map((key, index) => {
      const known = before.get(key);
      const row = known ?? element("tr", { role: "row" });
      if (!known || !changed || changed.has(key)) replace(row, this.#make(key));
      row.setAttribute("aria-rowindex", chunk.first + index + 2);
      return [key, row];
    }));
    const rows = [...chunk.rows.values()];
    if (rows.length !== chunk.body.children.length || rows.some((row, index) => row !== chunk.body.children[index])) {
      chunk.body.replaceChildren(...rows);
    }
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }

  #empty(chunk) {
    const row = element("tr", { className: "spacer", "aria-hidden": "true" }, element("td", { colSpan: 6 }));
    row.style.height = `${Math.round(this.#height * chunk.keys.length)}px`;
    chunk.body.replaceChildren(row);
  }
}
