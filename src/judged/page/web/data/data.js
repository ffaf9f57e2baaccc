/**
 * The data of the page, computed by Python and decoded here.
 *
 * @typedef {{name: string, description: string, formula: string, lower: boolean, whole: boolean, unit: boolean, places: number}} Measure
 *   lower: lower is better; whole: values are counts; unit: values are in [0, 1]; places: decimals of a mean
 * @typedef {{mean: number, low: number, high: number, sign: string, best: boolean, queries: number, irrelevant: number, top: number,
 *   against: string[]}} Summary
 *   of one run and measure: the mean, its interval (NaN if unavailable), significance marks, the means if all unjudged documents
 *   were irrelevant or had the highest grade, and the difference to the baseline or the first run with its interval and verdict
 * @typedef {{measure: number, a: number, b: number, part: string, queries: number, mean_a: number, mean_b: number,
 *   difference: number, low: number, high: number, wins: number, ties: number, losses: number, p: number, adjusted: number,
 *   d_z: number, superiority: number, cliff: number, verdict: string, note: string, needs: string, words: string}} Pair
 *   b minus a; `part` is a slice of queries, "" for all of them; `verdict` is in the words of `Verdict` in Python; `needs`
 *   says how many queries would find a material difference
 * @typedef {{name: string, run: number, x: number[], y: number[], at: number[] | null, low: number[] | null,
 *   high: number[] | null, rule: "line" | "step", mark: string}} Line
 *   `at` is the rank or cutoff of each point; `mark` follows the name in a legend
 * @typedef {{kind: string, title: string, x: string, y: string, at: string, log: boolean, unit: boolean, lines: Line[],
 *   notes: string[], measures?: number[]}} Picture
 *   kind: pr, ipr or at-k; `x` and `y` are the axis labels; `measures` are the measures whose cutoff varies along x
 * @typedef {{means: number[], bars: number[][], alpha: number, queries: number}} Critical
 *   a critical-difference diagram: the mean of each run, and the groups of runs that no verdict separates
 * @typedef {{ranks: number[], shares: number[][]}} Coverage
 *   shares[run][i]: among queries with a document at ranks[i], the share whose document is judged (NaN: no such query)
 * @typedef {{label: string, rows: number[]}} Slice a group of queries
 * @typedef {{code: string, count: number, text: string}} Warning
 * @typedef {{words: string, more: string[]}} Verdict a sentence and the lines below it
 * @typedef {{headers: string[], ranks: number[], rows: string[][], closing: string, hidden: number}} Arithmetic
 *   of one ranking and measure: a row of cells per judged document, their ranks, the closing line, and the number of judged documents
 *   below the last row
 * @typedef {{docs: number[], retrieved: number, below: [number, number][], why: Arithmetic[]}} Ranking
 *   docs: indices into `Detail.docs`, from rank 1 to the depth of the page; below: [index, rank] of judged documents below that;
 *   why: the arithmetic of each measure
 * @typedef {{docs: string[], grades: (number | null)[], titles: (string | null)[], texts: (string | null)[],
 *   rankings: (Ranking | null)[]}} Detail
 *   of one query: all shown or judged documents with their grades (null: unjudged) and texts; a ranking per run, null if the run
 *   does not contain the query
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
 * @property {{all: string, slices: string}} intervals names of the intervals of differences
 * @property {string} key the meaning of the significance marks
 * @property {number} baseline a run, or -1
 * @property {Verdict[]} verdicts one per measure
 * @property {Summary[][]} summary [measure][run]
 * @property {Pair[]} pairs
 * @property {Pair[]} parts
 * @property {Slice[]} slices
 * @property {Picture[]} pictures
 * @property {(Critical | null)[]} critical one per measure
 * @property {Coverage | null} coverage
 * @property {number[]} grades all grades in the judgments, ascending
 * @property {number[] | null} relevant the number of relevant documents per query
 * @property {number} relevance the lowest relevant grade
 * @property {Warning[]} warnings
 * @property {string[]} methods paragraphs
 * @property {string[]} citations
 * @property {{role: string, name: string, sha256: string, of: string}[]} inputs of: file, or content for data in memory
 * @property {number} depth the last rank on the page; 0 without rankings
 * @property {number} chunk the number of queries per block of details
 */

import { distinctNames } from "../kit/text.js";

/** Decode and decompress the text of an element. @param {Document} page @param {string} id @returns {Promise<ArrayBuffer>} */
async function unpack(page, id) {
  const packed = atob((page.getElementById(id)?.textContent ?? "").trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).arrayBuffer();
}

/** Replace null by NaN, which JSON cannot represent. @param {Record<string, any>[]} rows @param {string[]} names */
function withNumbers(rows, names) {
  for (const row of rows) for (const name of names) row[name] = row[name] === null ? NaN : row[name];
}

const PAIR_NUMBERS = ["mean_a", "mean_b", "difference", "low", "high", "p", "adjusted", "d_z", "superiority", "cliff"];
const SUMMARY_NUMBERS = ["mean", "low", "high", "irrelevant", "top"];

/** The data of the page. Details of queries are decoded in blocks on demand. */
export class Book {
  /** @param {Facts} facts @param {Float64Array} values @param {(block: number) => Promise<Detail[]>} fetchBlock */
  constructor(facts, values, fetchBlock) {
    withNumbers(facts.pairs, PAIR_NUMBERS);
    withNumbers(facts.parts, PAIR_NUMBERS);
    facts.summary.forEach((runs) => withNumbers(runs, SUMMARY_NUMBERS));
    this.facts = facts;
    /** Short names of runs for narrow places. */
    this.short = distinctNames(facts.runs);
    this.values = values;
    this.fetchBlock = fetchBlock;
    /** @type {Map<number, Promise<Detail[]>>} */
    this.blocks = new Map();
  }

  /** Return the values of a run on a measure, one per query. @param {number} measure @param {number} run */
  column(measure, run) {
    const size = this.facts.queries.length;
    const start = (measure * this.facts.runs.length + run) * size;
    return this.values.subarray(start, start + size);
  }

  /** @param {number} measure @param {number} run @param {number} query */
  value(measure, run, query) {
    return this.column(measure, run)[query];
  }

  /** Return rankings, grades and arithmetic of one query. @param {number} query @returns {Promise<Detail>} */
  async detail(query) {
    const block = Math.floor(query / this.facts.chunk);
    if (!this.blocks.has(block)) this.blocks.set(block, this.fetchBlock(block));
    return (await /** @type {Promise<Detail[]>} */ (this.blocks.get(block)))[query % this.facts.chunk];
  }
}

/** Read the data of a page. @param {Document} page */
export async function openBook(page) {
  const text = new TextDecoder();
  const [facts, values] = await Promise.all([unpack(page, "facts"), unpack(page, "values")]);
  return new Book(
    JSON.parse(text.decode(facts)),
    new Float64Array(values),
    async (block) => JSON.parse(text.decode(await unpack(page, `details-${block}`))),
  );
}

/** Read a part of the data of a page that is JSON. @param {Document} page @param {string} id @returns {Promise<any>} */
export async function openPart(page, id) {
  return JSON.parse(new TextDecoder().decode(await unpack(page, id)));
}
