/** Draw a scene as SVG elements. */
import { TEXT_SIZE } from "./scene.js";
import { plainText } from "./text.js";
/** @import { Mark, Scene, TextMark } from "./scene.js" */

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string | number | undefined>} attributes @returns {SVGElement} */
export function svgElement(tag, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG_SPACE, tag));
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) {
      element.setAttribute(name, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
    }
  }
  return element;
}

/** @param {Scene} scene @param {Palette} palette @returns {SVGElement} */
export function toSvg(scene, palette) {
  const { width, height } = scene;
  const svg = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, direction: "ltr" });
  svg.append(...scene.marks.map((mark) => svgMark(mark, palette)));
  return svg;
}

/** Return the paint attributes of a mark. @param {any} mark @param {Palette} palette */
function svgPaint(mark, palette) {
  return {
    fill: mark.fill ? palette(mark.fill) : "none",
    stroke: mark.stroke && palette(mark.stroke),
    "stroke-width": mark.stroke && (mark.width ?? 1),
    "stroke-dasharray": mark.dash?.length ? mark.dash.join(" ") : undefined,
    "stroke-linecap": mark.round ? "round" : undefined,
    "stroke-linejoin": mark.kind === "path" && mark.stroke ? "round" : undefined,
    opacity: mark.opacity,
  };
}

/** @param {Mark} mark @param {Palette} palette @returns {SVGElement} */
function svgMark(mark, palette) {
  if (mark.kind === "group") {
    const group = svgElement("g", { transform: `translate(${mark.x} ${mark.y})`, opacity: mark.opacity });
    group.append(...mark.marks.map((inner) => svgMark(inner, palette)));
    return group;
  }
  if (mark.kind === "text") return svgText(mark, palette);
  return svgElement(mark.kind, { ...svgPlace(mark), ...svgPaint(mark, palette) });
}

/** @param {Exclude<Mark, {kind: "group"} | {kind: "text"}>} mark @returns {Record<string, string | number>} */
function svgPlace(mark) {
  switch (mark.kind) {
    case "line":
      return { x1: mark.x1, y1: mark.y1, x2: mark.x2, y2: mark.y2 };
    case "rect":
      return { x: mark.x, y: mark.y, width: Math.max(0, mark.w), height: Math.max(0, mark.h) };
    case "circle":
      return { cx: mark.x, cy: mark.y, r: mark.r };
    default:
      return { d: mark.d };
  }
}

/** @param {TextMark} mark @param {Palette} palette */
function svgText(mark, palette) {
  const element = svgElement("text", {
    x: mark.x,
    y: mark.y,
    fill: palette(mark.fill ?? "ink"),
    "font-size": mark.size ?? TEXT_SIZE,
    "font-weight": mark.bold ? 600 : undefined,
    "text-anchor": mark.anchor === "start" ? undefined : mark.anchor,
    opacity: mark.opacity,
    ...(mark.halo &&
      { stroke: palette(mark.halo), "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" }),
  });
  element.append(withinDrawing(mark.text));
  return element;
}

/** Remove characters that XML cannot contain; isolates around names stay. @param {string} text */
function withinDrawing(text) {
  return text.split(/([\u2068\u2069])/u).map((part) => (/^[\u2068\u2069]$/u.test(part) ? part : plainText(part))).join(
    "",
  );
}

/**
 * Colours by name.
 *
 * @typedef {(name: string) => string} Palette
 */

/** The light theme of page.css, used for exported pictures. */
export const LIGHT = Object.freeze({
  paper: "#ffffff",
  panel: "#f6f7f8",
  ink: "#1b1e23",
  soft: "#59616d",
  faint: "#d9dde2",
  grid: "#eceef1",
  accent: "#1f5fbf",
  better: "#14795a",
  worse: "#b3401f",
  same: "#6b7280",
  focus: "#1f5fbf",
  context: "#9aa1ab",
  run0: "#315fd0",
  run1: "#994882",
  run2: "#8a9a00",
  run3: "#28303c",
  run4: "#308fbc",
  run5: "#5c0b8e",
  run6: "#c269ff",
  run7: "#573a0a",
  run8: "#a88f5f",
  run9: "#c13e5e",
});

/** @type {Palette} */
export function lightPalette(name) {
  return /** @type {Record<string, string>} */ (LIGHT)[name] ?? LIGHT.ink;
}

/** Return a CSS variable, for SVG: follows the theme without redrawing. @type {Palette} */
export function livePalette(name) {
  return `var(--${name})`;
}

/** Return the current colours of an element, for canvas. @param {Element} element @returns {Palette} */
export function readPalette(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, style.getPropertyValue(`--${name}`).trim() || lightPalette(name));
    return /** @type {string} */ (known.get(name));
  };
}
