/** Charts with one row per run or slice: name on the left (above on narrow pages), text on the right. */
import { between, integerText, numberText, plural, pText, signedText, sliceName } from "../data/format.js";
import { legendMarks } from "../kit/chart.js";
import { bottomAxis, bottomRoom, extent, linearScale, niceDomain } from "../kit/scale.js";
import { crisp, emptyScene, intervalMarks, SMALL_SIZE, TEXT_SIZE, wordScene } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import {
  axisName,
  intervalName,
  intervalOf,
  isTested,
  meanText,
  nameText,
  verdictColour,
  viewedPair,
} from "./common.js";
/** @import { Book, Pair, Summary } from "../data/data.js" */
/** @import { Sheet } from "../kit/files.js" */
/** @import { Scale } from "../kit/scale.js" */
/** @import { Mark, Scene } from "../kit/scene.js" */
/** @import { View } from "./common.js" */

/**
 * @typedef {{name: string, note?: string, value?: string, bold?: boolean}} Row
 *   note: small text after the name; value: text on the right
 */
/**
 * @typedef {object} Rows
 * @property {Scene} scene with names and values
 * @property {number} left the left edge of the plot
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 * @property {(i: number) => number} y the vertical centre of a row
 * @property {number} high the height of a row without its name
 * @property {number[][]} bands vertical ranges for vertical lines, which skip the names
 */

const NAME_GAP = 14;
const STACKED_BELOW = 520;
const NAME_ABOVE = 20;
const STACKED_EDGE = 18; // half the text of a tick

/** @param {Row} row */
function rowWidth({ name, note = "", bold }) {
  return textWidth(name.slice(0, 80), TEXT_SIZE, bold) + (note ? 8 + textWidth(note, SMALL_SIZE) : 0);
}

/**
 * @param {Row[]} rows @param {number} width @param {string} label
 * @param {{top?: number, high?: number, titled?: boolean}} [of] high: of a row, without its name
 * @returns {Rows}
 */
export function rowsScene(rows, width, label, { top = 6, high = 28, titled = true } = {}) {
  const names = Math.max(0, ...rows.map(rowWidth));
  const values = Math.ceil(Math.max(0, ...rows.map(({ value = "" }) => textWidth(value, SMALL_SIZE, true))));
  const stacked = width < STACKED_BELOW && names + values > 0.3 * width;
  const left = stacked ? STACKED_EDGE : Math.ceil(Math.min(names, 0.34 * width)) + NAME_GAP;
  const right = width - (stacked ? STACKED_EDGE : values ? values + 16 : STACKED_EDGE);
  const step = high + (stacked ? NAME_ABOVE : 0);
  const bottom = top + rows.length * step;
  const plot = { x: left, y: top, width: right - left, height: bottom - top };
  const scene = emptyScene(width, bottom + bottomRoom(titled), label, plot);
  const y = (/** @type {number} */ i) => top + i * step + (stacked ? NAME_ABOVE : 0) + high / 2;
  rows.forEach((row, i) => {
    const line = (stacked ? top + i * step + NAME_ABOVE - 5 : y(i)) + 4;
    const room = stacked ? width - values - NAME_GAP : left - NAME_GAP;
    scene.marks.push(...nameMarks(row, line, room));
    const { value, bold } = row;
    if (value) {
      scene.marks.push({ kind: "text", x: width, y: line, text: value, size: SMALL_SIZE, anchor: "end", bold });
    }
  });
  const bands = stacked ? rows.map((_, i) => [y(i) - high / 2, y(i) + high / 2]) : [[top, bottom]];
  return { scene, left, right, top, bottom, y, high, bands };
}

/** @param {Row} row @param {number} y @param {number} room @returns {Mark[]} */
function nameMarks({ name, note, bold }, y, room) {
  const noted = note ? textWidth(note, SMALL_SIZE) + 8 : 0;
  const text = fitText(name, Math.max(24, room - noted), TEXT_SIZE, bold);
  /** @type {Mark[]} */
  const marks = [{ kind: "text", x: 0, y, text, size: TEXT_SIZE, bold, halo: "paper" }];
  const x = textWidth(text, TEXT_SIZE, bold) + 8;
  if (note) marks.push({ kind: "text", x, y, text: note, fill: "soft", size: SMALL_SIZE, halo: "paper" });
  return marks;
}

/**
 * The axis below the rows.
 *
 * @param {Rows} rows @param {Scale} scale @param {string} title
 * @param {boolean} [whole] @returns {Mark[]}
 */
export function rowsAxis({ scene, top, bottom }, scale, title, whole) {
  return bottomAxis(scale, { y: bottom, wide: scene.width, top, title, whole });
}

/**
 * A vertical line through all rows.
 *
 * @param {Rows} rows @param {number} x @param {string} stroke @param {number[]} [dash] @returns {Mark[]}
 */
export function rowsLine({ bands }, x, stroke, dash = []) {
  return bands.map(([y1, y2]) => ({ kind: "line", x1: crisp(x), x2: crisp(x), y1, y2, stroke, width: 1, dash }));
}

// ── The mean of each run with its interval ──

/** Sort the runs from best to worst; runs without a mean come last. @param {Book} book @param {number} measure @returns {number[]} */
export function rankedRuns(book, measure) {
  const { runs, summary, measures } = book.facts;
  const sign = measures[measure].lower ? 1 : -1;
  const key = (/** @type {number} */ run) => {
    const { mean } = summary[measure][run];
    return Number.isNaN(mean) ? Infinity : sign * mean;
  };
  return runs.map((_, run) => run).sort((x, y) => (key(x) === key(y) ? x - y : key(x) - key(y)));
}

/**
 * Return a domain with round limits; for values in [0, 1] the limits stay within it.
 *
 * @param {number[]} values @param {boolean} unit @returns {[number, number]}
 */
export function meansDomain(values, unit) {
  const [low, high] = extent(values);
  const [from, to] = niceDomain(low, high, 6);
  return unit && low >= 0 && high <= 1 ? [Math.max(0, from), Math.min(1, to)] : [from, to];
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function meansScene(book, view, width) {
  const { measure } = view;
  const { runs, summary, measures, baseline } = book.facts;
  const [of, cells] = [measures[measure], summary[measure]];
  const order = rankedRuns(book, measure);
  if (order.every((run) => Number.isNaN(cells[run].mean))) return wordScene(width, `No run has a value of ${of.name}.`);
  const value = (/** @type {number} */ run) =>
    `${meanText(cells[run].mean, of)}${cells[run].sign && ` ${cells[run].sign}`}`;
  const texts = order.map((run) => ({
    name: book.short[run],
    note: run === baseline ? "baseline" : "",
    value: value(run),
    bold: cells[run].best,
  }));
  const best = order[0];
  const rows = rowsScene(
    texts,
    width,
    `Means of ${of.name} for ${runs.length} runs; the best is ${nameText(runs[best])}, ${
      meanText(cells[best].mean, of)
    }.`,
  );
  const domain = meansDomain(order.flatMap((run) => [cells[run].mean, cells[run].low, cells[run].high]), of.unit);
  const x = linearScale(domain, [rows.left, rows.right]);
  const { scene } = rows;
  const known = cells.some(({ low }) => !Number.isNaN(low));
  scene.marks.unshift(
    ...rowsAxis(rows, x, `${of.name}, ${of.kind}${known ? ` with ${intervalName(book.facts.level)}` : ""}`),
  );
  if (baseline >= 0 && !Number.isNaN(cells[baseline].mean)) {
    scene.marks.push(...rowsLine(rows, x.at(cells[baseline].mean), "soft", [3, 3]));
  }
  order.forEach((run, i) => {
    const { mean, low, high } = cells[run];
    if (Number.isNaN(mean)) return;
    const place = { low: x.at(low), high: x.at(high), at: x.at(mean), y: rows.y(i) };
    scene.marks.push(...intervalMarks({ ...place, colour: book.colour(run, view) }));
    scene.spots.push({ x: x.at(mean), y: rows.y(i), datum: run, r: 4.5 });
  });
  scene.hover = "y";
  scene.plot = { x: 0, y: rows.top, width, height: rows.bottom - rows.top };
  scene.tip = (run) => meanLines(book, measure, run);
  return scene;
}

/** @param {Book} book @param {number} measure @param {number} run */
function meanLines(book, measure, run) {
  const { runs, summary, measures } = book.facts;
  const { mean, low, high, queries } = summary[measure][run];
  const text = (/** @type {number} */ number) => meanText(number, measures[measure]);
  return [
    nameText(runs[run], 80),
    `${measures[measure].name} ${text(mean)}`,
    ...(Number.isNaN(low) ? [] : [`${intervalName(book.facts.level)} ${between(low, high, text)}`]),
    plural(queries, "query", "queries"),
  ];
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function meansCsv(book, { measure }) {
  const { runs, summary, measures } = book.facts;
  const header = ["run", "measure", "mean", "low", "high", "queries"];
  const rows = rankedRuns(book, measure).map((run) => {
    const { mean, low, high, queries } = summary[measure][run];
    return [runs[run], measures[measure].name, mean, low, high, queries];
  });
  return { name: `means-${measures[measure].name}`, header, rows };
}

// ── Differences to the baseline or the best run, with the intervals of their tests ──

/** Return the run that others are compared with: the baseline, or the best. @param {Book} book @param {number} measure */
export function referenceRun(book, measure) {
  return book.facts.baseline >= 0 ? book.facts.baseline : rankedRuns(book, measure)[0];
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function againstScene(book, view, width) {
  const { measures } = book.facts;
  const { measure } = view;
  const [of, first] = [measures[measure], referenceRun(book, measure)];
  const order = rankedRuns(book, measure);
  const pairs = order.map((run) => run === first ? null : viewedPair(book, { measure, a: first, b: run }));
  const [low, high] = extent([0, ...pairs.flatMap((pair) => pair ? [pair.difference, pair.low, pair.high] : [])]);
  if (pairs.every((pair) => !pair || Number.isNaN(pair.difference))) {
    return wordScene(width, `No run has a value of ${of.name}.`);
  }
  const rows = rowsScene(
    order.map((run, i) => ({
      name: book.short[run],
      note: run === first ? (book.facts.baseline >= 0 ? "baseline" : "best") : "",
      value: pairs[i]
        ? `${signedText(pairs[i].difference, 3)} ${width < 440 ? "" : pairs[i].verdict}`
        : meanText(book.facts.summary[measure][run].mean, of),
      bold: run === view.a || run === view.b,
    })),
    width,
    `Differences of ${of.name} to ${nameText(book.facts.runs[first])}, with intervals: ${
      order.flatMap((run, i) =>
        pairs[i] ? [`${book.short[run]} ${signedText(pairs[i].difference, 3)}, ${pairs[i].verdict}`] : []
      ).slice(0, 12).join("; ")
    }.`,
    { high: order.length > 12 ? 22 : 28 },
  );
  const x = linearScale(low === high ? [-1, 1] : niceDomain(low, high, 6), [rows.left, rows.right]);
  const { scene } = rows;
  const name = nameText(book.short[first], 30);
  scene.marks.unshift(...rowsAxis(rows, x, `${of.name}: difference to ${name}${of.lower ? " (lower is better)" : ""}`));
  scene.marks.push(...rowsLine(rows, x.at(0), "soft"));
  order.forEach((run, i) => {
    const pair = pairs[i];
    const y = rows.y(i);
    if (run === first) scene.marks.push({ kind: "circle", x: x.at(0), y, r: 4, fill: "ink" });
    if (!pair || Number.isNaN(pair.difference)) return;
    const colour = verdictColour(pair.verdict);
    const place = { low: x.at(pair.low), high: x.at(pair.high), at: x.at(pair.difference), y };
    scene.marks.push(...intervalMarks({ ...place, colour, hollow: colour === "soft" }));
    scene.spots.push({ x: place.at, y, datum: run, r: 4.5 });
  });
  scene.hover = "y";
  scene.plot = { x: 0, y: rows.top, width, height: rows.bottom - rows.top };
  scene.tip = (run) => pairLines(book, /** @type {Pair} */ (viewedPair(book, { measure, a: first, b: run })));
  return scene;
}

/** The tooltip of a pair. @param {Book} book @param {Pair} pair */
export function pairLines(book, pair) {
  const { runs, measures } = book.facts;
  const of = measures[pair.measure];
  return [
    `${nameText(runs[pair.b])} compared with ${nameText(runs[pair.a])}`,
    `${of.name} ${meanText(pair.mean_b, of)} and ${meanText(pair.mean_a, of)}: ${signedText(pair.difference)}`,
    ...(Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`]),
    `${pair.verdict}${isTested(pair) ? `, corrected p ${pText(pair.adjusted)}` : ""}`,
    plural(pair.queries, "query", "queries"),
  ];
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function againstCsv(book, { measure }) {
  const { runs, measures } = book.facts;
  const first = referenceRun(book, measure);
  const header = ["run", "against", "measure", "difference", "low", "high", "p", "corrected p", "verdict"];
  const rows = rankedRuns(book, measure).flatMap((run) => {
    const pair = run === first ? null : viewedPair(book, { measure, a: first, b: run });
    return pair
      ? [[
        runs[run],
        runs[first],
        measures[measure].name,
        pair.difference,
        pair.low,
        pair.high,
        pair.p,
        pair.adjusted,
        pair.verdict,
      ]]
      : [];
  });
  return {
    name: `differences-to-${book.facts.baseline >= 0 ? "baseline" : "best"}-${measures[measure].name}`,
    header,
    rows,
  };
}

// ── The difference between two runs: one row for all queries, then one per slice ──

/** @typedef {{name: string, pair: Pair | null}} SliceRow */

/** All queries first, then each slice. @param {Book} book @param {View} view @returns {SliceRow[]} */
function sliceRows(book, view) {
  const slices = book.facts.slices.map(({ label }) => ({
    name: sliceName(label),
    pair: viewedPair(book, { ...view, slice: label }),
  }));
  return [{ name: "all queries", pair: viewedPair(book, { ...view, slice: null }) }, ...slices];
}

/**
 * The datum of a row is its index: 0 for all queries, then the slices.
 *
 * @param {Book} book @param {View} view @param {number} width @returns {Scene}
 */
export function slicesScene(book, view, width) {
  const of = book.facts.measures[view.measure];
  const found = sliceRows(book, view);
  const pairs = found.map(({ pair }) => pair);
  const [low, high] = extent([0, ...pairs.flatMap((pair) => (pair ? [pair.difference, pair.low, pair.high] : []))]);
  if (pairs.every((pair) => !pair)) return wordScene(width, "These runs were not compared.");
  const [a, b] = [view.a, view.b].map((run) => axisName(book.short[run], width));
  const texts = found.map(({ name, pair }, i) => ({
    name,
    note: pair ? `n = ${integerText(pair.queries)}${pickedIn(book, view, i)}` : "",
    value: pair ? `${signedText(pair.difference)} ${verdictWords(pair)}` : "–",
    bold: view.slice == null ? i === 0 : i > 0 && book.facts.slices[i - 1].label === view.slice,
  }));
  const rows = rowsScene(texts, width, `Differences of ${of.name}, ${b} minus ${a}, by slice.`);
  const x = linearScale(low === high ? [-1, 1] : niceDomain(low, high, 6), [rows.left, rows.right]);
  const { scene } = rows;
  scene.marks.unshift(...rowsAxis(rows, x, `${of.name}: ${b} minus ${a}${of.lower ? " (lower is better)" : ""}`));
  scene.marks.push(...rowsLine(rows, x.at(0), "soft"));
  if (found.length > 1) {
    const y = crisp((rows.y(0) + rows.high / 2) - 1);
    scene.marks.push({ kind: "line", x1: 0, x2: width, y1: y, y2: y, stroke: "faint", width: 1 });
  }
  pairs.forEach((pair, i) => {
    if (!pair || Number.isNaN(pair.difference)) return;
    const colour = verdictColour(pair.verdict);
    const place = { low: x.at(pair.low), high: x.at(pair.high), at: x.at(pair.difference), y: rows.y(i) };
    scene.marks.push(...intervalMarks({ ...place, colour, hollow: colour === "soft" }));
    scene.spots.push({ x: place.at, y: place.y, datum: i, r: 4.5 });
  });
  scene.hover = "y";
  scene.plot = { x: 0, y: rows.top, width, height: rows.bottom - rows.top };
  scene.tip = (i) => sliceLines(book, found[i]);
  return scene;
}

/** State how many queries of a row the filter leaves. @param {Book} book @param {View} view @param {number} row */
function pickedIn(book, { picked }, row) {
  if (!picked) return "";
  const count = row ? book.facts.slices[row - 1].rows.filter((query) => picked.has(query)).length : picked.size;
  return `, ${integerText(count)} selected`;
}

/** The verdict and its corrected p-value; rows have no space for the full name. @param {Pair} pair @param {string} [name] */
function verdictWords(pair, name = "p") {
  const words = pair.verdict;
  return isTested(pair) ? `${words}, ${name} ${pText(pair.adjusted)}` : words;
}

/** @param {Book} book @param {SliceRow} row */
function sliceLines(book, { name, pair }) {
  if (!pair) return [nameText(name, 80)];
  return [
    nameText(name, 80),
    `${signedText(pair.difference)}, ${verdictWords(pair, "corrected p")}`,
    ...(Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`]),
    plural(pair.queries, "query", "queries"),
    `${integerText(pair.wins)} better, ${integerText(pair.ties)} same, ${integerText(pair.losses)} worse`,
  ];
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function slicesCsv(book, view) {
  const { runs, measures } = book.facts;
  const header = ["slice", "queries", "difference", "low", "high", "p", "corrected p", "verdict"];
  const rows = sliceRows(book, view).flatMap(({ name, pair }) =>
    pair ? [[name, pair.queries, pair.difference, pair.low, pair.high, pair.p, pair.adjusted, pair.verdict]] : []
  );
  return { name: `slices-${measures[view.measure].name}-${runs[view.b]}-${runs[view.a]}`, header, rows };
}

// ── The effect of unjudged documents: the mean of each run if all were irrelevant, or had the highest grade ──

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function boundsScene(book, view, width) {
  const { measure } = view;
  const { runs, summary, measures } = book.facts;
  const [of, cells] = [measures[measure], summary[measure]];
  const order = rankedRuns(book, measure);
  const all = order.flatMap((run) => [cells[run].mean, cells[run].irrelevant, cells[run].top]);
  if (order.every((run) => Number.isNaN(cells[run].irrelevant) && Number.isNaN(cells[run].top))) {
    return wordScene(width, `The effect of unjudged documents on ${of.name} is unknown.`);
  }
  if (order.every((run) => cells[run].irrelevant === cells[run].top)) {
    return wordScene(width, `Unjudged documents have no effect on ${of.name}: all that it looks at are judged.`);
  }
  const key = legendMarks([{ text: "all unjudged irrelevant", colour: "soft", swatch: "bar" }, {
    text: "reported mean",
    colour: "soft",
    swatch: "dot",
  }, { text: "all unjudged highest grade", colour: "soft", swatch: "ring" }], width);
  const value = (/** @type {number} */ run) => {
    const { irrelevant, top } = cells[run];
    return Number.isNaN(irrelevant) || Number.isNaN(top)
      ? "–"
      : irrelevant === top
      ? "no effect"
      : [irrelevant, top].sort((p, q) => p - q).map((end) => numberText(end, 3)).join(" to ");
  };
  const label = `Means of ${of.name} and the effect of unjudged documents.`;
  const rows = rowsScene(order.map((run) => ({ name: book.short[run], value: value(run) })), width, label, {
    top: key.height + 6,
  });
  const x = linearScale(meansDomain(all, of.unit), [rows.left, rows.right]);
  const { scene } = rows;
  scene.marks.unshift(...rowsAxis(rows, x, `${of.name}, mean`));
  scene.marks.push(...key.marks);
  order.forEach((run, i) => {
    scene.marks.push(...boundMarks(cells[run], x, rows.y(i), book.colour(run, view)));
    if (Number.isFinite(cells[run].mean)) {
      scene.spots.push({ x: x.at(cells[run].mean), y: rows.y(i), datum: run, r: 4.5 });
    }
  });
  scene.hover = "y";
  scene.plot = { x: 0, y: rows.top, width, height: rows.bottom - rows.top };
  scene.tip = (
    run,
  ) => [
    nameText(runs[run], 80),
    `${of.name} ${meanText(cells[run].mean, of)}`,
    `${meanText(cells[run].irrelevant, of)} if all unjudged documents were irrelevant`,
    `${meanText(cells[run].top, of)} if all had the highest grade`,
  ];
  return scene;
}

/** @param {Summary} cell @param {Scale} x @param {number} y @param {string} colour @returns {Mark[]} */
function boundMarks({ mean, irrelevant, top }, x, y, colour) {
  /** @type {Mark[]} */
  const marks = [];
  const known = [mean, irrelevant, top].filter(Number.isFinite).map(x.at);
  if (known.length > 1) {
    marks.push({
      kind: "line",
      x1: Math.min(...known),
      x2: Math.max(...known),
      y1: y,
      y2: y,
      stroke: colour,
      width: 1.5,
    });
  }
  if (Number.isFinite(irrelevant)) {
    marks.push({
      kind: "line",
      x1: x.at(irrelevant),
      x2: x.at(irrelevant),
      y1: y - 6,
      y2: y + 6,
      stroke: colour,
      width: 2,
    });
  }
  if (Number.isFinite(top)) {
    marks.push({ kind: "circle", x: x.at(top), y, r: 5.5, fill: "paper", stroke: colour, width: 1.5 });
  }
  if (Number.isFinite(mean)) {
    marks.push({ kind: "circle", x: x.at(mean), y, r: 3.5, fill: colour, stroke: "paper", width: 1 });
  }
  return marks;
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function boundsCsv(book, { measure }) {
  const { runs, summary, measures } = book.facts;
  const header = ["run", "measure", "mean", "unjudged irrelevant", "unjudged highest grade"];
  const rows = rankedRuns(book, measure).map((run) => {
    const { mean, irrelevant, top } = summary[measure][run];
    return [runs[run], measures[measure].name, mean, irrelevant, top];
  });
  return { name: `bounds-${measures[measure].name}`, header, rows };
}
