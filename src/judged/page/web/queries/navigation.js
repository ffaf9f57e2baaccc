/**
 * The order of queries for the previous and next buttons: that of the chart from which a query was opened, or of the table.
 *
 * @typedef {{order: () => number[], words: string}} Way an order of queries and its name
 * @typedef {ReturnType<typeof createTrail>} Trail
 */

/** @param {() => Way} table the default order */
export function createTrail(table) {
  /** @type {Way | null} */
  let taken = null;
  return {
    /** Use another order until the query is closed. @param {Way} way */
    follow(way) {
      taken = way;
    },
    /** Return to the default order. */
    leave() {
      taken = null;
    },
    /** @returns {Way} */
    way: () => taken ?? table(),
  };
}
