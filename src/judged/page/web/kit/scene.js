import { wrapText } from "./text.js";

/**
 * A scene: a chart as plain data, drawn by svg.js or canvas.js. Colours are names ("ink", "run3") that a palette resolves.
 *
 * @typedef {{opacity?: number}} Seen
 * @typedef {{stroke?: string, width?: number, dash?: number[], round?: boolean}} Stroke
 * @typedef {{fill?: string}} Fill
 * @typedef {Seen & Stroke & {kind: "line", x1: number, y1: number, x2: number, y2: number}} LineMark
 * @typedef {Seen & Stroke & Fill & {kind: "path", d: string}} PathMark `d` as in SVG
 * @typedef {Seen & Stroke & Fill & {kind: "rect", x: number, y: number, w: number, h: number}} RectMark
 * @typedef {Seen & Stroke & Fill & {kind: "circle", x: number, y: number, r: number}} CircleMark
 * @typedef {Seen & Fill & {kind: "text", x: number, y: number, text: string, size?: number,
 *   anchor?: "start" | "middle" | "end", bold?: boolean, halo?: string}} TextMark
 *   y: baseline; halo: colour of an outline, for text over lines
 * @typedef {Seen & {kind: "group", x: number, y: number, marks: Mark[]}} GroupMark moved by x and y
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
 */

export const TEXT_SIZE = 12;
export const SMALL_SIZE = 11;

/** Return a coordinate at which a hairline is sharp. @param {number} value */
export function crisp(value) {
  return Math.round(value - 0.5) + 0.5;
}

/**
 * An empty scene.
 *
 * @param {number} width @param {number} height @param {string} label @param {Box} [plot]
 * @returns {Scene}
 */
export function emptyScene(width, height, label, plot = { x: 0, y: 0, width, height }) {
  return { width, height, label, marks: [], spots: [], hover: "near", plot, tip: () => [] };
}

/** A scene with a message instead of data. @param {number} width @param {string} text @returns {Scene} */
export function wordScene(width, text) {
  const lines = wrapText(text, width, TEXT_SIZE);
  const scene = emptyScene(width, 12 + lines.length * 18, text);
  scene.marks = lines.map((line, i) => ({
    kind: "text",
    x: 0,
    y: 18 + i * 18,
    text: line,
    fill: "soft",
    size: TEXT_SIZE,
  }));
  return scene;
}

/** Count the marks, including those in groups. @param {Mark[]} marks @returns {number} */
export function countMarks(marks) {
  return marks.reduce((sum, mark) => sum + (mark.kind === "group" ? countMarks(mark.marks) : 1), 0);
}

/**
 * Return the spot under a pointer, or null. With hover x or y the pointer only has to be over the plot, so that every datum of a
 * crowded chart is reachable.
 *
 * @param {Scene} scene @param {number} x @param {number} y @param {number} [reach] maximum distance in pixels
 * @returns {Spot | null}
 */
export function nearestSpot(scene, x, y, reach = 24) {
  const { plot, hover } = scene;
  const outside = Math.max(plot.x - x, x - plot.x - plot.width, plot.y - y, y - plot.y - plot.height);
  if (hover !== "near" && outside > reach) return null;
  let best = null;
  let least = hover === "near" ? reach : Infinity;
  for (const spot of scene.spots) {
    const distance = hover === "x"
      ? Math.abs(spot.x - x)
      : hover === "y"
      ? Math.abs(spot.y - y)
      : spotDistance(spot, x, y);
    if (distance < least || (distance === least && best === null)) [best, least] = [spot, distance];
  }
  return best;
}

/** @param {Spot} spot @param {number} x @param {number} y */
function spotDistance(spot, x, y) {
  if (!spot.box) return Math.hypot(spot.x - x, spot.y - y);
  const { box } = spot;
  return Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
}

// ── Shapes of charts, as marks or path data ──

/** @typedef {[number, number]} Point */

/** @param {number} value */
const pathNumber = (value) => String(Math.round(value * 100) / 100);

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
  return points.map(([x, y], i) => `${i ? "L" : first}${pathNumber(x)} ${pathNumber(y)}`).join("");
}

/** Turn points into steps. @param {Point[]} points @returns {Point[]} */
function stairs(points) {
  return points.flatMap((point, i) => (i ? [/** @type {Point} */ ([points[i - 1][0], point[1]]), point] : [point]));
}

/** Return the path of a line through points. @param {Point[]} points @param {"line" | "step"} [rule] */
export function linePath(points, rule = "line") {
  return unbrokenParts(points).map((part) => pathThrough(rule === "step" ? stairs(part) : part)).join("");
}

/**
 * Return the path around the area between two lines.
 *
 * @param {number[]} x @param {number[]} low @param {number[]} high @param {"line" | "step"} [rule]
 */
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

/**
 * An interval with a dot; only the dot if the interval is missing.
 *
 * @param {{low: number, high: number, at: number, y: number, colour: string, hollow?: boolean, r?: number}} of in pixels
 * @returns {Mark[]}
 */
export function intervalMarks({ low, high, at, y, colour, hollow = false, r = 4.5 }) {
  /** @type {Mark[]} */
  const marks = [];
  if (Number.isFinite(low) && Number.isFinite(high)) {
    marks.push({ kind: "line", x1: low, x2: high, y1: y, y2: y, stroke: colour, width: 2 });
    for (const end of [low, high]) {
      marks.push({ kind: "line", x1: end, x2: end, y1: y - 4, y2: y + 4, stroke: colour, width: 1.5 });
    }
  }
  if (Number.isFinite(at)) {
    marks.push({
      kind: "circle",
      x: at,
      y,
      r,
      fill: hollow ? "paper" : colour,
      stroke: hollow ? colour : "paper",
      width: 1.5,
    });
  }
  return marks;
}

const LINE_DASHES = [[], [7, 3], [2, 2.5], [8, 3, 2, 3], [12, 4], [5, 2, 1.5, 2, 1.5, 2]];
const LINE_MARKERS = ["circle", "square", "triangle", "diamond", "turned", "cross", "plus"];

/** Return the dash pattern of the i-th line, so that lines are distinguishable without colour. @param {number} i @returns {number[]} */
export function dashOf(i) {
  return LINE_DASHES[i % LINE_DASHES.length];
}

/**
 * The marker of the i-th line.
 *
 * @param {number} i @param {number} x @param {number} y @param {string} colour @param {number} [r] @returns {Mark}
 */
export function markerMark(i, x, y, colour, r = 3.6) {
  const shape = LINE_MARKERS[i % LINE_MARKERS.length];
  const outline = { stroke: "paper", width: 1, fill: colour };
  if (shape === "circle") return { kind: "circle", x, y, r, ...outline };
  if (shape === "square") {
    return { kind: "rect", x: x - r + 0.4, y: y - r + 0.4, w: 2 * r - 0.8, h: 2 * r - 0.8, ...outline };
  }
  const crossed = { stroke: colour, width: 1.8 };
  const [a, b] = [r * 1.25, r * 0.9];
  /** @type {Record<string, Point[]>} */
  const corners = {
    triangle: [[0, -a], [a, b], [-a, b]],
    diamond: [[0, -a], [a, 0], [0, a], [-a, 0]],
    turned: [[0, a], [a, -b], [-a, -b]],
  };
  if (shape in corners) {
    return { kind: "path", d: `${pathThrough(corners[shape].map(([dx, dy]) => [x + dx, y + dy]))}Z`, ...outline };
  }
  const [p, q] = shape === "cross" ? [[-b, -b, b, b], [-b, b, b, -b]] : [[-a, 0, a, 0], [0, -a, 0, a]];
  const stroke = ([x1, y1, x2, y2] = p) => pathThrough([[x + x1, y + y1], [x + x2, y + y2]]);
  return { kind: "path", d: stroke(p) + stroke(q), ...crossed };
}
