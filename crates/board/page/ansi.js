// Shows the output of a program: colors as classes, other escape sequences not at all.

import { element } from "./dom.js";

// Escape sequences, complete or cut off at the end; the end or the beginning of a line; other control characters.
const SPECIAL = /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*(?:[0-~]|$))|[\r\n]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const CUT = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]{0,4096}\x1b?|[ -/]*)?$/;

// The sixteen colors that other ones are reduced to: red, green, blue.
const PALETTE = [
  [0, 0, 0], [205, 0, 0], [0, 205, 0], [205, 205, 0], [0, 0, 238], [205, 0, 205], [0, 205, 205], [229, 229, 229],
  [127, 127, 127], [255, 0, 0], [0, 255, 0], [255, 255, 0], [92, 92, 255], [255, 0, 255], [0, 255, 255], [255, 255, 255],
];

const nearest = color => {
  const distance = other => other.reduce((sum, part, index) => sum + (part - color[index]) ** 2, 0);
  return PALETTE.reduce((best, other, index) => distance(other) < distance(PALETTE[best]) ? index : best, 0);
};

// The first 16 colors are the palette, then come a cube of six steps each and 24 shades of gray.
const indexed = index => {
  if (index < 16) return index;
  const step = place => (part => part ? 55 + 40 * part : 0)(Math.floor((index - 16) / place) % 6);
  return index < 232 ? nearest([step(36), step(6), step(1)]) : nearest(Array(3).fill(8 + 10 * (index - 232)));
};

// Reads a color after 38 or 48, and takes its parameters away.
const extended = parameters => {
  const kind = parameters.shift();
  if (kind === 5) return indexed(Math.min(255, parameters.shift() ?? 0));
  return kind === 2 ? nearest([0, 0, 0].map(() => parameters.shift() ?? 0)) : null;
};

const restyle = (style, parameters) => {
  while (parameters.length) {
    const code = parameters.shift();
    if (code === 0) Object.assign(style, { ink: null, paper: null, bold: false, dim: false, italic: false, underline: false, inverse: false });
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 7) style.inverse = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code === 27) style.inverse = false;
    else if (code >= 30 && code <= 37) style.ink = code - 30;
    else if (code === 38) style.ink = extended(parameters);
    else if (code === 39) style.ink = null;
    else if (code >= 40 && code <= 47) style.paper = code - 40;
    else if (code === 48) style.paper = extended(parameters);
    else if (code === 49) style.paper = null;
    else if (code >= 90 && code <= 97) style.ink = code - 82;
    else if (code >= 100 && code <= 107) style.paper = code - 92;
  }
};

const classOf = ({ ink, paper, inverse, ...flags }) => {
  const names = Object.keys(flags).filter(name => flags[name]);
  if (ink !== null) names.push(`ink${ink}`);
  if (paper !== null) names.push(`paper${paper}`);
  if (inverse) names.push("inverse");
  return names.join(" ");
};

/** Writes into an element as a terminal does, line by line. */
export class Terminal {
  #style = {};
  #class = "";
  #rest = "";
  #line = [];
  #returns = false;
  #tail = element("span");

  constructor(shown) {
    this.shown = shown;
    restyle(this.#style, [0]);
    shown.replaceChildren(this.#tail);
  }

  /** Writes a part of the output, which may end within an escape sequence. */
  write(text) {
    const all = this.#rest + text;
    // What is never completed is not waited for without end.
    const cut = CUT.exec(all.slice(-4096));
    this.#rest = cut ? cut[0] : "";
    const done = document.createDocumentFragment();
    const end = all.length - this.#rest.length;
    let place = 0;
    SPECIAL.lastIndex = 0;
    for (const match of all.slice(0, end).matchAll(SPECIAL)) {
      this.#add(all.slice(place, match.index));
      place = match.index + match[0].length;
      this.#obey(match[0], done);
    }
    this.#add(all.slice(place, end));
    this.#tail.replaceChildren(...this.#nodes());
    this.#tail.before(done);
  }

  #obey(special, done) {
    if (special.endsWith("\n")) {
      this.#returns = false;
      this.#add("\n");
      done.append(...this.#nodes());
      this.#line = [];
    } else if (special === "\r") {
      this.#returns = true;
    } else if (special.startsWith("\x1b[") && special.endsWith("m")) {
      restyle(this.#style, special.slice(2, -1).split(/[;:]/).map(Number));
      this.#class = classOf(this.#style);
    }
  }

  #add(text) {
    if (!text) return;
    // A carriage return alone writes the line again, as progress bars do.
    if (this.#returns) this.#line = [];
    this.#returns = false;
    const last = this.#line.at(-1);
    if (last?.class === this.#class) last.text += text;
    else this.#line.push({ class: this.#class, text });
  }

  #nodes() {
    return this.#line.map(({ class: className, text }) => className ? element("span", { className }, text) : text);
  }
}
