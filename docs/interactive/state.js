/** The ranking that the reader changes: what can be done to it, and undo. Pure functions, and one class that remembers. */
/** @import { Judged } from "./measures.js" */

/**
 * @typedef {{id: string, grade: number}} Doc
 * @typedef {{docs: Doc[], missed: number, k: number, gain: "linear" | "exp"}} State missed: relevant documents that were not retrieved
 * @typedef {{kind: "move", id: string, from: number, to: number}
 *   | {kind: "grade", id: string, from: number, to: number}
 *   | {kind: "cutoff", from: number, to: number}
 *   | {kind: "missed", from: number, to: number}
 *   | {kind: "gain" | "order" | "start" | "undo", words: string}} Change ranks count from 1
 */

/** @param {string} ids @param {string} grades @returns {Doc[]} */
function docsOf(ids, grades) {
  return ids.split(" ").map((id, i) => ({ id, grade: Number(grades[i]) }));
}

/** Rankings to begin with. @type {{name: string, words: string, state: State}[]} */
export const STARTS = [{
  name: "notes",
  words: "Eight documents, four relevant",
  state: { docs: docsOf("6 3 5 0 4 2 1 7", "10110100"), missed: 0, k: 4, gain: "linear" },
}, {
  name: "graded",
  words: "Eight documents, grades 0 to 3",
  state: { docs: docsOf("6 3 5 0 4 2 1 7", "10320100"), missed: 0, k: 4, gain: "linear" },
}, {
  name: "missed",
  words: "Ten retrieved, 3 of 15 relevant",
  state: { docs: docsOf("D1 D2 D3 D4 D5 D6 D7 D8 D9 D10", "0101010000"), missed: 12, k: 10, gain: "linear" },
}];

/** What the measures need of a state. @param {State} state @returns {Judged} */
export function judgedOf({ docs, missed, k, gain }) {
  return { grades: docs.map(({ grade }) => grade), missed, k, gain };
}

/** Move the document at one place to another. @template T @param {T[]} list @param {number} from @param {number} to @returns {T[]} */
export function moved(list, from, to) {
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), list[from], ...rest.slice(to)];
}

/** Sort by grade, the best or the worst first; documents of one grade keep their order. @param {Doc[]} docs @param {boolean} best */
export function sorted(docs, best) {
  return [...docs].sort((a, b) => best ? b.grade - a.grade : a.grade - b.grade);
}

/** The state, the one before it, and how it became what it is. */
export class Story {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.before = state;
    /** @type {Change | null} */
    this.change = null;
    /** @type {State[]} */
    this.past = [];
  }

  /** Take a step. Steps that change nothing are not remembered. @param {Partial<State>} patch @param {Change} change */
  step(patch, change) {
    const next = { ...this.state, ...patch };
    if (JSON.stringify(next) === JSON.stringify(this.state)) return false;
    this.past.push(this.state);
    [this.before, this.state, this.change] = [this.state, next, change];
    return true;
  }

  /** Take the last step back. */
  undo() {
    const last = this.past.pop();
    if (!last) return false;
    [this.before, this.state, this.change] = [this.state, last, { kind: "undo", words: "The last step was undone." }];
    return true;
  }
}
