/** Numbers as text, exactly as Python writes them in the tables of the terminal. */

const PLACES = 4;

/**
 * A number with so many decimals. A tie goes to the even digit, as in Python; `toFixed` alone would send 0.03125 up. No -0.0000.
 *
 * @param {number} value
 * @param {number} [places]
 */
export function fixed(value, places = PLACES) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  let text = value.toFixed(places);
  if (Number.isInteger(2 * value * 10 ** places)) { // only then it can be a tie; its digits decide
    const exact = Math.abs(value).toFixed(100);
    const end = exact.indexOf(".") + 1 + places;
    const down = exact.slice(0, end).replace(/\.$/, "");
    if (/^50*$/.test(exact.slice(end)) && Number(down.at(-1)) % 2 === 0) text = (value < 0 ? "-" : "") + down;
  }
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

/** A value of a measure: counts have no decimals. @param {number} value @param {{whole: boolean}} measure */
export function valueText(value, measure) {
  return fixed(value, measure.whole ? 0 : PLACES);
}

/** A difference, with its sign. @param {number} value @param {number} [places] */
export function signed(value, places = PLACES) {
  const text = fixed(value, places);
  return value >= 0 && text !== "–" ? `+${text}` : text;
}

/** A p-value: never 0. @param {number} p */
export function pText(p) {
  return Number.isNaN(p) ? "–" : p >= 0.0001 ? fixed(p, 4) : "<0.0001";
}

/** An interval, or a dash. @param {number} low @param {number} high @param {(value: number) => string} [text] */
export function between(low, high, text = fixed) {
  return Number.isNaN(low) ? "–" : `[${text(low)}, ${text(high)}]`;
}

/** A share of a whole. @param {number} value */
export function percent(value) {
  return Number.isNaN(value) ? "–" : `${fixed(100 * value, 0)}%`;
}

/** 1 query, 2 queries. @param {number} count @param {string} one @param {string} [several] */
export function counted(count, one, several = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
}

/** A text that is cut where it is too long; the whole stays elsewhere, in a title. @param {string} text @param {number} length */
export function shortened(text, length) {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}
