/**
 * The judgments of one judge. Each is written to the browser's storage at once, under a key of its own, so that two tabs cannot overwrite each
 * other's judgments. What cannot be written stays in memory, and is counted.
 *
 * @typedef {import("./records.js").Judgment} Judgment
 * @typedef {Pick<Storage, "getItem" | "setItem">} Keeper
 */
import { laterJudgment, parseJudgment } from "./records.js";

export class JudgmentStore {
  /**
   * @param {{prefix: string, order: number[], grades: number[], keeper: Keeper | null, now?: () => number}} options
   *   order: items of the judge; keeper: the browser's storage, null if there is none
   */
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
    /** @type {Set<(items: number[]) => void>} */
    this.listeners = new Set();
    this.reread();
  }

  /** @param {(items: number[]) => void} listener called with the items that changed */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  /** @param {number[]} items */
  tell(items) {
    if (items.length) this.listeners.forEach((listener) => listener(items));
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
    this.tell([item]);
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
    this.tell([...new Set(changed)]);
    return new Set(changed).size;
  }

  /** Read everything that the browser kept: at the start, and when the page comes back to the foreground. */
  reread() {
    const changed = this.order.filter((item) => this.take(item, this.kept(item)));
    this.tell(changed);
  }

  /** Another tab wrote to the storage. @param {string | null} key null if everything was removed */
  heard(key) {
    if (key === null) {
      this.write([...this.judgments.keys()]);
      return;
    }
    if (!key.startsWith(this.prefix)) return;
    const item = Number(key.slice(this.prefix.length));
    if (this.take(item, this.kept(item))) this.tell([item]);
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
