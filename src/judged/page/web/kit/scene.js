/**
 * A scene: a chart as plain data, drawn by svg.js. Colours are names ("ink", "run3") that a palette resolves.
 *
 * @typedef {{opacity?: number, stroke?: string, width?: number, dash?: number[], round?: boolean, fill?: string}} Paint
 * @typedef {Paint & {kind: "line", x1: number, y1: number, x2: number, y2: number}} LineMark
 * @typedef {Paint & {kind: "path", d: string}} PathMark `d` as in SVG
 * @typedef {Paint & {kind: "rect", x: number, y: number, w: number, h: number}} RectMark
 * @typedef {Paint & {kind: "circle", x: number, y: number, r: number}} CircleMark
 * @typedef {{size?: number, anchor?: "start" | "middle" | "end", bold?: boolean, halo?: string, fill?: string, opacity?: number}} Writing
 *   halo: colour of an outline, for text over lines
 * @typedef {Writing & {kind: "text", x: number, y: number, text: string}} TextMark y: baseline
 * @typedef {{kind: "group", x: number, y: number, marks: Mark[]}} GroupMark moved by x and y
 * @typedef {LineMark | PathMark | RectMark | CircleMark | TextMark | GroupMark} Mark
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{x: number, y: number, datum: number, r?: number, box?: Box}} Spot
 *   position of a datum for the pointer: a point with its radius, or a box
 * @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {string} label text for screen readers
 * @property {Mark[]} marks from the back to the front
 * @property {Spot[]} spots in keyboard order
 * @property {"near" | "x" | "y"} hover whether the pointer selects the nearest spot, or the nearest along one axis
 * @property {Box} plot the area of the data
 * @property {boolean} [cross] several spots share a datum, and all of them are highlighted
 * @property {(from: {x: number, y: number}, to: {x: number, y: number}) => string} [brush] the filter for an area that was dragged over
 * @property {(datum: number) => string[]} tip lines of the tooltip of a datum; the first is its name
 * @typedef {[number, number]} Point
 */
import { wrapText } from "./text.js";

export const TEXT_SIZE = 12;
export const SMALL_SIZE = 11;

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} stroke @param {Paint} [paint] @returns {LineMark} */
export function lineAt(x1, y1, x2, y2, stroke, paint) {
  return { kind: "line", x1, y1, x2, y2, stroke, width: 1, ...paint };
}

/** @param {number} x @param {number} y @param {number} w @param {number} h @param {Paint} paint @returns {RectMark} */
export function rectAt(x, y, w, h, paint) {
  return { kind: "rect", x, y, w, h, ...paint };
}

/** @param {number} x @param {number} y @param {number} r @param {Paint} paint @returns {CircleMark} */
export function circleAt(x, y, r, paint) {
  return { kind: "circle", x, y, r, ...paint };
}

/** @param {string} d @param {Paint} paint @returns {PathMark} */
export function pathOf(d, paint) {
  return { kind: "path", d, ...paint };
}

/** Small text in a soft colour, unless it is said otherwise. @param {number} x @param {number} y @param {string} text @param {Writing} [writing] @returns {TextMark} */
export function textAt(x, y, text, writing) {
  return { kind: "text", x, y, text, size: SMALL_SIZE, fill: "soft", ...writing };
}

/** Return a coordinate at which a hairline is sharp. @param {number} value */
export function crisp(value) {
  return Math.round(value - 0.5) + 0.5;
}

/** @param {number} width @param {number} height @param {string} label @param {Box} [plot] @returns {Scene} */
export function emptyScene(width, height, label, plot = { x: 0, y: 0, width, height }) {
  return { width, height, label, marks: [], spots: [], hover: "near", plot, tip: () => [] };
}

/** A scene with a message instead of data. @param {number} width @param {string} text @returns {Scene} */
export function wordScene(width, text) {
  const lines = wrapText(text, width, TEXT_SIZE);
  const marks = lines.map((line, i) => textAt(0, 18 + i * 18, line, { size: TEXT_SIZE }));
  return { ...emptyScene(width, 12 + lines.length * 18, text), marks };
}

/**
 * Return the spot under a pointer, or null. With hover x or y the pointer only has to be over the plot, so that every datum of a
 * crowded chart is reachable.
 *
 * @param {Scene} scene @param {number} x @param {number} y @param {number} [reach] maximum distance in pixels @returns {Spot | null}
 */
export function nearestSpot({ plot, hover, spots }, x, y, reach = 24) {
  const outside = Math.max(plot.x - x, x - plot.x - plot.width, plot.y - y, y - plot.y - plot.height);
  if (hover !== "near" && outside > reach) return null;
  const distance = (/** @type {Spot} */ spot) => {
    if (hover !== "near") return Math.abs(hover === "x" ? spot.x - x : spot.y - y);
    const { x: left, y: top, width, height } = spot.box ?? { ...spot, width: 0, height: 0 };
    return Math.hypot(Math.max(left - x, 0, x - left - width), Math.max(top - y, 0, y - top - height));
  };
  let best = null;
  let least = hover === "near" ? reach : Infinity;
  for (const spot of spots) {
    const far = distance(spot);
    if (far < least || (far === least && best === null)) [best, least] = [spot, far];
  }
  return best;
}

// ── shapes ──

/** Split points at missing coordinates. @param {Point[]} points @returns {Point[][]} */
function unbrokenParts(points) {
  /** @type {Point[][]} */
  const parts = [];
  let open = false;
  for (const point of points) {
    const known = Number.isFinite(point[0]) && Number.isFinite(point[1]);
    if (known && open) parts[parts.length - 1].push(point);
    else if (known) parts.push([point]);
    open = known;
  }
  return parts;
}

/** @param {Point[]} points @param {string} [first] */
function pathThrough(points, first = "M") {
  const short = (/** @type {number} */ value) => Math.round(value * 100) / 100;
  return points.map(([x, y], i) => `${i ? "L" : first}${short(x)} ${short(y)}`).join("");
}

/** Turn points into steps. @param {Point[]} points @returns {Point[]} */
function stairs(points) {
  return points.flatMap((point, i) => (i ? [/** @type {Point} */ ([points[i - 1][0], point[1]]), point] : [point]));
}

/** Return the path of a line through points. @param {Point[]} points @param {"line" | "step"} [rule] */
export function linePath(points, rule = "line") {
  return unbrokenParts(points).map((part) => pathThrough(rule === "step" ? stairs(part) : part)).join("");
}

/** Return the path around the area between two lines. @param {number[]} x @param {number[]} low @param {number[]} high @param {"line" | "step"} [rule] */
export function bandPath(x, low, high, rule = "line") {
  const both = x.map((at, i) => /** @type {Point} */ ([at, low[i] + high[i]]));
  let start = 0;
  return unbrokenParts(both).map((part) => {
    const first = both.indexOf(part[0], start);
    start = first + part.length;
    const side = (/** @type {number[]} */ y) => {
      const points = part.map(([at], i) => /** @type {Point} */ ([at, y[first + i]]));
      return rule === "step" ? stairs(points) : points;
    };
    return `${pathThrough(side(high))}${pathThrough(side(low).reverse(), "L")}Z`;
  }).join("");
}

/** An interval with a dot; only the dot if the interval is missing. @param {{low: number, high: number, at: number, y: number, colour: string, hollow?: boolean}} of in pixels @returns {Mark[]} */
export function intervalMarks({ low, high, at, y, colour, hollow = false }) {
  /** @type {Mark[]} */
  const marks = [];
  if (Number.isFinite(low) && Number.isFinite(high)) {
    marks.push(lineAt(low, y, high, y, colour, { width: 2 }));
    for (const end of [low, high]) marks.push(lineAt(end, y - 4, end, y + 4, colour, { width: 1.5 }));
  }
  const [fill, stroke] = hollow ? ["paper", colour] : [colour, "paper"];
  if (Number.isFinite(at)) marks.push(circleAt(at, y, 4.5, { fill, stroke, width: 1.5 }));
  return marks;
}

const LINE_DASHES = [[], [7, 3], [2, 2.5], [8, 3, 2, 3], [12, 4], [5, 2, 1.5, 2, 1.5, 2]];

/** Return the dash pattern of the i-th line, so that lines are distinguishable without colour. @param {number} i @returns {number[]} */
export function dashOf(i) {
  return LINE_DASHES[i % LINE_DASHES.length];
}
