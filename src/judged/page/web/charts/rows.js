/** Charts with one row per run or slice: name on the left (above on narrow pages), text on the right. */
import { between, integerText, numberText, plural, pText, signedText, sliceName } from "../data/format.js";
import { legendMarks } from "../kit/chart.js";
import { AXIS_ROOM, bottomAxis, extent, linearScale, niceDomain } from "../kit/scale.js";
import {
  circleAt,
  crisp,
  emptyScene,
  intervalMarks,
  lineAt,
  SMALL_SIZE,
  TEXT_SIZE,
  textAt,
  wordScene,
} from "../kit/scene.js";
import { fitText, nameText, textWidth } from "../kit/text.js";
import {
  axisName,
  decidingP,
  intervalName,
  intervalOf,
  isTested,
  meanText,
  verdictColour,
  viewedPair,
} from "./common.js";
/** @import { Book, Pair, Summary } from "../data/data.js" */
/** @import { Sheet } from "../kit/files.js" */
/** @import { Scale } from "../kit/scale.js" */
/** @import { Mark, Scene } from "../kit/scene.js" */
/** @import { View } from "./common.js" */

/**
 * @typedef {{name: string, note?: string, value?: string, bold?: boolean}} Row note: small text after the name; value: text on the right
 * @typedef {Row & {datum: number, low: number, high: number, at: number, colour: string, hollow?: boolean}} ForestRow
 *   with a value and its interval
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

/** @param {Row[]} rows @param {number} width @param {string} label @param {{top?: number, high?: number}} [of] high: of a row, without its name @returns {Rows} */
export function rowsScene(rows, width, label, { top = 6, high = 28 } = {}) {
  const noteWidth = (/** @type {Row} */ { note }) => note ? 8 + textWidth(note, SMALL_SIZE) : 0;
  const nameWidth = (/** @type {Row} */ row) => textWidth(row.name.slice(0, 80), TEXT_SIZE, row.bold) + noteWidth(row);
  const names = Math.max(0, ...rows.map(nameWidth));
  const values = Math.ceil(Math.max(0, ...rows.map(({ value = "" }) => textWidth(value, SMALL_SIZE, true))));
  const stacked = width < STACKED_BELOW && names + values > 0.3 * width;
  const left = stacked ? STACKED_EDGE : Math.ceil(Math.min(names, 0.34 * width)) + NAME_GAP;
  const right = width - (stacked || !values ? STACKED_EDGE : values + 16);
  const step = high + (stacked ? NAME_ABOVE : 0);
  const bottom = top + rows.length * step;
  const plot = { x: left, y: top, width: right - left, height: bottom - top };
  const scene = emptyScene(width, bottom + AXIS_ROOM, label, plot);
  const y = (/** @type {number} */ i) => top + i * step + (stacked ? NAME_ABOVE : 0) + high / 2;
  rows.forEach((row, i) => {
    const { name, note, value, bold } = row;
    const line = (stacked ? top + i * step + NAME_ABOVE - 5 : y(i)) + 4;
    const room = stacked ? width - values - NAME_GAP : left - NAME_GAP;
    const text = fitText(name, Math.max(24, room - noteWidth(row)), TEXT_SIZE, bold);
    scene.marks.push(textAt(0, line, text, { size: TEXT_SIZE, fill: "ink", bold, halo: "paper" }));
    if (note) scene.marks.push(textAt(textWidth(text, TEXT_SIZE, bold) + 8, line, note, { halo: "paper" }));
    if (value) scene.marks.push(textAt(width, line, value, { fill: "ink", anchor: "end", bold }));
  });
  const bands = stacked ? rows.map((_, i) => [y(i) - high / 2, y(i) + high / 2]) : [[top, bottom]];
  return { scene, left, right, top, bottom, y, high, bands };
}

/** The axis below the rows. @param {Rows} rows @param {Scale} scale @param {string} title @param {boolean} [whole] @returns {Mark[]} */
export function rowsAxis({ scene, top, bottom }, scale, title, whole) {
  return bottomAxis(scale, { y: bottom, wide: scene.width, top, title, whole });
}

/** Make each row a datum of the pointer. @param {Rows} rows @param {(datum: number) => string[]} tip */
function hoverRows({ scene, top, bottom }, tip) {
  scene.hover = "y";
  scene.plot = { x: 0, y: top, width: scene.width, height: bottom - top };
  scene.tip = tip;
  return scene;
}

/** Values with their intervals. @param {ForestRow[]} rows @param {number} width @param {{label: string, title: string, domain: [number, number], zero: number, high?: number}} of zero: where a vertical line is drawn */
function forestRows(rows, width, { label, title, domain, zero, high }) {
  const made = rowsScene(rows, width, label, { high });
  const x = linearScale(domain, [made.left, made.right]);
  made.scene.marks.unshift(...rowsAxis(made, x, title));
  if (!Number.isNaN(zero)) {
    made.scene.marks.push(
      ...made.bands.map(([y1, y2]) => lineAt(crisp(x.at(zero)), y1, crisp(x.at(zero)), y2, "soft")),
    );
  }
  rows.forEach(({ datum, low, high, at, colour, hollow }, i) => {
    if (Number.isNaN(at)) return;
    const place = { low: x.at(low), high: x.at(high), at: x.at(at), y: made.y(i) };
    made.scene.marks.push(...intervalMarks({ ...place, colour, hollow }));
    made.scene.spots.push({ x: place.at, y: place.y, datum, r: 4.5 });
  });
  return { made, x };
}

/** A domain around differences and 0. @param {(Pair | null)[]} pairs */
function differenceDomain(pairs) {
  const [low, high] = extent([0, ...pairs.flatMap((pair) => pair ? [pair.difference, pair.low, pair.high] : [])]);
  return low === high ? /** @type {[number, number]} */ ([-1, 1]) : niceDomain(low, high, 6);
}

/** The difference of a pair, hollow if it is not clear. @param {Pair | null} pair */
function pairInterval(pair) {
  const { low = NaN, high = NaN, difference: at = NaN, verdict = "" } = pair ?? {};
  const colour = verdictColour(verdict);
  return { low, high, at, colour, hollow: colour === "soft" };
}

// ── means ──

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

/** Return a domain with round limits; for values in [0, 1] the limits stay within it. @param {number[]} values @param {boolean} unit @returns {[number, number]} */
function meansDomain(values, unit) {
  const [low, high] = extent(values);
  const [from, to] = niceDomain(low, high, 6);
  return unit && low >= 0 && high <= 1 ? [Math.max(0, from), Math.min(1, to)] : [from, to];
}

/** The mean of each run with its interval. @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function meansScene(book, view, width) {
  const { measure } = view;
  const { runs, summary, measures, baseline, level } = book.facts;
  const [of, cells] = [measures[measure], summary[measure]];
  const order = rankedRuns(book, measure);
  if (order.every((run) => Number.isNaN(cells[run].mean))) return wordScene(width, `No run has a value of ${of.name}.`);
  const text = (/** @type {number} */ value) => meanText(value, of);
  const rows = order.map((run) => {
    const { mean: at, low, high, sign, best: bold } = cells[run];
    const value = `${text(at)}${sign && ` ${sign}`}`;
    const note = run === baseline ? "baseline" : "";
    return { name: book.short[run], note, value, bold, datum: run, low, high, at, colour: book.colour(run, view) };
  });
  const best = `${nameText(runs[order[0]])}, ${text(cells[order[0]].mean)}`;
  const known = cells.some(({ low }) => !Number.isNaN(low));
  const { made } = forestRows(rows, width, {
    label: `Means of ${of.name} for ${runs.length} runs; the best is ${best}.`,
    title: `${of.name}, ${of.kind}${known ? ` with ${intervalName(level)}` : ""}`,
    domain: meansDomain(rows.flatMap(({ at, low, high }) => [at, low, high]), of.unit),
    zero: cells[baseline]?.mean ?? NaN,
  });
  return hoverRows(made, (run) => {
    const { mean, low, high, queries } = cells[run];
    const interval = Number.isNaN(low) ? [] : [`${intervalName(level)} ${between(low, high, text)}`];
    return [nameText(runs[run], 80), `${of.name} ${text(mean)}`, ...interval, plural(queries, "query", "queries")];
  });
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

// ── differences to the baseline or the best run ──

/** Return the run that others are compared with: the baseline, or the best. @param {Book} book @param {number} measure */
export function referenceRun(book, measure) {
  return book.facts.baseline >= 0 ? book.facts.baseline : rankedRuns(book, measure)[0];
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function againstScene(book, view, width) {
  const { measures, baseline, summary, runs } = book.facts;
  const { measure } = view;
  const [of, first, order] = [measures[measure], referenceRun(book, measure), rankedRuns(book, measure)];
  const pairs = order.map((run) => run === first ? null : viewedPair(book, { measure, a: first, b: run }));
  if (pairs.every((pair) => !pair || Number.isNaN(pair.difference))) {
    return wordScene(width, `No run has a value of ${of.name}.`);
  }
  const rows = order.map((run, i) => ({
    name: book.short[run],
    note: run === first ? (baseline >= 0 ? "baseline" : "best") : "",
    value: pairs[i]
      ? `${signedText(pairs[i].difference, 3)} ${width < 440 ? "" : pairs[i].verdict}`
      : meanText(summary[measure][run].mean, of),
    bold: run === view.a || run === view.b,
    datum: run,
    ...pairInterval(pairs[i]),
  }));
  const told = pairs.flatMap((pair) =>
    pair ? [`${book.short[pair.b]} ${signedText(pair.difference, 3)}, ${pair.verdict}`] : []
  );
  const { made, x } = forestRows(rows, width, {
    label: `Differences of ${of.name} to ${nameText(runs[first])}, with intervals: ${told.slice(0, 12).join("; ")}.`,
    title: `${of.name}: difference to ${nameText(book.short[first], 30)}${of.lower ? " (lower is better)" : ""}`,
    domain: differenceDomain(pairs),
    zero: 0,
    high: order.length > 12 ? 22 : 28,
  });
  made.scene.marks.push(circleAt(x.at(0), made.y(order.indexOf(first)), 4, { fill: "ink" }));
  return hoverRows(made, (run) => pairLines(book, viewedPair(book, { measure, a: first, b: run })));
}

/** The tooltip of a pair. @param {Book} book @param {Pair | null} pair */
export function pairLines(book, pair) {
  if (!pair) return [];
  const { runs, measures } = book.facts;
  const of = measures[pair.measure];
  return [
    `${nameText(runs[pair.b])} compared with ${nameText(runs[pair.a])}`,
    `${of.name} ${meanText(pair.mean_b, of)} and ${meanText(pair.mean_a, of)}: ${signedText(pair.difference)}`,
    ...(Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`]),
    `${pair.verdict}${isTested(pair) ? `, ${decidingP(pair)} ${pText(pair.adjusted)}` : ""}`,
    plural(pair.queries, "query", "queries"),
  ];
}

const PAIR_HEADER = ["difference", "low", "high", "p", "corrected p", "verdict"];

/** @param {Pair} pair */
function pairNumbers({ difference, low, high, p, adjusted, verdict }) {
  return [difference, low, high, p, adjusted, verdict];
}

/** Pairs of runs as a table. @param {Book} book @param {number} measure @param {string} name @param {[b: number, a: number][]} pairs @returns {Sheet} */
export function pairSheet(book, measure, name, pairs) {
  const { runs, measures } = book.facts;
  const rows = pairs.flatMap(([b, a]) => {
    const pair = viewedPair(book, { measure, a, b });
    return pair ? [[runs[b], runs[a], measures[measure].name, ...pairNumbers(pair)]] : [];
  });
  return { name: `${name}-${measures[measure].name}`, header: ["run", "against", "measure", ...PAIR_HEADER], rows };
}

/** @param {Book} book @param {View} view */
export function againstCsv(book, { measure }) {
  const first = referenceRun(book, measure);
  const others = rankedRuns(book, measure).filter((run) => run !== first);
  const name = `differences-to-${book.facts.baseline >= 0 ? "baseline" : "best"}`;
  return pairSheet(book, measure, name, others.map((run) => [run, first]));
}

// ── the difference between two runs by slice ──

/** All queries first, then each slice. @param {Book} book @param {View} view @returns {{name: string, pair: Pair | null}[]} */
function sliceRows(book, view) {
  const pairOf = (/** @type {string | null} */ slice) => viewedPair(book, { ...view, slice });
  const slices = book.facts.slices.map(({ label }) => ({ name: sliceName(label), pair: pairOf(label) }));
  return [{ name: "all queries", pair: pairOf(null) }, ...slices];
}

/** The datum of a row is its index: 0 for all queries, then the slices. @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function slicesScene(book, view, width) {
  const of = book.facts.measures[view.measure];
  const found = sliceRows(book, view);
  const pairs = found.map(({ pair }) => pair);
  if (pairs.every((pair) => !pair)) return wordScene(width, "These runs were not compared.");
  const [a, b] = [view.a, view.b].map((run) => axisName(book.short[run], width));
  const { picked } = view;
  const left = (/** @type {number} */ i) =>
    i ? book.facts.slices[i - 1].rows.filter((query) => picked?.has(query)).length : picked?.size ?? 0;
  const rows = found.map(({ name, pair }, i) => ({
    name,
    note: pair ? `n = ${integerText(pair.queries)}${picked ? `, ${integerText(left(i))} selected` : ""}` : "",
    value: pair ? `${signedText(pair.difference)} ${verdictWords(pair)}` : "–",
    bold: view.slice == null ? i === 0 : i > 0 && book.facts.slices[i - 1].label === view.slice,
    datum: i,
    ...pairInterval(pair),
  }));
  const { made } = forestRows(rows, width, {
    label: `Differences of ${of.name}, ${b} minus ${a}, by slice.`,
    title: `${of.name}: ${b} minus ${a}${of.lower ? " (lower is better)" : ""}`,
    domain: differenceDomain(pairs),
    zero: 0,
  });
  const under = crisp(made.y(0) + made.high / 2 - 1);
  if (found.length > 1) made.scene.marks.push(lineAt(0, under, width, under, "faint"));
  return hoverRows(made, (i) => {
    const { name, pair } = found[i];
    if (!pair) return [nameText(name, 80)];
    return [
      nameText(name, 80),
      `${signedText(pair.difference)}, ${verdictWords(pair, decidingP(pair))}`,
      ...(Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`]),
      plural(pair.queries, "query", "queries"),
      `${integerText(pair.wins)} better, ${integerText(pair.ties)} same, ${integerText(pair.losses)} worse`,
    ];
  });
}

/** The verdict and its corrected p-value; rows have no space for the full name. @param {Pair} pair @param {string} [name] */
function verdictWords(pair, name = "p") {
  return isTested(pair) ? `${pair.verdict}, ${name} ${pText(pair.adjusted)}` : pair.verdict;
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function slicesCsv(book, view) {
  const { runs, measures } = book.facts;
  const rows = sliceRows(book, view).flatMap(({ name, pair }) =>
    pair ? [[name, pair.queries, ...pairNumbers(pair)]] : []
  );
  const name = `slices-${measures[view.measure].name}-${runs[view.b]}-${runs[view.a]}`;
  return { name, header: ["slice", "queries", ...PAIR_HEADER], rows };
}

// ── unjudged documents: the mean of each run if all were irrelevant, or had the highest grade ──

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function boundsScene(book, view, width) {
  const { measure } = view;
  const { runs, summary, measures } = book.facts;
  const [of, cells, order] = [measures[measure], summary[measure], rankedRuns(book, measure)];
  if (order.every((run) => Number.isNaN(cells[run].irrelevant) && Number.isNaN(cells[run].top))) {
    return wordScene(width, `The effect of unjudged documents on ${of.name} is unknown.`);
  }
  if (order.every((run) => cells[run].irrelevant === cells[run].top)) {
    return wordScene(width, `Unjudged documents have no effect on ${of.name}: all that it looks at are judged.`);
  }
  /** @type {["bar" | "dot" | "ring", string][]} */
  const signs = [["bar", "all unjudged irrelevant"], ["dot", "reported mean"], ["ring", "all unjudged highest grade"]];
  const key = legendMarks(signs.map(([swatch, text]) => ({ text, colour: "soft", swatch })), width);
  const value = (/** @type {Summary} */ { irrelevant, top }) => {
    if (Number.isNaN(irrelevant) || Number.isNaN(top)) return "–";
    const ends = [irrelevant, top].sort((p, q) => p - q).map((end) => numberText(end, 3));
    return irrelevant === top ? "no effect" : ends.join(" to ");
  };
  const texts = order.map((run) => ({ name: book.short[run], value: value(cells[run]) }));
  const label = `Means of ${of.name} and the effect of unjudged documents.`;
  const rows = rowsScene(texts, width, label, { top: key.height + 6 });
  const all = order.flatMap((run) => [cells[run].mean, cells[run].irrelevant, cells[run].top]);
  const x = linearScale(meansDomain(all, of.unit), [rows.left, rows.right]);
  rows.scene.marks.unshift(...rowsAxis(rows, x, `${of.name}, mean`));
  rows.scene.marks.push(...key.marks);
  order.forEach((run, i) => {
    rows.scene.marks.push(...boundMarks(cells[run], x, rows.y(i), book.colour(run, view)));
    const { mean } = cells[run];
    if (Number.isFinite(mean)) rows.scene.spots.push({ x: x.at(mean), y: rows.y(i), datum: run, r: 4.5 });
  });
  return hoverRows(rows, (run) => [
    nameText(runs[run], 80),
    `${of.name} ${meanText(cells[run].mean, of)}`,
    `${meanText(cells[run].irrelevant, of)} if all unjudged documents were irrelevant`,
    `${meanText(cells[run].top, of)} if all had the highest grade`,
  ]);
}

/** @param {Summary} cell @param {Scale} x @param {number} y @param {string} colour @returns {Mark[]} */
function boundMarks({ mean, irrelevant, top }, x, y, colour) {
  const [low, high] = extent([mean, irrelevant, top].map(x.at));
  const at = x.at(irrelevant);
  return [
    lineAt(low, y, high, y, colour, { width: 1.5 }),
    lineAt(at, y - 6, at, y + 6, colour, { width: 2 }),
    circleAt(x.at(top), y, 5.5, { fill: "paper", stroke: colour, width: 1.5 }),
    circleAt(x.at(mean), y, 3.5, { fill: colour, stroke: "paper", width: 1 }),
  ].filter((mark) => mark.kind === "circle" ? Number.isFinite(mark.x) : Number.isFinite(mark.x1));
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
