/**
 * The order of rows in a table.
 *
 * @typedef {ArrayLike<number>} Rows
 */

/**
 * A text whose order, letter by letter, is the natural one of the text given: q2 stands before q10. A number is written as its length and
 * its digits, without zeros in front; what is alike by then is told apart by the text itself.
 *
 * @param {string} text
 */
function naturalKey(text) {
  const key = text.replace(/\d+/g, (run) => {
    const digits = run.replace(/^0+/, "");
    return `0${String.fromCharCode(digits.length)}${digits}`;
  });
  return `${key}\0${text}`;
}

/** Letter by letter. @param {string} one @param {string} other */
function plainOrder(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The place of each text in the natural order; equal texts share one, and NaN is for those that are empty. @param {string[]} texts */
export function naturalRanks(texts) {
  const keys = texts.map(naturalKey);
  const ranks = new Float64Array(texts.length).fill(NaN);
  const order = texts.map((_, i) => i).filter((i) => texts[i] !== "").sort((i, j) => plainOrder(keys[i], keys[j]));
  order.forEach((i, place) => {
    const before = order[place - 1];
    ranks[i] = place && texts[before] === texts[i] ? ranks[before] : place;
  });
  return ranks;
}

/**
 * Rows in the order of a column. Rows that are equal keep their order; what is missing comes last, whichever way the order goes.
 *
 * @param {Rows} rows
 * @param {(row: number) => number | string} sortValue
 * @param {boolean} down
 */
export function sortRows(rows, sortValue, down) {
  const values = Array.from(rows, sortValue);
  const texts = values.some((value) => typeof value === "string");
  const numbers = texts ? naturalRanks(values.map(String)) : Float64Array.from(values, Number);
  const sign = down ? -1 : 1;
  /** @type {number[]} */
  const known = [];
  /** @type {number[]} */
  const missing = [];
  numbers.forEach((value, i) => (Number.isNaN(value) ? missing : known).push(i));
  known.sort((i, j) => sign * (numbers[i] - numbers[j]) || i - j);
  return Int32Array.from([...known, ...missing], (i) => rows[i]);
}
