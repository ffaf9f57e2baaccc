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

import { openPart } from "../data/data.js";

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

/**
 * Read the data of a page, and return it with a function that unpacks the text of an item.
 *
 * @param {Document} page @returns {Promise<{work: Work, textOf: (item: number) => Promise<DocumentText>}>}
 */
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
