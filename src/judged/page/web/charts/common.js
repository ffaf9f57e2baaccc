/** Shared by the charts: the selected data, and names and numbers as text. */
import { numberText, oppositeVerdict, plural, shorten, sliceName, verdictTone } from "../data/format.js";
import { SMALL_SIZE } from "../kit/scene.js";
import { isolate, nameText, plainText, textWidth } from "../kit/text.js";
/** @import { Book, Measure, Pair } from "../data/data.js" */
/** @import { Mark } from "../kit/scene.js" */

/**
 * @typedef {{measure: number, a: number, b: number, slice?: string | null, picked?: Set<number> | null, lit?: number}} View
 *   the selection: a measure, two runs, the label of a slice, or null for all queries, the queries that the filter leaves (null: all),
 *   and a run that is highlighted for a moment
 */
/**
 * @typedef {{queries: number[], values: number[], gains: number[], better: number, same: number, worse: number, missing: number}} Differences
 *   b minus a for queries with both values, from the largest gain to the largest loss, with counts
 */

/** Return the opacity of a mark that a filter leaves out. @param {boolean} out */
export function dimmed(out) {
  return out ? 0.22 : undefined;
}

/** A name in the title of an axis of this width, which contains two names. @param {string} name @param {number} width */
export function axisName(name, width) {
  return nameText(name, Math.max(10, Math.min(40, Math.floor(width / 28))));
}

/** Format a mean as the tables in the terminal do. @param {number} value @param {Measure} measure */
export function meanText(value, measure) {
  return numberText(value, measure.places);
}

/** Name an interval with all decimals of its level: 95%, 97.5%, 99.99%. @param {number} level */
export function intervalName(level) {
  return `${Number((100 * level).toPrecision(10))}% interval`;
}

/** Return the name of the interval of a difference. @param {Book} book @param {Pair} pair */
export function intervalOf(book, { part }) {
  return part === "" ? book.facts.intervals.all : book.facts.intervals.slices;
}

/** Return the colour of a verdict; soft if it tells nothing apart. @param {string} verdict */
export function verdictColour(verdict) {
  return verdict === "equal" ? "accent" : verdictTone(verdict) || "soft";
}

/** Return whether a test was carried out. @param {Pair} pair */
export function isTested({ verdict, adjusted }) {
  return verdict !== "too few queries" && verdict !== "identical" && !Number.isNaN(adjusted);
}

/** Name the p that decides: "corrected p", unless nothing was corrected. @param {Pair} pair */
export function decidingP({ p, adjusted }) {
  return p === adjusted ? "p" : "corrected p";
}

/** Swap the runs of a pair. @param {Pair} pair @returns {Pair} */
function swapPair(pair) {
  const verdict = oppositeVerdict(pair.verdict);
  const [wins, losses] = [pair.losses, pair.wins];
  const turned = { a: pair.b, b: pair.a, mean_a: pair.mean_b, mean_b: pair.mean_a, wins, losses, verdict };
  const signs = { difference: -pair.difference, low: -pair.high, high: -pair.low, d_z: -pair.d_z, cliff: -pair.cliff };
  const [first, second] = pair.relative ?? [null, null];
  const [own, other] = pair.headlines ?? [[], []];
  return {
    ...pair,
    ...turned,
    ...signs,
    headlines: [other, own],
    relative: [second, first],
    superiority: 1 - pair.superiority,
    words: "",
  };
}

/** Return the comparison of the two runs of a view, swapped if necessary; null if they were not compared. @param {Book} book @param {View} view @returns {Pair | null} */
export function viewedPair(book, { measure, a, b, slice = null }) {
  const found = book.pair(measure, a, b, slice);
  const other = found ? null : book.pair(measure, b, a, slice);
  return found ?? (other ? swapPair(other) : null);
}

/** Return the queries of a view. @param {Book} book @param {View} view @returns {number[]} */
export function viewedQueries(book, { slice = null }) {
  const rows = slice !== null ? book.facts.slices.find(({ label }) => label === slice)?.rows : null;
  return rows ?? book.facts.queries.map((_, query) => query);
}

/** Name the queries and the values that a view is about. @param {View} view */
export function viewKey({ measure, a, b, slice = null }) {
  return JSON.stringify([measure, a, b, slice]);
}

/** @param {Book} book @param {View} view @returns {Differences} */
export function viewedDifferences(book, view) {
  return book.once("differences", viewKey(view), () => sortedDifferences(book, view));
}

/** @param {Book} book @param {View} view @returns {Differences} */
function sortedDifferences(book, view) {
  const [first, second] = [book.column(view.measure, view.a), book.column(view.measure, view.b)];
  const sign = book.facts.measures[view.measure].lower ? -1 : 1;
  const all = viewedQueries(book, view);
  const known = all.filter((query) => Number.isFinite(second[query] - first[query]));
  const gain = Float64Array.from(first, (value, query) => sign * (second[query] - value));
  known.sort((x, y) => gain[y] - gain[x] || x - y);
  const gains = known.map((query) => gain[query]);
  const values = known.map((query) => second[query] - first[query]);
  const [better, worse] = [gains.filter((one) => one > 0).length, gains.filter((one) => one < 0).length];
  const counts = { better, worse, same: gains.length - better - worse, missing: all.length - known.length };
  return { queries: known, values, gains, ...counts };
}

/** The first lines of a tooltip of a query: id and text. @param {Book} book @param {number} query */
export function queryLines(book, query) {
  const text = book.facts.texts?.[query];
  return [nameText(book.facts.queries[query], 60), ...(text ? [isolate(shorten(plainText(text), 90))] : [])];
}

/** "40 queries", or "14 queries in long". @param {number} count @param {View} view */
export function queriesText(count, { slice = null }) {
  return plural(count, "query", "queries") + (slice !== null ? ` in ${nameText(sliceName(slice))}` : "");
}

/** Texts in several colours in one line. @param {{text: string, fill: string, bold?: boolean}[]} words @param {number} x @param {number} y @param {number} [gap] @returns {Mark[]} */
export function wordMarks(words, x, y, gap = 12) {
  return words.map(({ text, fill, bold }) => {
    /** @type {Mark} */
    const mark = { kind: "text", x, y, text, fill, bold, size: SMALL_SIZE };
    x += textWidth(text, SMALL_SIZE, bold) + gap;
    return mark;
  });
}
