/** Format numbers with the digits of Python in the terminal, and with a minus sign. */
const PLACES = 4;

/** Format a number with a fixed number of decimals, rounding half to even as Python does (`toFixed` rounds 0.03125 up). Never -0.0000. @param {number} value @param {number} [places] */
export function numberText(value, places = PLACES) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  let text = value.toFixed(places);
  if (Number.isInteger(2 * value * 10 ** places)) { // the only candidates for a tie
    const exact = Math.abs(value).toFixed(100);
    const end = exact.indexOf(".") + 1 + places;
    const down = exact.slice(0, end).replace(/\.$/, "");
    if (/^50*$/.test(exact.slice(end)) && Number(down.at(-1)) % 2 === 0) text = (value < 0 ? "-" : "") + down;
  }
  return /^-[0.]*$/.test(text) ? text.slice(1) : text.replace("-", "−");
}

/** Format a value of a measure; counts have no decimals. @param {number} value @param {{whole: boolean}} measure */
export function valueText(value, measure) {
  return numberText(value, measure.whole ? 0 : PLACES);
}

/** Format a difference with its sign, unless it rounds to 0. @param {number} value @param {number} [places] */
export function signedText(value, places = PLACES) {
  const text = numberText(value, places);
  return value > 0 && /[1-9∞]/.test(text) ? `+${text}` : text;
}

/** Format a difference of two values of a measure. @param {number} value @param {{whole: boolean}} measure */
export function signedValue(value, measure) {
  return signedText(value, measure.whole ? 0 : PLACES);
}

/** Format a p-value, never as 0. @param {number} p */
export function pText(p) {
  if (Number.isNaN(p)) return "–";
  return p >= 0.99995 ? "1" : p >= 0.0001 ? numberText(p, 4) : "<0.0001";
}

/** Format an interval, or a dash. @param {number} low @param {number} high @param {(value: number) => string} [text] */
export function between(low, high, text = numberText) {
  return Number.isNaN(low) ? "–" : `[${text(low)}, ${text(high)}]`;
}

/** Format a share; shares below 1 are never shown as 100%. @param {number} value */
export function percent(value) {
  if (Number.isNaN(value)) return "–";
  const text = numberText(100 * value, 0);
  if (text === "100" && value < 1) return ">99%";
  return text === "0" && value > 0 ? "<1%" : `${text}%`;
}

/** Format a difference as a signed share: +48%. @param {number} value */
export function signedPercent(value) {
  const places = Math.abs(value) < 0.0995 ? 1 : 0;
  return `${signedText(100 * value, places)}%`;
}

/** Format an integer with thousands separators. @param {number} count */
export function integerText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ","); // toLocaleString takes 25 ms when it is first called
}

/** 1 query, 2 queries. @param {number} count @param {string} one @param {string} [several] */
export function plural(count, one, several = `${one}s`) {
  return `${integerText(count)} ${count === 1 ? one : several}`;
}

/** Shorten a text. @param {string} text @param {number} length */
export function shorten(text, length) {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}

/** Return a description as one line of plain text, for a tooltip. @param {string} text */
export function plainWords(text) {
  return text.replaceAll("`", "").replace(/\s+/g, " ").trim();
}

/** Return the label of a slice, or (empty). @param {string} label */
export function sliceName(label) {
  return label.trim() ? label : "(empty)";
}

/** @type {Record<string, string>} */
const OPPOSITE = {
  better: "worse",
  worse: "better",
  "wins more queries": "loses more queries",
  "loses more queries": "wins more queries",
};

/** Return the verdict on the other run of a pair. @param {string} verdict */
export function oppositeVerdict(verdict) {
  return OPPOSITE[verdict] ?? verdict;
}

/** Return the outcome of a gain. @param {number} gain */
export function gainTone(gain) {
  return gain > 0 ? "better" : gain < 0 ? "worse" : gain === 0 ? "same" : "missing";
}

/** Return the colour of a verdict that tells two runs apart, or "". @param {string} verdict @returns {"better" | "worse" | ""} */
export function verdictTone(verdict) {
  if (verdict === "better" || verdict === "wins more queries") return "better";
  return verdict === "worse" || verdict === "loses more queries" ? "worse" : "";
}
