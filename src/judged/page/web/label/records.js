/**
 * Judgments as records: which of two is kept, and files of them.
 *
 * @typedef {{grade: number | null, note: string, time: string}} Judgment
 *   grade: null if it was taken back, or if there is only a note; time: of the last change, ISO 8601
 * @typedef {{query: string, doc: string, grade: number, judge: string, time: string, note: string}} FileRecord
 * @typedef {{accepted: [number, Judgment][], others: number, unknown: number, offScale: number}} Import
 *   accepted: items and their judgments; others: records of other judges; unknown: of documents that are not on this page or not of
 *   this judge; offScale: with grades that the scale does not have
 * @typedef {import("./facts.js").Work} Work
 */

/** Return the time of a judgment in milliseconds; one without a time is older than every other. @param {Judgment} judgment */
function timeOf(judgment) {
  const time = Date.parse(judgment.time);
  return Number.isNaN(time) ? -Infinity : time;
}

/** Return the judgment that is kept: the later one. Of the same time, whatever the order in which they arrive. @param {Judgment | undefined} mine @param {Judgment} other @returns {Judgment} */
export function laterJudgment(mine, other) {
  if (!mine) return other;
  const [a, b] = [timeOf(mine), timeOf(other)];
  if (a !== b) return b > a ? other : mine;
  return JSON.stringify([other.grade, other.note]) > JSON.stringify([mine.grade, mine.note]) ? other : mine;
}

/** Read what the browser kept; null if it is no judgment. @param {string | null} text @returns {Judgment | null} */
export function parseJudgment(text) {
  try {
    const { grade, note, time } = JSON.parse(text ?? "");
    if ((grade !== null && typeof grade !== "number") || typeof time !== "string") return null;
    return { grade, note: typeof note === "string" ? note : "", time };
  } catch {
    return null;
  }
}

/**
 * Return the records of all judgments that have a grade, in the order of the page.
 *
 * @param {Work} work @param {string} judge @param {ReadonlyMap<number, Judgment>} judgments @returns {FileRecord[]}
 */
export function fileRecords({ queries, items }, judge, judgments) {
  return [...judgments].sort(([a], [b]) => a - b).flatMap(([item, { grade, note, time }]) =>
    grade === null ? [] : [{ query: queries[items[item].query].id, doc: items[item].doc, grade, judge, time, note }]
  );
}

/** One JSON record per line. Fields without information are left out, as Python does. @param {FileRecord[]} records */
export function jsonLines(records) {
  return records.map((record) => {
    const fields = Object.entries(record).filter(([, value]) => value !== "");
    return `${JSON.stringify(Object.fromEntries(fields))}\n`;
  }).join("");
}

/** Return whether TREC qrels, whose columns are separated by blanks, can hold these records. @param {FileRecord[]} records */
export function fitsQrels(records) {
  return records.every(({ query, doc }) =>
    [query, doc].every((id) => id !== "" && !/[\s\0]/.test(id)) && query[0] !== "#"
  );
}

/** @param {FileRecord[]} records @returns {Uint8Array<ArrayBuffer>} */
export function qrelsBytes(records) {
  return idBytes(records.map(({ query, doc, grade }) => `${query} 0 ${doc} ${grade}\n`).join(""));
}

/** Encode text as UTF-8; Python writes bytes of an id that are not UTF-8 as lone surrogates, and these become bytes again. @param {string} text */
function idBytes(text) {
  const parts = text.split(/([\udc80-\udcff])/u).map((part) =>
    /^[\udc80-\udcff]$/u.test(part) ? new Uint8Array([part.charCodeAt(0) - 0xdc00]) : new TextEncoder().encode(part)
  );
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Read the lines of a file of judgments: JSON Lines, or TREC qrels.
 *
 * @param {string} text @returns {FileRecord[]}
 * @throws {Error} with the number of the first line that is neither
 */
export function parseRecords(text) {
  /** @type {FileRecord[]} */
  const records = [];
  text.replace(/^\ufeff/, "").split(/\r?\n/).forEach((line, i) => {
    if (!line.trim()) return;
    const record = line.trimStart().startsWith("{") ? parseLine(line) : parseQrel(line);
    if (!record) throw new Error(`line ${i + 1} is no judgment`);
    records.push(record);
  });
  return records;
}

/** @param {string} line @returns {FileRecord | null} */
function parseLine(line) {
  try {
    const { query, doc, grade, judge = "", time = "", note = "" } = JSON.parse(line);
    const isId = (/** @type {unknown} */ id) => typeof id === "string" || typeof id === "number";
    if (!isId(query) || !isId(doc) || typeof grade !== "number") return null;
    return {
      query: String(query),
      doc: String(doc),
      grade,
      judge: String(judge),
      time: String(time),
      note: String(note),
    };
  } catch {
    return null;
  }
}

/** @param {string} line @returns {FileRecord | null} */
function parseQrel(line) {
  const cells = line.trim().split(/\s+/);
  if (cells.length !== 4 || !Number.isFinite(Number(cells[3]))) return null;
  return { query: cells[0], doc: cells[2], grade: Number(cells[3]), judge: "", time: "", note: "" };
}

/**
 * Choose the records of a file that belong to a judge on this page. Records without a judge are the judge's own.
 *
 * @param {Work} work @param {{name: string, order: number[]}} judge @param {FileRecord[]} records @returns {Import}
 */
export function chooseRecords({ queries, items, scale }, judge, records) {
  const places = new Map(
    judge.order.map((item) => [JSON.stringify([queries[items[item].query].id, items[item].doc]), item]),
  );
  const grades = new Set(scale.map(({ number }) => number));
  /** @type {Import} */
  const found = { accepted: [], others: 0, unknown: 0, offScale: 0 };
  for (const record of records) {
    const item = places.get(JSON.stringify([record.query, record.doc]));
    if (record.judge !== "" && record.judge !== judge.name) found.others++;
    else if (item === undefined) found.unknown++;
    else if (!grades.has(record.grade)) found.offScale++;
    else found.accepted.push([item, { grade: record.grade, note: record.note, time: record.time }]);
  }
  return found;
}
