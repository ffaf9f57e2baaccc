/** Charts with one row per run or slice: name on the left (above on narrow pages), text on the right. */
import { bottomAxis, bottomRoom } from "../kit/axis.js";
import { crisp, emptyScene, SMALL_SIZE, TEXT_SIZE } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";

/** @typedef {import("../kit/scene.js").Scene} Scene */
/** @typedef {import("../kit/scene.js").Mark} Mark */
/**
 * @typedef {{name: string, note?: string, value?: string, bold?: boolean}} Row
 *   note: small text after the name; value: text on the right
 */
/**
 * @typedef {object} Rows
 * @property {Scene} scene with names and values
 * @property {number} left the left edge of the plot
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 * @property {(i: number) => number} y the vertical centre of a row
 * @property {number} high the height of a row without its name
 * @property {number[][]} bands vertical ranges for vertical lines, which skip the names
 */

const NAME_GAP = 14;
const STACKED_BELOW = 520;
const NAME_ABOVE = 20;
const STACKED_EDGE = 18; // half the text of a tick

/** @param {Row} row */
function rowWidth({ name, note = "", bold }) {
  return textWidth(name.slice(0, 80), TEXT_SIZE, bold) + (note ? 8 + textWidth(note, SMALL_SIZE) : 0);
}

/**
 * @param {Row[]} rows @param {number} width @param {string} label
 * @param {{top?: number, high?: number, titled?: boolean}} [of] high: of a row, without its name
 * @returns {Rows}
 */
export function rowsScene(rows, width, label, { top = 6, high = 28, titled = true } = {}) {
  const names = Math.max(0, ...rows.map(rowWidth));
  const values = Math.ceil(Math.max(0, ...rows.map(({ value = "" }) => textWidth(value, SMALL_SIZE, true))));
  const stacked = width < STACKED_BELOW && names + values > 0.3 * width;
  const left = stacked ? STACKED_EDGE : Math.ceil(Math.min(names, 0.34 * width)) + NAME_GAP;
  const right = width - (stacked ? STACKED_EDGE : values ? values + 16 : STACKED_EDGE);
  const step = high + (stacked ? NAME_ABOVE : 0);
  const bottom = top + rows.length * step;
  const plot = { x: left, y: top, width: right - left, height: bottom - top };
  const scene = emptyScene(width, bottom + bottomRoom(titled), label, plot);
  const y = (/** @type {number} */ i) => top + i * step + (stacked ? NAME_ABOVE : 0) + high / 2;
  rows.forEach((row, i) => {
    const line = (stacked ? top + i * step + NAME_ABOVE - 5 : y(i)) + 4;
    const room = stacked ? width - values - NAME_GAP : left - NAME_GAP;
    scene.marks.push(...nameMarks(row, line, room));
    const { value, bold } = row;
    if (value) {
      scene.marks.push({ kind: "text", x: width, y: line, text: value, size: SMALL_SIZE, anchor: "end", bold });
    }
  });
  const bands = stacked ? rows.map((_, i) => [y(i) - high / 2, y(i) + high / 2]) : [[top, bottom]];
  return { scene, left, right, top, bottom, y, high, bands };
}

/** @param {Row} row @param {number} y @param {number} room @returns {Mark[]} */
function nameMarks({ name, note, bold }, y, room) {
  const noted = note ? textWidth(note, SMALL_SIZE) + 8 : 0;
  const text = fitText(name, Math.max(24, room - noted), TEXT_SIZE, bold);
  /** @type {Mark[]} */
  const marks = [{ kind: "text", x: 0, y, text, size: TEXT_SIZE, bold, halo: "paper" }];
  const x = textWidth(text, TEXT_SIZE, bold) + 8;
  if (note) marks.push({ kind: "text", x, y, text: note, fill: "soft", size: SMALL_SIZE, halo: "paper" });
  return marks;
}

/**
 * The axis below the rows.
 *
 * @param {Rows} rows @param {import("../kit/scale.js").Scale} scale @param {string} title
 * @param {boolean} [whole] @returns {Mark[]}
 */
export function rowsAxis({ scene, top, bottom }, scale, title, whole) {
  return bottomAxis(scale, { y: bottom, wide: scene.width, top, title, whole });
}

/**
 * A vertical line through all rows.
 *
 * @param {Rows} rows @param {number} x @param {string} stroke @param {number[]} [dash] @returns {Mark[]}
 */
export function rowsLine({ bands }, x, stroke, dash = []) {
  return bands.map(([y1, y2]) => ({ kind: "line", x1: crisp(x), x2: crisp(x), y1, y2, stroke, width: 1, dash }));
}
