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

import { wrapText } from "./text.js";

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
  return Math.hypot(
    Math.max(box.x - x, 0, x - box.x - box.width),
    Math.max(box.y - y, 0, y - box.y - box.height),
  );
}
