/**
 * Sorting of table rows.
 *
 * @typedef {ArrayLike<number>} Rows
 */

/**
 * Return a key whose code-point order is the natural order of texts: q2 before q10. Numbers become their length and digits without
 * leading zeros; ties are broken by the text.
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

/** Compare by code units. @param {string} one @param {string} other */
function plainOrder(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Return the rank of each text in natural order; equal texts share a rank, empty ones get NaN. @param {string[]} texts */
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
 * Sort rows by a column. The sort is stable; missing values come last in both directions.
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
