/**
 * The order in which a reader goes from query to query: that of the chart a query was opened from, or else that of the table.
 *
 * @typedef {{order: () => number[], words: string}} Way queries one after the other, and what that order is called
 * @typedef {ReturnType<typeof createTrail>} Trail
 */

/** @param {() => Way} table the way where no other was taken */
export function createTrail(table) {
  /** @type {Way | null} */
  let taken = null;
  return {
    /** A query is opened from something that has an order of its own. @param {Way} way */
    follow(way) {
      taken = way;
    },
    /** The query was closed. */
    leave() {
      taken = null;
    },
    /** @returns {Way} */
    way: () => taken ?? table(),
  };
}
