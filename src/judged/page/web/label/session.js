/**
 * The state of the page: judge, document, view; and what the judge can do.
 *
 * @typedef {import("./facts.js").Work} Work
 * @typedef {import("./facts.js").DocumentText} DocumentText
 * @typedef {"one" | "list"} View
 */
import { JudgmentFile } from "./file.js";
import { nextUnjudged } from "./progress.js";
import { chooseRecords, fileRecords, jsonLines, parseRecords } from "./records.js";
import { JudgmentStore } from "./store.js";

export class Session {
  /**
   * @param {Work} work @param {(item: number) => Promise<DocumentText>} textOf @param {{name: string, order: number[]}} judge
   * @param {import("./store.js").Keeper | null} keeper @param {() => number} [now]
   */
  constructor(work, textOf, judge, keeper, now) {
    this.work = work;
    this.textOf = textOf;
    this.judge = judge;
    this.order = judge.order;
    this.store = new JudgmentStore({
      prefix: `judged-label/${work.key}/${encodeURIComponent(judge.name)}/`,
      order: judge.order,
      grades: work.scale.map(({ number }) => number),
      keeper,
      now,
    });
    this.file = new JudgmentFile(() => jsonLines(this.records()), () => this.tell());
    this.keeper = keeper;
    /** The file that judgments were written to before the page was loaded again; a browser does not let a page from disk open it again by itself. */
    this.lastFile = this.rememberedFile();
    /** Place in the order; the number of documents at the end. */
    this.at = Math.max(0, nextUnjudged(this.order, -1, (item) => this.isJudged(item)));
    if (this.store.count === this.order.length) this.at = this.order.length;
    /** @type {View} */
    this.view = "one";
    /** Judgments of this tab: what each replaced. @type {{item: number, grade: number | null}[]} */
    this.history = [];
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    this.store.subscribe(() => {
      this.file.save();
      this.tell();
    });
  }

  /** @param {string} [name] of the file to remember @returns {string} the remembered one */
  rememberedFile(name) {
    const key = `judged-label-file/${this.work.key}/${encodeURIComponent(this.judge.name)}`;
    try {
      if (name) this.keeper?.setItem(key, name);
      return this.keeper?.getItem(key) ?? "";
    } catch {
      return ""; // the storage is full or turned off
    }
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  tell() {
    this.listeners.forEach((listener) => listener());
  }

  /** The current item; null at the end. */
  get item() {
    return this.at < this.order.length ? this.order[this.at] : null;
  }

  /** @param {number} item */
  isJudged(item) {
    return this.store.grade(item) !== null;
  }

  /** Items of the current query, in the order of the judge. @returns {number[]} */
  neighbours() {
    const { item, order, work: { items } } = this;
    return item === null ? [] : order.filter((other) => items[other].query === items[item].query);
  }

  /** Give a grade, and go to the next document without one. @param {number} grade */
  give(grade) {
    const { item } = this;
    if (item === null) return;
    this.history.push({ item, grade: this.store.grade(item) });
    const next = nextUnjudged(this.order, this.at, (other) => other === item || this.isJudged(other));
    this.at = next < 0 ? this.order.length : next;
    this.store.put(item, { grade });
  }

  /** Take back the grade of the current document. */
  clear() {
    const { item } = this;
    if (item === null || !this.isJudged(item)) return;
    this.history.push({ item, grade: this.store.grade(item) });
    this.store.put(item, { grade: null });
  }

  /** Take back the last change of a grade in this tab, and go to its document. @returns {boolean} false if there is none */
  undo() {
    const last = this.history.pop();
    if (!last) return false;
    this.at = this.order.indexOf(last.item);
    this.store.put(last.item, { grade: last.grade });
    return true;
  }

  /** @param {number} place */
  go(place) {
    this.at = Math.min(Math.max(place, 0), this.order.length);
    this.tell();
  }

  /** Go to the first document of the next or previous query. @param {1 | -1} way */
  goQuery(way) {
    const { order, work: { items } } = this;
    const queryAt = (/** @type {number} */ place) => items[order[place]]?.query;
    let place = this.at;
    if (way > 0) { while (place < order.length && queryAt(place) === queryAt(this.at)) place++; }
    else if (place > 0) {
      place--;
      while (place > 0 && queryAt(place - 1) === queryAt(place)) place--;
    }
    this.go(place);
  }

  goUnjudged() {
    const place = nextUnjudged(this.order, -1, (item) => this.isJudged(item));
    this.go(place < 0 ? this.order.length : place);
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    this.tell();
  }

  records() {
    return fileRecords(this.work, this.judge.name, this.store.judgments);
  }

  /** Merge the judgments of a file. @param {string} text @returns {{found: import("./records.js").Import, total: number, changed: number}} */
  load(text) {
    const records = parseRecords(text);
    const found = chooseRecords(this.work, this.judge, records);
    return { found, total: records.length, changed: this.store.merge(found.accepted) };
  }

  /** Number of judgments that are neither in the browser's storage nor in a file. */
  get endangered() {
    return this.file.state === "saved" ? 0 : this.store.unsaved.size;
  }
}
