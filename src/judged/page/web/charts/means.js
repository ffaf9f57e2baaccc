/** The mean of each run with its interval. */
import { between, plural } from "../data/format.js";
import { extent, linearScale, niceDomain } from "../kit/scale.js";
import { intervalMarks } from "../kit/shape.js";
import { wordScene } from "../kit/scene.js";
import { intervalName, meanText, nameText } from "./common.js";
import { rowsAxis, rowsLine, rowsScene } from "./forest.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */

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

/** @param {Book} book @param {View} view @returns {import("../kit/csv.js").Sheet} */
export function meansCsv(book, { measure }) {
  const { runs, summary, measures } = book.facts;
  const header = ["run", "measure", "mean", "low", "high", "queries"];
  const rows = rankedRuns(book, measure).map((run) => {
    const { mean, low, high, queries } = summary[measure][run];
    return [runs[run], measures[measure].name, mean, low, high, queries];
  });
  return { name: `means-${measures[measure].name}`, header, rows };
}
