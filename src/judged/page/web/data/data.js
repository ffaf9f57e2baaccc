import { distinctNames } from "../kit/text.js";

/**
 * The data of the page, computed by Python and decoded here.
 *
 * @typedef {{name: string, intuition: string, description: string, formula: string, paper: string, lower: boolean, whole: boolean,
 *   unit: boolean, places: number, reach: number, kind: string}} Measure
 *   lower: lower is better; whole: values are counts; unit: values are in [0, 1]; places: decimals of a mean; reach: the last rank of
 *   interest, 0: of all; kind: mean, total or geometric mean
 * @typedef {(string | number)[]} Words texts, and runs by number
 * @typedef {{mean: number, low: number, high: number, sign: string, best: boolean, queries: number, irrelevant: number, top: number,
 *   against: string[]}} Summary
 *   of one run and measure: the mean, its interval (NaN if unavailable), significance marks, the means if all unjudged documents
 *   were irrelevant or had the highest grade, and the difference to the baseline or the best run with its interval and verdict
 * @typedef {{measure: number, a: number, b: number, part: string, queries: number, mean_a: number, mean_b: number,
 *   difference: number, low: number, high: number, wins: number, ties: number, losses: number, p: number, adjusted: number,
 *   d_z: number, superiority: number, cliff: number, verdict: string, note: string, needs: string, words: string,
 *   headlines: [Words, Words], sure: {short: string, long: string[]}, relative: [number | null, number | null]}} Pair
 *   b minus a; `part` is a slice of queries, "" for all of them; `verdict` is in the words of `Verdict` in Python; `needs` says how many queries
 *   would find a material difference; of all queries only: headlines of b and of a, how certain they are, and the difference as a share
 *   of the mean of a, or turned, of b
 * @typedef {{name: string, run: number, x: number[], y: number[], at: number[] | null, low: number[] | null,
 *   high: number[] | null, rule: "line" | "step", mark: string}} Line
 *   `at` is the rank or cutoff of each point; `mark` follows the name in a legend
 * @typedef {{kind: string, title: string, x: string, y: string, at: string, log: boolean, unit: boolean, lines: Line[],
 *   notes: string[], measures?: number[]}} Picture
 *   kind: pr, ipr or at-k; `x` and `y` are the axis labels; `measures` are the measures whose cutoff varies along x
 * @typedef {{means: number[], found: number[][]}} Tops
 *   relevant documents down to a rank: per query, of each run; and found[b][a], those found by b and missed by a
 * @typedef {{change: boolean, words: Words}} Unjudged whether unjudged documents could change who is first
 * @typedef {{ranks: number[], shares: number[][]}} Coverage
 *   shares[run][i]: among queries with a document at ranks[i], the share whose document is judged (NaN: no such query)
 * @typedef {{label: string, rows: number[]}} Slice a group of queries
 * @typedef {{code: string, count: number, text: string}} Warning
 * @typedef {{words: Words, more: Words[], pair: [number, number] | null}} Verdict a headline, the lines below it, and its pair a, b
 * @typedef {{headers: string[], ranks: number[], rows: string[][], closing: string, hidden: number, parts: number[] | null}} Arithmetic
 *   of one ranking and measure: a row of cells per judged document, their ranks, the closing line, the number of judged documents
 *   below the last row, and what each row adds to the value (null if the value is no sum)
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
 * @property {{all: string, slices: string}} intervals names of the intervals of differences
 * @property {string} key the meaning of the significance marks
 * @property {number} baseline a run, or -1
 * @property {Verdict[]} verdicts one per measure
 * @property {Summary[][]} summary [measure][run]
 * @property {Record<string, Tops>} tops by the reach of a measure; empty without rankings
 * @property {Pair[]} pairs
 * @property {Pair[]} parts
 * @property {Slice[]} slices
 * @property {Picture[]} pictures
 * @property {Coverage | null} coverage
 * @property {(Unjudged | null)[]} unjudged one per measure
 * @property {number[]} grades all grades in the judgments, ascending
 * @property {number[] | null} relevant the number of relevant documents per query
 * @property {number} relevance the lowest relevant grade
 * @property {string} empty what a query without a relevant document counts as
 * @property {Warning[]} warnings
 * @property {[string, string][]} details questions and answers below the headline of the first measure
 * @property {string} markdown the answer and the table of runs, to be pasted
 * @property {string[]} methods paragraphs
 * @property {string[]} citations
 * @property {{role: string, name: string, sha256: string, of: string}[]} inputs of: file, or content for data in memory
 * @property {string[][]} headers of the arithmetic of each measure, which `Book` adds to it
 * @property {number} depth the last rank on the page; 0 without rankings
 * @property {number} chunk the number of queries per block of details
 */

const RUN_COLOURS = 10;

/** Decode and decompress the text of an element. @param {Document} page @param {string} id @returns {Promise<ArrayBuffer>} */
async function unpack(page, id) {
  performance.mark(`unpack ${id}`);
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

/** @param {number} measure @param {number} a @param {number} b @param {{part: string, headlines?: unknown}} of all queries have headlines */
const pairKey = (measure, a, b, { part, headlines }) => `${measure} ${a} ${b} ${headlines ? "" : `=${part}`}`;

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
    /** @type {Map<string, {key: string, value: any}>} */
    this.computed = new Map();
    /** @type {Map<string, Pair>} */
    this.byPair = new Map(
      [...facts.pairs, ...facts.parts].map((pair) => [pairKey(pair.measure, pair.a, pair.b, pair), pair]),
    );
  }

  /** Return the colour of a run: its own, or of more runs than colours, one for each run in focus and grey for the rest. @param {number} run @param {{a: number, b: number, lit?: number}} focus */
  colour(run, { a, b, lit = -1 }) {
    if (this.facts.runs.length <= RUN_COLOURS) return `run${run}`;
    return run === b ? "run0" : run === a ? "run1" : run === lit ? "run2" : "context";
  }

  /** Return what a function computes, kept until it is asked for another key. @template T @param {string} name @param {string} key @param {() => T} compute @returns {T} */
  once(name, key, compute) {
    const last = this.computed.get(name);
    if (last?.key === key) return last.value;
    const value = compute();
    this.computed.set(name, { key, value });
    return value;
  }

  /** Return the difference b - a of all queries, or of a slice. @param {number} measure @param {number} a @param {number} b @param {string | null} slice */
  pair(measure, a, b, slice) {
    return this.byPair.get(pairKey(measure, a, b, { part: slice ?? "", headlines: slice === null }));
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
    const details = await /** @type {Promise<Detail[]>} */ (this.blocks.get(block));
    return this.withHeaders(details[query % this.facts.chunk]);
  }

  /** Add the headers of the arithmetic, which are not repeated for each query. @param {Detail} detail */
  withHeaders(detail) {
    for (const ranking of detail.rankings) {
      ranking?.why.forEach((why, measure) => why.headers ??= this.facts.headers[measure]);
    }
    return detail;
  }
}

/** Read the data of a page. @param {Document} page */
export async function openBook(page) {
  const text = new TextDecoder();
  const [facts, values] = await Promise.all([unpack(page, "facts"), unpack(page, "values")]);
  return new Book(JSON.parse(text.decode(facts)), new Float64Array(values), async (block) => {
    const { queries, texts } = JSON.parse(text.decode(await unpack(page, `details-${block}`)));
    const of = new Map(Object.entries(texts)); // ids may be names of properties of every object
    for (const detail of queries) {
      [detail.titles, detail.texts] = [0, 1].map((i) =>
        detail.docs.map((/** @type {string} */ doc) => of.get(doc)?.[i])
      );
    }
    return queries;
  });
}

/** Read a part of the data of a page that is JSON. @param {Document} page @param {string} id @returns {Promise<any>} */
export async function openPart(page, id) {
  return JSON.parse(new TextDecoder().decode(await unpack(page, id)));
}
