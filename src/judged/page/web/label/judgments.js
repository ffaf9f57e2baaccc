/** @import { Work } from "./session.js" */

/**
 * Judgments as records: which of two is kept, and files of them.
 *
 * @typedef {{grade: number | null, note: string, time: string}} Judgment
 *   grade: null if it was taken back, or if there is only a note; time: of the last change, ISO 8601
 * @typedef {{query: string, doc: string, grade: number, judge: string, time: string, note: string}} FileRecord
 * @typedef {{accepted: [number, Judgment][], others: number, unknown: number, offScale: number}} Import
 *   accepted: items and their judgments; others: records of other judges; unknown: of documents that are not on this page or not of
 *   this judge; offScale: with grades that the scale does not have
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

/** Return the records of all judgments that have a grade, in the order of the page. @param {Work} work @param {string} judge @param {ReadonlyMap<number, Judgment>} judgments @returns {FileRecord[]} */
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

/** Read the lines of a file of judgments: JSON Lines, or TREC qrels. @param {string} text @returns {FileRecord[]} @throws {Error} with the number of the first line that is neither */
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

/** Choose the records of a file that belong to a judge on this page. Records without a judge are the judge's own. @param {Work} work @param {{name: string, order: number[]}} judge @param {FileRecord[]} records @returns {Import} */
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

/**
 * The judgments of one judge. Each is written to the browser's storage at once, under a key of its own, so that two tabs cannot overwrite each
 * other's judgments. What cannot be written stays in memory, and is counted.
 *
 * @typedef {Pick<Storage, "getItem" | "setItem">} Keeper
 */

export class JudgmentStore {
  /** @param {{prefix: string, order: number[], grades: number[], keeper: Keeper | null, now?: () => number}} options order: items of the judge; keeper: the browser's storage, null if there is none */
  constructor({ prefix, order, grades, keeper, now = Date.now }) {
    this.prefix = prefix;
    this.order = order;
    this.grades = new Set(grades);
    this.keeper = keeper;
    this.now = now;
    /** @type {Map<number, Judgment>} */
    this.judgments = new Map();
    /** Items whose last change is in memory only. @type {Set<number>} */
    this.unsaved = new Set();
    /** Called when judgments changed. */
    this.changed = () => {};
    this.reread();
  }

  /** @param {number} item */
  grade(item) {
    return this.judgments.get(item)?.grade ?? null;
  }

  /** @param {number} item */
  note(item) {
    return this.judgments.get(item)?.note ?? "";
  }

  /** Number of documents with a grade. */
  get count() {
    return this.order.reduce((sum, item) => sum + Number(this.grade(item) !== null), 0);
  }

  /** Change a judgment. It is later than the one it replaces even if the clock was set back. @param {number} item @param {{grade?: number | null, note?: string}} change */
  put(item, change) {
    this.take(item, this.kept(item)); // another tab may have added a grade or a note just now
    const last = this.judgments.get(item);
    const before = last ? Date.parse(last.time) : NaN;
    const time = new Date(Number.isNaN(before) ? this.now() : Math.max(this.now(), before + 1)).toISOString();
    this.judgments.set(item, { grade: this.grade(item), note: this.note(item), ...change, time });
    this.write([item, ...this.unsaved]);
    this.changed();
  }

  /** Merge judgments from elsewhere: the later one of each document is kept. @param {[number, Judgment][]} judgments @returns {number} how many changed */
  merge(judgments) {
    const changed = judgments.filter(([item, judgment]) => {
      const mine = this.judgments.get(item);
      const same = mine && mine.grade === judgment.grade && mine.note === judgment.note;
      if (same || laterJudgment(mine, judgment) === mine) return false;
      this.judgments.set(item, judgment);
      return true;
    }).map(([item]) => item);
    this.write([...changed, ...this.unsaved]);
    if (changed.length) this.changed();
    return new Set(changed).size;
  }

  /** Read everything that the browser kept: at the start, and when the page comes back to the foreground. */
  reread() {
    const changed = this.order.filter((item) => this.take(item, this.kept(item)));
    if (changed.length) this.changed();
  }

  /** Another tab wrote to the storage. @param {string | null} key null if everything was removed */
  heard(key) {
    if (key === null) {
      this.write([...this.judgments.keys()]);
      return;
    }
    if (!key.startsWith(this.prefix)) return;
    const item = Number(key.slice(this.prefix.length));
    if (this.take(item, this.kept(item))) this.changed();
  }

  /** Take a judgment from the storage if it is later than mine; otherwise write mine there. @param {number} item @param {Judgment | null} theirs */
  take(item, theirs) {
    const mine = this.judgments.get(item);
    const known = theirs && (theirs.grade === null || this.grades.has(theirs.grade));
    if (known && laterJudgment(mine, theirs) === theirs) {
      this.judgments.set(item, theirs);
      this.unsaved.delete(item);
      return !mine || mine.grade !== theirs.grade || mine.note !== theirs.note;
    }
    if (mine && JSON.stringify(theirs) !== JSON.stringify(mine)) this.write([item]);
    return false;
  }

  /** @param {number} item */
  kept(item) {
    try {
      return parseJudgment(this.keeper?.getItem(`${this.prefix}${item}`) ?? null);
    } catch {
      return null;
    }
  }

  /** Write judgments to the storage; those that do not fit are remembered. @param {number[]} items */
  write(items) {
    for (const item of new Set(items)) {
      try {
        if (!this.keeper) throw new Error("the browser has no storage");
        this.keeper.setItem(`${this.prefix}${item}`, JSON.stringify(this.judgments.get(item)));
        this.unsaved.delete(item);
      } catch {
        this.unsaved.add(item);
      }
    }
  }

  /** Try again to write what is in memory only. @returns {boolean} true if everything is saved */
  retry() {
    this.write([...this.unsaved]);
    return !this.unsaved.size;
  }
}

// ── Save to a file while judging, in browsers with the File System Access API ──

/** @typedef {{name: string, getFile: () => Promise<{text: () => Promise<string>}>, createWritable: () => Promise<{write: (text: string) => Promise<void>, close: () => Promise<void>}>}} FileHandle */

export class JudgmentFile {
  /** @param {() => string} content of the file @param {() => void} changed called when the state changes */
  constructor(content, changed) {
    this.content = content;
    this.changed = changed;
    /** @type {FileHandle | null} */
    this.handle = null;
    /** @type {"off" | "saved" | "saving" | "failed"} */
    this.state = "off";
    this.again = false;
  }

  /** Let the judge choose a file, and return what is in it already. @param {string} name @returns {Promise<string | null>} null if none was chosen */
  async choose(name) {
    const pick = /** @type {any} */ (window).showSaveFilePicker;
    try {
      /** @type {FileHandle} */
      const handle = await pick({
        suggestedName: name,
        types: [{ description: "Judgments", accept: { "application/x-ndjson": [".jsonl"] } }],
      });
      const text = await (await handle.getFile()).text();
      this.handle = handle;
      return text;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return null;
      throw error;
    }
  }

  /** Write all judgments. While a write is under way, the next one waits for it. */
  async save() {
    if (!this.handle) return;
    this.again = true;
    if (this.state === "saving") return;
    this.state = "saving";
    this.changed();
    try {
      while (this.again) {
        this.again = false;
        const file = await this.handle.createWritable();
        await file.write(this.content());
        await file.close(); // only now the old content is replaced
      }
      this.state = "saved";
    } catch {
      this.state = "failed";
    }
    this.changed();
  }
}
