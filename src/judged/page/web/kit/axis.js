/** Axes with ticks, labels, grid and title. The title of a vertical axis is above it, that of a horizontal axis below the ticks. */
import { crisp, SMALL_SIZE } from "./scene.js";
import { fitText, textWidth } from "./text.js";
import { tickTexts } from "./scale.js";

/** @typedef {import("./scene.js").Mark} Mark */
/** @typedef {import("./scale.js").Scale} Scale */

const TICK_GAP = 10;
const MOST_TICKS = 8;

/** Return the height of an axis below a plot. @param {boolean} titled */
export function bottomRoom(titled) {
  return titled ? 42 : 24;
}

/** Return the width of the tick labels to the left of a plot. @param {string[]} texts */
export function leftRoom(texts) {
  return Math.ceil(Math.max(0, ...texts.map((text) => textWidth(text, SMALL_SIZE)))) + 10;
}

/**
 * Return the width by which the last tick label extends beyond the axis.
 *
 * @param {Scale} scale @param {(ticks: number[]) => string[]} [texts]
 */
export function endRoom(scale, texts = tickTexts) {
  return Math.ceil(Math.max(8, ...texts(roomyTicks(scale, texts)).map((text) => textWidth(text, SMALL_SIZE) / 2 + 1)));
}

/**
 * Return as many ticks as fit without overlapping, up to a limit.
 *
 * @param {Scale} scale @param {(ticks: number[]) => string[]} [texts] @param {boolean} [whole] integer ticks only
 * @returns {number[]}
 */
export function roomyTicks(scale, texts = tickTexts, whole = false) {
  const length = Math.abs(scale.range[1] - scale.range[0]);
  for (let count = Math.max(2, Math.min(MOST_TICKS, Math.floor(length / 60))); count >= 1; count--) {
    const ticks = whole ? wholeTicks(scale, count) : scale.ticks(count);
    if (!ticksTouch(scale, ticks, texts(ticks))) return ticks;
  }
  return scale.ticks(1).slice(0, 1);
}

/** Return integer ticks including the first of the axis: ranks begin at 1. @param {Scale} scale @param {number} count */
function wholeTicks(scale, count) {
  const [first, ticks] = [scale.domain[0], scale.ticks(count).filter(Number.isInteger)];
  if (!Number.isInteger(first) || ticks[0] === first) return ticks;
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : Infinity;
  return [first, ...ticks.filter((tick) => tick - first >= step / 2)];
}

/** @param {Scale} scale @param {number[]} ticks @param {string[]} texts */
function ticksTouch(scale, ticks, texts) {
  return ticks.some((tick, i) =>
    i > 0 &&
    Math.abs(scale.at(tick) - scale.at(ticks[i - 1])) <
      (textWidth(texts[i], SMALL_SIZE) + textWidth(texts[i - 1], SMALL_SIZE)) / 2 + TICK_GAP
  );
}

/**
 * Return the title, shortened only if necessary; it may contain isolates around names.
 *
 * @param {string} title @param {number} width
 */
function fittedTitle(title, width) {
  return textWidth(title, SMALL_SIZE) <= width ? title : fitText(title, width, SMALL_SIZE);
}

/**
 * An axis below a plot.
 *
 * @param {Scale} scale
 * @param {{y: number, wide: number, top?: number, title?: string, texts?: (ticks: number[]) => string[], ticks?: number[], whole?: boolean}} of
 *   wide: width of the scene; top: top of the grid lines, if any
 * @returns {Mark[]}
 */
export function bottomAxis(scale, { y, wide, top, title = "", texts = tickTexts, ticks, whole }) {
  const shown = ticks ?? roomyTicks(scale, texts, whole);
  const labels = texts(shown);
  /** @type {Mark[]} */
  const marks = [];
  shown.forEach((tick, i) => {
    const x = crisp(scale.at(tick));
    const half = textWidth(labels[i], SMALL_SIZE) / 2;
    const inside = Math.max(half, Math.min(x, wide - half));
    if (top !== undefined) marks.push({ kind: "line", x1: x, x2: x, y1: top, y2: y, stroke: "grid", width: 1 });
    marks.push({ kind: "line", x1: x, x2: x, y1: y, y2: y + 4, stroke: "faint", width: 1 });
    marks.push({
      kind: "text",
      x: inside,
      y: y + 17,
      text: labels[i],
      fill: "soft",
      size: SMALL_SIZE,
      anchor: "middle",
    });
  });
  const [x1, x2] = scale.range;
  marks.push({ kind: "line", x1, x2, y1: crisp(y), y2: crisp(y), stroke: "faint", width: 1 });
  const fit = fittedTitle(title, x2);
  if (title) marks.push({ kind: "text", x: x2, y: y + 35, text: fit, fill: "soft", size: SMALL_SIZE, anchor: "end" });
  return marks;
}

/**
 * An axis to the left of a plot, with the title above it.
 *
 * @param {Scale} scale
 * @param {{x: number, right?: number, title?: string, titleY?: number, texts?: (ticks: number[]) => string[], ticks?: number[]}} of
 *   right: end of the grid lines, if any
 * @returns {Mark[]}
 */
export function leftAxis(scale, { x, right, title = "", titleY, texts = tickTexts, ticks = uprightTicks(scale) }) {
  const labels = texts(ticks);
  /** @type {Mark[]} */
  const marks = [];
  ticks.forEach((tick, i) => {
    const y = crisp(scale.at(tick));
    if (right !== undefined) marks.push({ kind: "line", x1: x, x2: right, y1: y, y2: y, stroke: "grid", width: 1 });
    marks.push({ kind: "text", x: x - 7, y: y + 4, text: labels[i], fill: "soft", size: SMALL_SIZE, anchor: "end" });
  });
  const top = Math.min(...scale.range);
  const text = fittedTitle(title, right ?? x + 200);
  if (title) marks.push({ kind: "text", x: 0, y: titleY ?? top - 10, text, fill: "soft", size: SMALL_SIZE });
  return marks;
}

/** Return the ticks of a vertical axis. @param {Scale} scale */
export function uprightTicks(scale) {
  return scale.ticks(Math.max(2, Math.round(Math.abs(scale.range[1] - scale.range[0]) / 48)));
}
