/**
 * Scales from data to pixels, their ticks, and axes.
 *
 * @typedef {object} Scale
 * @property {[number, number]} domain
 * @property {[number, number]} range
 * @property {(value: number) => number} at
 * @property {(count: number) => number[]} ticks about so many
 * @typedef {(ticks: number[]) => string[]} TickTexts
 */
import { crisp, lineAt, SMALL_SIZE, textAt } from "./scene.js";
import { fitText, textWidth } from "./text.js";
/** @import { Mark } from "./scene.js" */

/** Return the minimum and maximum, ignoring NaN. @param {Iterable<number>} values @returns {[number, number]} */
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [NaN, NaN];
}

/** Return a step of 1, 2 or 5 times a power of ten that divides a span into about `count` parts. @param {number} span @param {number} count */
export function niceStep(span, count) {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

/** Return round limits around numbers, with padding if all are equal. @param {number} low @param {number} high @param {number} [count] @returns {[number, number]} */
export function niceDomain(low, high, count = 5) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high), 1e-300)) {
    const room = low === 0 ? 1 : Math.abs(low) * 0.1;
    return niceDomain(low - room, high + room, count);
  }
  const step = niceStep(high - low, count);
  return [roundTo(Math.floor(low / step + 1e-9) * step, step), roundTo(Math.ceil(high / step - 1e-9) * step, step)];
}

/** Round away floating-point noise: 0.30000000000000004. @param {number} value @param {number} step */
function roundTo(value, step) {
  return Number(value.toFixed(Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(step))))));
}

/** Return the value at a pixel of a linear scale. @param {Scale} scale @param {number} pixel */
export function valueAt({ domain, range }, pixel) {
  return domain[0] + ((pixel - range[0]) / (range[1] - range[0])) * (domain[1] - domain[0]);
}

/** @param {[number, number]} domain @param {[number, number]} range @returns {Scale} */
export function linearScale(domain, range) {
  const span = domain[1] - domain[0] || 1;
  const at = (/** @type {number} */ value) => range[0] + ((value - domain[0]) / span) * (range[1] - range[0]);
  const ticks = (/** @type {number} */ count) => {
    const step = niceStep(Math.abs(span), count);
    const first = Math.ceil(domain[0] / step - 1e-9);
    const last = Math.floor(domain[1] / step + 1e-9);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => roundTo((first + i) * step, step));
  };
  return { domain, range, at, ticks };
}

/** A logarithmic scale for positive numbers. @param {[number, number]} domain @param {[number, number]} range @returns {Scale} */
export function logScale(domain, range) {
  const [low, high] = [Math.log(domain[0]), Math.log(domain[1] > domain[0] ? domain[1] : domain[0] * 10)];
  const at = (/** @type {number} */ value) =>
    range[0] + ((Math.log(value) - low) / (high - low)) * (range[1] - range[0]);
  const ticks = (/** @type {number} */ count) => {
    const [first, last] = [Math.floor(Math.log10(domain[0])), Math.ceil(Math.log10(domain[1]))];
    const powers = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
    const inside = (/** @type {number} */ value) => value >= domain[0] * (1 - 1e-9) && value <= domain[1] * (1 + 1e-9);
    const all = powers.flatMap((power) => [1, 2, 5].map((part) => roundTo(part * power, power))).filter(inside);
    const tens = powers.filter(inside);
    return all.length <= count || tens.length < 2 ? all : tens;
  };
  return { domain, range, at, ticks };
}

/** Format ticks, all with the same number of decimals. @param {number[]} ticks @returns {string[]} */
export function tickTexts(ticks) {
  const places = Math.max(0, ...ticks.map(neededPlaces));
  if (Math.max(0, ...ticks.map(Math.abs)) >= 1e7 || places > 6) {
    const short = (/** @type {number} */ tick) =>
      String(Number(tick.toPrecision(6)).toExponential()).replace("e+", "e");
    return ticks.map((tick) => (tick === 0 ? "0" : short(tick).replaceAll("-", "−")));
  }
  return ticks.map((tick) => {
    const text = Math.abs(tick).toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
    return tick < 0 ? `−${text}` : text;
  });
}

/** Return the number of decimals of a number; 7 if it has more. @param {number} value */
function neededPlaces(value) {
  for (let places = 0; places <= 6; places++) {
    const scaled = Math.abs(value) * 10 ** places;
    const whole = Math.abs(scaled - Math.round(scaled)) < 1e-7 * Math.max(1, scaled);
    if (whole && (value === 0 || Math.round(scaled) > 0)) return places;
  }
  return 7;
}

// ── axes: the title of a vertical axis is above it, that of a horizontal axis below the ticks ──

const TICK_GAP = 10;
const MOST_TICKS = 8;
export const AXIS_ROOM = 42; // the height of an axis below a plot, with its title

/** Return the width of the tick labels to the left of a plot. @param {string[]} texts */
export function leftRoom(texts) {
  return Math.ceil(Math.max(0, ...texts.map((text) => textWidth(text, SMALL_SIZE)))) + 10;
}

/** Return the width by which the last tick label extends beyond the axis. @param {Scale} scale */
export function endRoom(scale) {
  return Math.ceil(Math.max(8, ...tickTexts(roomyTicks(scale)).map((text) => textWidth(text, SMALL_SIZE) / 2 + 1)));
}

/** Return as many ticks as fit without overlapping, up to a limit. @param {Scale} scale @param {boolean} [whole] integer ticks only @returns {number[]} */
export function roomyTicks(scale, whole = false) {
  const length = Math.abs(scale.range[1] - scale.range[0]);
  const touch = (/** @type {number[]} */ ticks) => {
    const half = tickTexts(ticks).map((text) => textWidth(text, SMALL_SIZE) / 2);
    return ticks.some((tick, i) =>
      i > 0 && Math.abs(scale.at(tick) - scale.at(ticks[i - 1])) < half[i] + half[i - 1] + TICK_GAP
    );
  };
  for (let count = Math.max(2, Math.min(MOST_TICKS, Math.floor(length / 60))); count >= 1; count--) {
    const ticks = whole ? wholeTicks(scale, count) : scale.ticks(count);
    if (!touch(ticks)) return ticks;
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

/** Return the title, shortened only if necessary; it may contain isolates around names. @param {string} title @param {number} width */
function fittedTitle(title, width) {
  return textWidth(title, SMALL_SIZE) <= width ? title : fitText(title, width, SMALL_SIZE);
}

/** An axis below a plot. @param {Scale} scale @param {{y: number, wide: number, top: number, title: string, whole?: boolean}} of wide: width of the scene; top: top of the grid lines @returns {Mark[]} */
export function bottomAxis(scale, { y, wide, top, title, whole }) {
  const ticks = roomyTicks(scale, whole);
  const labels = tickTexts(ticks);
  const [x1, x2] = scale.range;
  const marks = ticks.flatMap((tick, i) => {
    const x = crisp(scale.at(tick));
    const half = textWidth(labels[i], SMALL_SIZE) / 2;
    const inside = Math.max(half, Math.min(x, wide - half));
    return [
      lineAt(x, top, x, y, "grid"),
      lineAt(x, y, x, y + 4, "faint"),
      textAt(inside, y + 17, labels[i], { anchor: "middle" }),
    ];
  });
  return [
    ...marks,
    lineAt(x1, crisp(y), x2, crisp(y), "faint"),
    textAt(x2, y + 35, fittedTitle(title, x2), { anchor: "end" }),
  ];
}

/**
 * An axis to the left of a plot, with the title above it.
 *
 * @param {Scale} scale @param {{x: number, right: number, title: string, titleY: number, texts?: TickTexts, ticks?: number[]}} of
 *   right: end of the grid lines
 * @returns {Mark[]}
 */
export function leftAxis(scale, { x, right, title, titleY, texts = tickTexts, ticks = uprightTicks(scale) }) {
  const labels = texts(ticks);
  const marks = ticks.flatMap((tick, i) => {
    const y = crisp(scale.at(tick));
    return [lineAt(x, y, right, y, "grid"), textAt(x - 7, y + 4, labels[i], { anchor: "end" })];
  });
  return [...marks, textAt(0, titleY, fittedTitle(title, right))];
}

/** Return the ticks of a vertical axis. @param {Scale} scale */
export function uprightTicks(scale) {
  return scale.ticks(Math.max(2, Math.round(Math.abs(scale.range[1] - scale.range[0]) / 48)));
}
