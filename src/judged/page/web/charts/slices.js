/** The difference between two runs: one row for all queries, then one per slice. */
import { between, integerText, plural, pText, signedText, sliceName } from "../data/format.js";
import { extent, linearScale, niceDomain } from "../kit/scale.js";
import { crisp, wordScene } from "../kit/scene.js";
import { intervalMarks } from "../kit/shape.js";
import { axisName, intervalOf, isTested, nameText, verdictColour, viewedPair } from "./common.js";
import { rowsAxis, rowsLine, rowsScene } from "./forest.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/data.js").Pair} Pair */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */
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

/** @param {Book} book @param {View} view @returns {import("../kit/csv.js").Sheet} */
export function slicesCsv(book, view) {
  const { runs, measures } = book.facts;
  const header = ["slice", "queries", "difference", "low", "high", "p", "corrected p", "verdict"];
  const rows = sliceRows(book, view).flatMap(({ name, pair }) =>
    pair ? [[name, pair.queries, pair.difference, pair.low, pair.high, pair.p, pair.adjusted, pair.verdict]] : []
  );
  return { name: `slices-${measures[view.measure].name}-${runs[view.b]}-${runs[view.a]}`, header, rows };
}
