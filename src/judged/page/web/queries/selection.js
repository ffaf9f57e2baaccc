/** The queries that the reader's filters leave; shared by the table and the charts. */
import { createFilter } from "../table/filter.js";
import { chosenRows, outcomes } from "./columns.js";

/**
 * @typedef {import("../data/data.js").Book} Book
 * @typedef {import("../data/state.js").State} State
 * @typedef {{rows: number[], counts: Map<string, number>, notes: string[], picked: Set<number> | null}} Selected
 *   picked: null if no filter is set
 * @typedef {ReturnType<typeof createSelection>} Selection
 */

/** Return a test for the rows of a slice. @param {Book} book @param {string | null} label @returns {(row: number) => boolean} */
export function sliceTest({ facts }, label) {
  const slice = facts.slices.find((one) => one.label === label);
  if (!slice) return () => true;
  const rows = new Set(slice.rows);
  return (row) => rows.has(row);
}

/** @param {Book} book */
export function createSelection(book) {
  const filter = createFilter(book);
  let key = "";
  /** @type {Selected | null} */
  let last = null;
  /** @type {import("./columns.js").Outcome[]} */
  let kinds = [];
  let compared = "";
  return {
    warm: filter.warm,
    /** @param {State} state @returns {Selected} */
    of(state) {
      const { q, only, slice, measure, a, b } = state;
      const now = JSON.stringify([q, only, slice, measure, a, b]);
      if (last && now === key) return last;
      key = now;
      if (compared !== `${measure} ${a} ${b}`) {
        compared = `${measure} ${a} ${b}`;
        kinds = outcomes(book, state);
      }
      const { test, notes } = filter.parse(q, state);
      const within = sliceTest(book, slice);
      const { rows, counts } = chosenRows(kinds.length, (row) => within(row) && test(row), kinds, only);
      const set = q.trim() !== "" || only !== "" || slice !== null;
      last = { rows, counts, notes, picked: set ? new Set(rows) : null };
      return last;
    },
  };
}
