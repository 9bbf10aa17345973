// Makes and changes elements. Data becomes text only, never markup.

export const find = id => document.getElementById(id);

/** Makes an element. Properties with a hyphen, and `role`, are attributes; children may be `null`. */
export const element = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
};

const SVG = "http://www.w3.org/2000/svg";

/** Makes an SVG element. */
export const shape = (name, attributes, ...children) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** Makes characters visible that could hide or reorder others. */
export const visible = text => text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");

/** Makes a hidden element that takes the place of a missing one. */
export const placeholder = () => element("span", { hidden: true });

/**
 * Replaces the children that differ, so that focus, selection and the reader's place stay where they can. The focus
 * stays at the same index: where a control may be missing, put a `placeholder`.
 */
export const replace = (parent, children) => {
  const made = children.filter(child => child !== null);
  made.forEach((child, index) => {
    const shown = parent.children[index];
    if (!shown) parent.append(child);
    else if (!shown.isEqualNode(child)) exchange(shown, child);
  });
  while (parent.children.length > made.length) parent.lastElementChild.remove();
};

// Moves the focus to the same control of the new element.
const exchange = (shown, made) => {
  const controls = "a, button, input, select, textarea, summary";
  const all = it => [...it.matches(controls) ? [it] : [], ...it.querySelectorAll(controls)];
  const focused = all(shown).indexOf(document.activeElement);
  shown.replaceWith(made);
  all(made)[focused]?.focus();
};

/** Sets a text unless it is the same, so that a live region does not repeat it. */
export const setText = (shown, text) => {
  if (shown.textContent !== text) shown.textContent = text;
};

/** Makes a link to a job, or to another view. */
export const jobLink = (name, properties = {}) =>
  element("a", { href: jobHash(name), ...properties }, element("bdi", {}, visible(name)));

export const jobHash = name => `#/job/${encodeURIComponent(name)}`;

export const button = (text, onclick, properties = {}) =>
  element("button", { type: "button", onclick, ...properties }, text);
