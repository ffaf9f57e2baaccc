/** The distribution of values: one histogram per run on a shared axis. */
import { integerText, percent, plural, valueText } from "../data/format.js";
import { extent, linearScale, niceStep, tickTexts, valueAt } from "../kit/scale.js";
import { lineAt, rectAt, textAt, wordScene } from "../kit/scene.js";
import { nameText } from "../kit/text.js";
import { filterName } from "../table/filter.js";
import { dimmed, meanText, viewedQueries } from "./common.js";
import { rankedRuns, rowsAxis, rowsScene } from "./rows.js";
/** @import { Book, Measure } from "../data/data.js" */
/** @import { Sheet } from "../kit/files.js" */
/** @import { Scale } from "../kit/scale.js" */
/** @import { Mark, Scene } from "../kit/scene.js" */
/** @import { View } from "./common.js" */

/** @typedef {{base: number, tall: number}} Ground the baseline and height of a histogram */
/** @typedef {{start: number, step: number, count: number, whole: boolean}} Bins whole: one bin per integer, centred on it */

const SPREAD_BINS = 20;
const MOST_WHOLE = 40;
const MANY_RUNS = 6;

/** Bins for values from low to high. @param {number} low @param {number} high @param {{unit: boolean, whole: boolean}} measure @returns {Bins} */
export function spreadBins(low, high, { unit, whole }) {
  if (unit && low >= 0 && high <= 1) return { start: 0, step: 1 / SPREAD_BINS, count: SPREAD_BINS, whole: false };
  const span = high - low;
  if (whole && span < MOST_WHOLE) return { start: low - 0.5, step: 1, count: Math.round(span) + 1, whole: true };
  if (span <= 1e-12 * Math.max(1, Math.abs(low))) return { start: low - 0.5, step: 1, count: 1, whole: false };
  const step = whole ? Math.max(1, Math.round(niceStep(span, SPREAD_BINS))) : niceStep(span, SPREAD_BINS);
  const first = Math.floor(low / step + 1e-9);
  return {
    start: first * step,
    step,
    count: Math.max(1, Math.floor(high / step - first + 1e-9) + (whole ? 1 : 0)) || 1,
    whole: false,
  };
}

/** Count the values in each bin; the last bin includes its upper end. @param {Iterable<number>} values @param {Bins} bins @returns {number[]} */
export function binCounts(values, { start, step, count }) {
  const counts = new Array(count).fill(0);
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    counts[Math.max(0, Math.min(count - 1, Math.floor((value - start) / step + 1e-9)))]++;
  }
  return counts;
}

/** The range of a bin as text. @param {Bins} bins @param {number} i @param {Measure} measure */
function binText({ start, step, whole }, i, measure) {
  if (whole) return valueText(start + 0.5 + i, measure);
  const [from, to] = tickTexts([start + i * step, start + (i + 1) * step]);
  return `${from} to ${to}`;
}

/** @param {Book} book @param {View} view @param {number} run @param {Iterable<number>} queries @returns {number[]} */
function valuesAt(book, { measure }, run, queries) {
  const column = book.column(measure, run);
  return Array.from(queries, (query) => column[query]);
}

/** Count the queries per value of each run, best first; null if there is no value. @param {Book} book @param {View} view */
function spreadCounts(book, view) {
  return book.once("spread", JSON.stringify([view.measure, view.slice ?? null]), () => {
    const order = rankedRuns(book, view.measure);
    const queries = view.slice == null ? null : viewedQueries(book, view);
    const columns = order.map((run) => queries ? valuesAt(book, view, run, queries) : book.column(view.measure, run));
    const ends = columns.map(extent);
    const [low, high] = extent(ends.flat());
    if (Number.isNaN(low)) return null;
    const bins = spreadBins(low, high, book.facts.measures[view.measure]);
    return { order, bins, counts: columns.map((column) => binCounts(column, bins)) };
  });
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function spreadScene(book, view, width) {
  const { runs, summary, measures } = book.facts;
  const of = measures[view.measure];
  const found = spreadCounts(book, view);
  if (!found) return wordScene(width, `No query has a value of ${of.name}.`);
  const { order, bins, counts } = found;
  const tall = order.length > 2 * MANY_RUNS ? 36 : order.length > MANY_RUNS ? 50 : 66;
  const most = tallestBar(counts);
  const { picked } = view;
  const kept = picked ? order.map((run) => binCounts(valuesAt(book, view, run, picked), bins)) : null;
  // The means are over all queries, so a slice shows none.
  const means = order.map((run) => (view.slice != null ? NaN : summary[view.measure][run].mean));
  const kind = width < 520 ? "" : `${of.kind} `;
  const texts = order.map((run, i) => ({
    name: book.short[run],
    value: Number.isNaN(means[i]) ? "" : kind + meanText(means[i], of),
  }));
  const rows = rowsScene(texts, width, `Distribution of ${of.name} for each run.`, { high: tall });
  const x = linearScale([bins.start, bins.start + bins.count * bins.step], [rows.left, rows.right]);
  rows.scene.marks.unshift(...rowsAxis(rows, x, of.name, bins.whole));
  order.forEach((run, i) => {
    const base = rows.y(i) + tall / 2;
    const plain = order.length > MANY_RUNS && run !== view.a && run !== view.b;
    const fill = plain ? "context" : book.colour(run, view);
    rows.scene.marks.push(
      ...histogram(counts[i], kept?.[i] ?? null, bins, most, x, { base, tall }, fill),
      ...meanMark(means[i], x, { base, tall }),
    );
    addBins(rows.scene, counts[i], bins, x, { base, tall }, i * bins.count);
  });
  rows.scene.tip = (datum) => {
    const [i, bin] = [Math.floor(datum / bins.count), datum % bins.count];
    const known = counts[i].reduce((sum, count) => sum + count, 0);
    const count = counts[i][bin];
    return [
      nameText(runs[order[i]], 80),
      `${of.name} ${binText(bins, bin, of)}`,
      `${plural(count, "query", "queries")} (${percent(count / known)})`,
    ];
  };
  rows.scene.brush = (from, to) => {
    const share = ((from.y + to.y) / 2 - rows.top) / (rows.bottom - rows.top);
    const row = Math.max(0, Math.min(order.length - 1, Math.floor(share * order.length)));
    return rangeFilter(filterName(runs[order[row]]), valueAt(x, from.x), valueAt(x, to.x));
  };
  return rows.scene;
}

/** Return the filter for the queries of a bar. @param {Book} book @param {View} view @param {number} datum */
export function spreadFilter(book, view, datum) {
  const found = spreadCounts(book, view);
  if (!found) return "";
  const { order, bins } = found;
  const [run, bin] = [order[Math.floor(datum / bins.count)], datum % bins.count];
  const from = bins.start + bin * bins.step;
  const open = bin < bins.count - 1; // the last bin includes its upper end
  return rangeFilter(filterName(book.facts.runs[run]), from, from + bins.step, open);
}

/** A filter for a range of values. @param {string} name @param {number} low @param {number} high @param {boolean} [open] without its upper end */
export function rangeFilter(name, low, high, open = false) {
  const text = (/** @type {number} */ value) => String(Number(value.toFixed(4)));
  return `${name}>=${text(low)} ${name}${open ? "<" : "<="}${text(high)}`;
}

/** Return the count of a full bar. A bar that is much taller than all others, such as that of queries without any success, is cut, so that the others can be read. @param {number[][]} counts of each run @returns {number} */
export function tallestBar(counts) {
  const all = counts.flat().sort((p, q) => q - p);
  const next = Math.max(0, ...counts.flatMap((bins) => bins.slice(1)));
  return Math.max(1, all[0] > 3 * next && next > 0 ? 1.5 * next : all[0] ?? 1);
}

/** @param {number[]} counts @param {number[] | null} kept counts after the filter @param {Bins} bins @param {number} most @param {Scale} x @param {Ground} ground @param {string} fill @returns {Mark[]} */
function histogram(counts, kept, bins, most, x, { base, tall }, fill) {
  const peak = counts.indexOf(Math.max(...counts));
  const high = (/** @type {number} */ of) => Math.max(1.5, Math.min(1, of / most) * (tall - (tall > 40 ? 22 : 12)));
  const marks = counts.flatMap((count, i) => {
    if (!count) return [];
    const [from, to] = [x.at(bins.start + i * bins.step), x.at(bins.start + (i + 1) * bins.step)];
    const top = base - high(count);
    const bar = (/** @type {number} */ height, /** @type {number} */ opacity) =>
      rectAt(from + 0.5, base - height, Math.max(1, to - from - 1), height, { fill, opacity });
    return [
      bar(high(count), dimmed(kept !== null) ?? 0.85),
      ...(kept?.[i] ? [bar(high(kept[i]), 1)] : []),
      ...(count > most ? [rectAt(from - 1, top + 8, to - from + 2, 3, { fill: "paper" })] : []), // the bar is cut
      ...(i === peak || count > most
        ? [textAt((from + to) / 2, top - 4, integerText(count), { size: 10, anchor: "middle", halo: "paper" })]
        : []),
    ];
  });
  return [...marks, lineAt(x.range[0], Math.round(base) - 0.5, x.range[1], Math.round(base) - 0.5, "faint")];
}

/** @param {number} mean @param {Scale} x @param {Ground} ground @returns {Mark[]} */
function meanMark(mean, x, { base, tall }) {
  if (!Number.isFinite(mean) || mean < x.domain[0] || mean > x.domain[1]) return []; // a total is far outside the range of values
  const [at, top] = [x.at(mean), base - tall + (tall > 40 ? 14 : 6)];
  return [
    lineAt(at, top, at, base, "paper", { width: 4, opacity: 0.7 }),
    lineAt(at, top, at, base, "ink", { width: 1.5 }),
  ];
}

/** @param {Scene} scene @param {number[]} counts @param {Bins} bins @param {Scale} x @param {Ground} ground @param {number} first */
function addBins(scene, counts, bins, x, { base, tall }, first) {
  const [y, height] = [base - tall + 8, tall - 8];
  counts.forEach((_, i) => {
    const [from, to] = [x.at(bins.start + i * bins.step), x.at(bins.start + (i + 1) * bins.step)];
    const box = { x: from, y, width: to - from, height };
    scene.spots.push({ x: (from + to) / 2, y: base - height / 2, datum: first + i, box });
  });
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function spreadCsv(book, view) {
  const { runs, measures } = book.facts;
  const name = `spread-${measures[view.measure].name}`;
  const header = ["run", "from", "to", "queries"];
  const found = spreadCounts(book, view);
  if (!found) return { name, header, rows: [] };
  const { order, bins, counts } = found;
  const end = (/** @type {number} */ i) => Number((bins.start + i * bins.step).toPrecision(12));
  const rows = order.flatMap((run, k) => counts[k].map((count, i) => [runs[run], end(i), end(i + 1), count]));
  return { name, header, rows };
}
