// Shows the server's pictures, which are SVG documents with their own styles.

import { element } from "./dom.js";
import { request } from "./api.js";

/**
 * Shows a picture in a frame. Unlike in an `img`, tooltips work and text can be found. The style of the document becomes
 * that of a shadow tree, as the Content-Security-Policy allows styles in documents to nobody but scripts.
 */
export const showPicture = async (frame, path, parameters, signal) => {
  const width = Math.max(300, Math.floor(frame.clientWidth));
  try {
    const response = await request(`${path}?${new URLSearchParams({ ...parameters, width })}`, { signal });
    frame.replaceChildren(hostOf(await response.text()));
  } catch (error) {
    if (!signal.aborted) frame.replaceChildren(element("p", { className: "faint" }, error.message));
  }
};

const hostOf = text => {
  const sheets = [];
  const parsed = new DOMParser().parseFromString(text.replace(/<style[^>]*>([^<]*)<\/style>/g, (all, rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    sheets.push(sheet);
    return "";
  }), "image/svg+xml");
  const svg = parsed.documentElement;
  if (svg.localName !== "svg") throw new Error("The picture cannot be read.");
  const host = element("div");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = sheets;
  root.append(document.importNode(svg, true));
  return host;
};

/** Makes an empty frame for a picture, which scrolls if the picture is wider. */
export const pictureFrame = name => element("div", { className: "picture", role: "region", "aria-label": name, tabIndex: 0 });
