/**
 * Scales from data to pixels, and ticks.
 *
 * @typedef {object} Scale
 * @property {[number, number]} domain
 * @property {[number, number]} range
 * @property {(value: number) => number} at
 * @property {(count: number) => number[]} ticks about so many
 */

/**
 * Return the minimum and maximum, ignoring NaN.
 *
 * @param {Iterable<number>} values @returns {[number, number]}
 */
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

/**
 * Return round limits around numbers, with padding if all are equal.
 *
 * @param {number} low @param {number} high @param {number} [count] @returns {[number, number]}
 */
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
  const places = Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(step))));
  return Number(value.toFixed(places));
}

/** Return the value at a pixel of a linear scale. @param {Scale} scale @param {number} pixel */
export function valueAt({ domain, range }, pixel) {
  return domain[0] + ((pixel - range[0]) / (range[1] - range[0])) * (domain[1] - domain[0]);
}

/** @param {[number, number]} domain @param {[number, number]} range @returns {Scale} */
export function linearScale(domain, range) {
  const span = domain[1] - domain[0] || 1;
  return {
    domain,
    range,
    at: (value) => range[0] + ((value - domain[0]) / span) * (range[1] - range[0]),
    ticks(count) {
      const step = niceStep(Math.abs(span), count);
      const ticks = [];
      for (let i = Math.ceil(domain[0] / step - 1e-9); i * step <= domain[1] + step * 1e-9; i++) {
        ticks.push(roundTo(i * step, step));
      }
      return ticks;
    },
  };
}

/** A logarithmic scale for positive numbers. @param {[number, number]} domain @param {[number, number]} range @returns {Scale} */
export function logScale(domain, range) {
  const [low, high] = [Math.log(domain[0]), Math.log(domain[1] > domain[0] ? domain[1] : domain[0] * 10)];
  return {
    domain,
    range,
    at: (value) => range[0] + ((Math.log(value) - low) / (high - low)) * (range[1] - range[0]),
    ticks(count) {
      const [first, last] = [Math.floor(Math.log10(domain[0])), Math.ceil(Math.log10(domain[1]))];
      const powers = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
      const inside = (/** @type {number} */ value) =>
        value >= domain[0] * (1 - 1e-9) && value <= domain[1] * (1 + 1e-9);
      const all = powers.flatMap((power) => [1, 2, 5].map((part) => roundTo(part * power, power))).filter(inside);
      const tens = powers.filter(inside);
      return all.length <= count || tens.length < 2 ? all : tens;
    },
  };
}

/**
 * Rows or columns of equal size: `at(i)` is the centre of one.
 *
 * @param {number} count @param {[number, number]} range
 */
export function bandScale(count, range) {
  const step = (range[1] - range[0]) / Math.max(1, count);
  return {
    step,
    at: (/** @type {number} */ i) => range[0] + (i + 0.5) * step,
    start: (/** @type {number} */ i) => range[0] + i * step,
  };
}

/** Format ticks, all with the same number of decimals. @param {number[]} ticks @returns {string[]} */
export function tickTexts(ticks) {
  const places = Math.max(0, ...ticks.map(neededPlaces));
  const most = Math.max(0, ...ticks.map(Math.abs));
  if (most >= 1e7 || places > 6) return ticks.map((tick) => (tick === 0 ? "0" : exponentText(tick)));
  return ticks.map((tick) => {
    const text = Math.abs(tick).toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
    return tick < 0 ? `−${text}` : text;
  });
}

/** Return the number of decimals of a number. @param {number} value */
function neededPlaces(value) {
  for (let places = 0; places <= 6; places++) {
    const scaled = Math.abs(value) * 10 ** places;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-7 * Math.max(1, scaled) && (value === 0 || Math.round(scaled) > 0)) {
      return places;
    }
  }
  return 7;
}

/** @param {number} value */
function exponentText(value) {
  return String(Number(value.toPrecision(6)).toExponential()).replace("e+", "e").replaceAll("-", "−");
}
