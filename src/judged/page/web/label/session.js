import { openPart } from "../data/data.js";
import { integerText, plural } from "../data/format.js";
import { chooseRecords, fileRecords, jsonLines, JudgmentFile, JudgmentStore, parseRecords } from "./judgments.js";
/** @import { Import, Keeper } from "./judgments.js" */

/** The state of the page: judge, document, view; and what the judge can do. @typedef {"one" | "list"} View */

export class Session {
  /** @param {Work} work @param {(item: number) => Promise<DocumentText>} textOf @param {{name: string, order: number[]}} judge @param {Keeper | null} keeper @param {() => number} [now] */
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
    /** Called when anything changed. @type {() => void} */
    this.tell = () => {};
    this.store.changed = () => {
      this.file.save();
      this.tell();
    };
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

  /** Merge the judgments of a file. @param {string} text @returns {{found: Import, total: number, changed: number}} */
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

/**
 * The data of the judging page. It has no runs, ranks or reasons: judges must not know them.
 *
 * @typedef {{number: number, name: string, description: string, key: string}} Grade `key`: the key that gives it
 * @typedef {{title: string, text: string, cut: boolean}} DocumentText cut: the text is longer than the page keeps
 * @typedef {{query: number, doc: string}} Item a document to judge, and its query by number
 * @typedef {object} Work
 * @property {string} title
 * @property {string} version
 * @property {string} key of the documents and the grades
 * @property {Grade[]} scale
 * @property {{id: string, text: string}[]} queries
 * @property {Item[]} items those of a query are neighbours
 * @property {{name: string, order: number[]}[]} judges with the items that each judges; one without a name if anyone judges everything
 */

/** Return the key of each grade: its digit if every grade is one digit, otherwise its place. @param {number[]} numbers */
export function gradeKeys(numbers) {
  const digits = numbers.every((number) => number >= 0 && number <= 9);
  return numbers.map((number, place) => String(digits ? number : (place + 1) % 10));
}

/** Name the fields of the data, which Python writes as lists. @param {any} facts @returns {Work} */
export function readFacts(facts) {
  const keys = gradeKeys(facts.scale.map((/** @type {[number]} */ [number]) => number));
  return {
    ...facts,
    scale: facts.scale.map((
      /** @type {[number, string, string]} */ [number, name, description],
      /** @type {number} */ i,
    ) => (
      { number, name, description, key: keys[i] }
    )),
    queries: facts.queries.map((/** @type {[string, string]} */ [id, text]) => ({ id, text })),
    items: facts.items.map((/** @type {[number, string]} */ [query, doc]) => ({ query, doc })),
    judges: facts.judges.map((/** @type {[string, number[]]} */ [name, order]) => ({ name, order })),
  };
}

/** Read the data of a page, and return it with a function that unpacks the text of an item. @param {Document} page @returns {Promise<{work: Work, textOf: (item: number) => Promise<DocumentText>}>} */
export async function openWork(page) {
  const facts = await openPart(page, "facts");
  /** @type {Map<number, Promise<[string, string, boolean][]>>} */
  const blocks = new Map();
  const textOf = async (/** @type {number} */ item) => {
    const block = Math.floor(item / facts.block);
    if (!blocks.has(block)) blocks.set(block, openPart(page, `texts-${block}`));
    const rows = await /** @type {Promise<[string, string, boolean][]>} */ (blocks.get(block));
    const [title, text, cut] = rows[item % facts.block];
    return { title, text, cut };
  };
  return { work: readFacts(facts), textOf };
}

// ── Progress through the documents ──

/** Return the next place without a judgment: after a place, then from the start; -1 if there is none. @param {number[]} order @param {number} at @param {(item: number) => boolean} isJudged */
export function nextUnjudged(order, at, isJudged) {
  for (let step = 1; step <= order.length; step++) {
    const place = (at + step) % order.length;
    if (!isJudged(order[place])) return place;
  }
  return -1;
}

/** Count the documents of each grade. @param {number[]} numbers @param {(number | null)[]} grades */
export function gradeCounts(numbers, grades) {
  return numbers.map((number) => grades.filter((grade) => grade === number).length);
}

/** Say what an import did. @param {{others: number, unknown: number, offScale: number}} found @param {number} total records of the file @param {number} changed */
export function importText({ others, unknown, offScale }, total, changed) {
  const left = [
    others ? `${plural(others, "judgment")} of other judges` : "",
    unknown ? `${integerText(unknown)} of documents that are not yours on this page` : "",
    offScale ? `${integerText(offScale)} with a grade that is not on the scale` : "",
  ].filter(Boolean);
  const first = `${plural(total, "judgment")} read, ${changed ? plural(changed, "document") : "nothing"} changed.`;
  return left.length ? `${first} Left out: ${left.join(", ")}.` : first;
}
