/**
 * What the page says, as Python wrote it: decoded once, never computed again.
 *
 * @typedef {{name: string, description: string, formula: string, lower: boolean, whole: boolean, unit: boolean, places: number}} Measure
 *   lower: less is better; whole: its values are counts; unit: its values lie between 0 and 1;
 *   places: the decimals of a mean
 * @typedef {{mean: number, low: number, high: number, sign: string, best: boolean, queries: number, irrelevant: number, top: number}} Summary
 *   of one run by one measure: the mean with its interval (NaN where there is none), letters or ▲▼ of significance, and the mean had all
 *   unjudged documents been irrelevant, or of the top grade
 * @typedef {{measure: number, a: number, b: number, part: string, queries: number, mean_a: number, mean_b: number,
 *   difference: number, low: number, high: number, wins: number, ties: number, losses: number, p: number, adjusted: number,
 *   d_z: number, superiority: number, cliff: number, verdict: string, note: string, words: string}} Pair
 *   b minus a; `part` is a slice of queries, "" for all of them; `verdict` is better, worse, equal, cannot tell or too few
 * @typedef {{name: string, run: number, x: number[], y: number[], at: number[] | null, low: number[] | null,
 *   high: number[] | null, rule: "line" | "step", mark: string}} Line
 *   `at` is the rank or cutoff of each point; `mark` stands behind the name in a legend
 * @typedef {{kind: string, title: string, x: string, y: string, at: string, log: boolean, unit: boolean, lines: Line[],
 *   notes: string[], measures?: number[]}} Picture
 *   kind: pr, ipr or at-k; `x` and `y` are the labels of the axes; `measures` are those that it shows at other cutoffs
 * @typedef {{ranks: number[], critical: number, bars: number[][], alpha: number, queries: number, p: number}} Critical
 *   a critical-difference diagram: the mean rank of each run, and the groups of runs within the critical difference
 * @typedef {{ranks: number[], shares: number[][]}} Coverage
 *   shares[run][i]: the share of queries whose document at ranks[i] is judged, of those that have one there (NaN: none has)
 * @typedef {{label: string, rows: number[]}} Slice a group of queries
 * @typedef {{code: string, count: number, text: string}} Warning
 * @typedef {{words: string, more: string[]}} Verdict one sentence, and those that go with it
 * @typedef {{headers: string[], ranks: number[], rows: string[][], closing: string, hidden: number}} Arithmetic
 *   of one ranking by one measure: a row of cells for each judged document that the measure saw, the rank of each, the
 *   closing line, and how many judged documents lie below the last row
 * @typedef {{docs: number[], retrieved: number, below: [number, number][], why: Arithmetic[]}} Ranking
 *   docs: places in `Detail.docs`, from rank 1 down to the depth of the page; below: [place, rank] of judged documents further down;
 *   why: the arithmetic of each measure
 * @typedef {{docs: string[], grades: (number | null)[], titles: (string | null)[], texts: (string | null)[],
 *   rankings: (Ranking | null)[]}} Detail
 *   of one query: every document that is shown or judged, once, with its grade (null: unjudged) and its text, where that was given; a
 *   ranking for each run, null where the run does not answer the query
 *
 * @typedef {object} Facts
 * @property {string} title
 * @property {string} version
 * @property {string[]} runs
 * @property {Measure[]} measures
 * @property {string[]} queries
 * @property {(string | null)[] | null} texts of the queries
 * @property {number} level of the intervals, such as 0.95
 * @property {number} alpha
 * @property {string} key what the signs in the summary mean
 * @property {number} baseline a run, or -1
 * @property {Verdict[]} verdicts one a measure
 * @property {Summary[][]} summary [measure][run]
 * @property {Pair[]} pairs
 * @property {Pair[]} parts
 * @property {Slice[]} slices
 * @property {Picture[]} pictures
 * @property {(Critical | null)[]} critical one a measure
 * @property {Coverage | null} coverage
 * @property {number[]} grades all that occur, the lowest first
 * @property {number[] | null} relevant how many relevant documents each query has
 * @property {number} relevance the lowest grade that counts as relevant there
 * @property {Warning[]} warnings
 * @property {string[]} methods paragraphs
 * @property {string[]} citations
 * @property {{role: string, name: string, sha256: string, of: string}[]} inputs of: a file, or the content of what lay in memory
 * @property {number} depth the last rank that is shown; 0 where rankings are not at hand
 * @property {number} chunk how many queries a block of details holds
 */

import { distinctNames } from "../kit/text.js";

/** The base64 text of an element, decompressed. @param {Document} page @param {string} id @returns {Promise<ArrayBuffer>} */
async function unpack(page, id) {
  const packed = atob((page.getElementById(id)?.textContent ?? "").trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).arrayBuffer();
}

/** JSON has no NaN: a number that is missing came as null. @param {Record<string, any>[]} rows @param {string[]} names */
function withNumbers(rows, names) {
  for (const row of rows) for (const name of names) row[name] = row[name] === null ? NaN : row[name];
}

const PAIR_NUMBERS = ["mean_a", "mean_b", "difference", "low", "high", "p", "adjusted", "d_z", "superiority", "cliff"];
const SUMMARY_NUMBERS = ["mean", "low", "high", "irrelevant", "top"];

/** Everything the page knows. Details of queries are unpacked block by block, when one is asked for. */
export class Book {
  /** @param {Facts} facts @param {Float64Array} values @param {(block: number) => Promise<Detail[]>} fetchBlock */
  constructor(facts, values, fetchBlock) {
    withNumbers(facts.pairs, PAIR_NUMBERS);
    withNumbers(facts.parts, PAIR_NUMBERS);
    facts.summary.forEach((runs) => withNumbers(runs, SUMMARY_NUMBERS));
    this.facts = facts;
    /** Names of runs for places that are narrow. */
    this.short = distinctNames(facts.runs);
    this.values = values;
    this.fetchBlock = fetchBlock;
    /** @type {Map<number, Promise<Detail[]>>} */
    this.blocks = new Map();
  }

  /** The values of a run by a measure, one a query. @param {number} measure @param {number} run */
  column(measure, run) {
    const size = this.facts.queries.length;
    const start = (measure * this.facts.runs.length + run) * size;
    return this.values.subarray(start, start + size);
  }

  /** @param {number} measure @param {number} run @param {number} query */
  value(measure, run, query) {
    return this.column(measure, run)[query];
  }

  /** The pair that was compared, as it was (b minus a), or undefined. @param {number} measure @param {number} a @param {number} b */
  pair(measure, a, b) {
    return this.facts.pairs.find((pair) => pair.measure === measure && pair.a === a && pair.b === b);
  }

  /** Rankings, grades and arithmetic of one query. @param {number} query @returns {Promise<Detail>} */
  async detail(query) {
    const block = Math.floor(query / this.facts.chunk);
    if (!this.blocks.has(block)) this.blocks.set(block, this.fetchBlock(block));
    return (await /** @type {Promise<Detail[]>} */ (this.blocks.get(block)))[query % this.facts.chunk];
  }
}

/** The book in a page. @param {Document} page */
export async function openBook(page) {
  const text = new TextDecoder();
  const [facts, values] = await Promise.all([unpack(page, "facts"), unpack(page, "values")]);
  return new Book(
    JSON.parse(text.decode(facts)),
    new Float64Array(values),
    async (block) => JSON.parse(text.decode(await unpack(page, `details-${block}`))),
  );
}
