/** Numbers as text, exactly as Python writes them in the tables of the terminal. */

const PLACES = 4;

/**
 * A number with so many decimals. A tie goes to the even digit, as in Python; `toFixed` alone would send 0.03125 up. No -0.0000.
 *
 * @param {number} value
 * @param {number} [places]
 */
export function numberText(value, places = PLACES) {
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
  return numberText(value, measure.whole ? 0 : PLACES);
}

/** A difference, with its sign; one that is shown as 0 has none. @param {number} value @param {number} [places] */
export function signedText(value, places = PLACES) {
  const text = numberText(value, places);
  return value > 0 && /[1-9∞]/.test(text) ? `+${text}` : text;
}

/** A difference of two values of a measure. @param {number} value @param {{whole: boolean}} measure */
export function signedValue(value, measure) {
  return signedText(value, measure.whole ? 0 : PLACES);
}

/** A p-value: never 0. @param {number} p */
export function pText(p) {
  return Number.isNaN(p) ? "–" : p >= 0.0001 ? numberText(p, 4) : "<0.0001";
}

/** An interval, or a dash. @param {number} low @param {number} high @param {(value: number) => string} [text] */
export function between(low, high, text = numberText) {
  return Number.isNaN(low) ? "–" : `[${text(low)}, ${text(high)}]`;
}

/** A share of a whole; what is not all of it is never called so. @param {number} value */
export function percent(value) {
  if (Number.isNaN(value)) return "–";
  const text = numberText(100 * value, 0);
  if (text === "100" && value < 1) return ">99%";
  return text === "0" && value > 0 ? "<1%" : `${text}%`;
}

/** How sure an interval is, with all its decimals: 95%, 97.5%, 99.99%. @param {number} level */
export function levelText(level) {
  return `${Number((100 * level).toPrecision(10))}%`;
}

/** How many, with commas between thousands. @param {number} count */
export function integerText(count) {
  return count.toLocaleString("en");
}

/** 1 query, 2 queries. @param {number} count @param {string} one @param {string} [several] */
export function plural(count, one, several = `${one}s`) {
  return `${integerText(count)} ${count === 1 ? one : several}`;
}

/** A text that is cut where it is too long; the whole stays elsewhere, in a title. @param {string} text @param {number} length */
export function shorten(text, length) {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}

/** A description on one line, without the marks of code: for a tooltip, which shows plain text only. @param {string} text */
export function plainWords(text) {
  return text.replaceAll("`", "").replace(/\s+/g, " ").trim();
}

/** The label of a slice; one without letters would not be seen. @param {string} label */
export function sliceName(label) {
  return label.trim() ? label : "(empty)";
}
