/** Scenes as SVG, on the page and as files. */
import { h } from "../dom.js";
import { rectAt, TEXT_SIZE, textAt } from "./scene.js";
import { plainText, wrapText } from "./text.js";
/** @import { Mark, Scene, TextMark } from "./scene.js" */

/** @typedef {(name: string) => string} Palette colours by name */

/** @param {string} tag @param {Record<string, string | number | undefined>} attributes @returns {SVGElement} */
export function svgElement(tag, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", tag));
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    element.setAttribute(name, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  }
  return element;
}

/** Draw a scene; by default in variables of CSS, which follow the theme. @param {Scene} scene @param {Palette} [palette] @returns {SVGElement} */
export function toSvg({ width, height, marks }, palette = (name) => `var(--${name})`) {
  const svg = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, direction: "ltr" });
  svg.append(...marks.map((mark) => svgMark(mark, palette)));
  return svg;
}

/** @param {Mark} mark @param {Palette} palette @returns {SVGElement} */
function svgMark(mark, palette) {
  if (mark.kind === "group") {
    const group = svgElement("g", { transform: `translate(${mark.x} ${mark.y})` });
    group.append(...mark.marks.map((inner) => svgMark(inner, palette)));
    return group;
  }
  if (mark.kind === "text") return svgText(mark, palette);
  return svgElement(mark.kind, {
    ...svgPlace(mark),
    fill: mark.fill ? palette(mark.fill) : "none",
    stroke: mark.stroke && palette(mark.stroke),
    "stroke-width": mark.stroke && (mark.width ?? 1),
    "stroke-dasharray": mark.dash?.length ? mark.dash.join(" ") : undefined,
    "stroke-linecap": mark.round ? "round" : undefined,
    "stroke-linejoin": mark.kind === "path" && mark.stroke ? "round" : undefined,
    opacity: mark.opacity,
  });
}

/** @param {Exclude<Mark, {kind: "group"} | {kind: "text"}>} mark @returns {Record<string, string | number>} */
function svgPlace(mark) {
  if (mark.kind === "path") return { d: mark.d };
  if (mark.kind === "line") return { x1: mark.x1, y1: mark.y1, x2: mark.x2, y2: mark.y2 };
  if (mark.kind === "circle") return { cx: mark.x, cy: mark.y, r: mark.r };
  return { x: mark.x, y: mark.y, width: Math.max(0, mark.w), height: Math.max(0, mark.h) };
}

/** @param {TextMark} mark @param {Palette} palette */
function svgText({ x, y, fill = "ink", size = TEXT_SIZE, bold, anchor, opacity, halo, text }, palette) {
  const outline = { "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" };
  const element = svgElement("text", {
    x,
    y,
    fill: palette(fill),
    "font-size": size,
    "font-weight": bold ? 600 : undefined,
    "text-anchor": anchor === "start" ? undefined : anchor,
    opacity,
    ...(halo && { stroke: palette(halo), ...outline }),
  });
  // Characters that XML cannot contain are removed; isolates around names stay.
  const parts = text.split(/([\u2068\u2069])/u);
  element.append(parts.map((part) => (/^[\u2068\u2069]$/u.test(part) ? part : plainText(part))).join(""));
  return element;
}

const EXPORT_MARGIN = 16;

/** Add the title and the sentence below it, without which the picture could not be read alone. @param {Scene} scene @param {string} title @param {string} [sentence] @returns {Scene} */
export function titledScene(scene, title, sentence = "") {
  const lines = title ? wrapText(title, scene.width, 14, true) : [];
  const below = sentence ? wrapText(sentence, scene.width, 12) : [];
  const head = lines.length * 20 + below.length * 16;
  const top = EXPORT_MARGIN + (head ? head + 8 : 0);
  const [width, height] = [scene.width + 2 * EXPORT_MARGIN, scene.height + top + EXPORT_MARGIN];
  const titleAt = (/** @type {string} */ text, /** @type {number} */ i) =>
    textAt(EXPORT_MARGIN, EXPORT_MARGIN + 14 + i * 20, text, { fill: "ink", size: 14, bold: true });
  const sentenceAt = (/** @type {string} */ text, /** @type {number} */ i) =>
    textAt(EXPORT_MARGIN, EXPORT_MARGIN + lines.length * 20 + 10 + i * 16, text, { size: 12 });
  /** @type {Mark[]} */
  const marks = [rectAt(0, 0, width, height, { fill: "paper" }), ...lines.map(titleAt), ...below.map(sentenceAt), {
    kind: "group",
    x: EXPORT_MARGIN,
    y: top,
    marks: scene.marks,
  }];
  return { ...scene, width, height, marks, spots: [] };
}

/** A picture that stands alone: titled, in the colours of the light page. @param {Scene} scene @param {string} title @param {string} [sentence] */
export function standaloneSvg(scene, title, sentence) {
  const light = h("div", { "data-theme": "light", hidden: true });
  document.body.append(light);
  const svg = toSvg(titledScene(scene, title, sentence), (name) => {
    light.style.color = `var(--${name})`;
    return getComputedStyle(light).color;
  });
  light.remove();
  svg.setAttribute("font-family", "sans-serif");
  const [name, words] = [svgElement("title", {}), svgElement("desc", {})];
  name.append(plainText(title));
  words.append(plainText(scene.label));
  svg.prepend(name, words);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
}

/** Paint an SVG picture on a canvas, in three times its size. @param {string} svg @returns {Promise<Blob>} */
export async function pngBlob(svg) {
  const image = new Image();
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("the picture cannot be drawn"));
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`; // unlike a blob, it may be read back by a page in a sandboxed frame
  });
  const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: 3 * image.width, height: 3 * image.height }));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    const done = (/** @type {Blob | null} */ blob) =>
      blob ? resolve(blob) : reject(new Error("the image is too large for this browser"));
    canvas.toBlob(done, "image/png");
  });
}
