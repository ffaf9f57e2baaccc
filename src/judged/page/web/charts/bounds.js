/** The effect of unjudged documents: the mean of each run if all were irrelevant, or had the highest grade. */
import { numberText } from "../data/format.js";
import { linearScale } from "../kit/scale.js";
import { wordScene } from "../kit/scene.js";
import { legendMarks } from "../kit/legend.js";
import { meanText, nameText } from "./common.js";
import { meansDomain, rankedRuns } from "./means.js";
import { rowsAxis, rowsScene } from "./forest.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/data.js").Summary} Summary */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */
/** @typedef {import("../kit/scene.js").Mark} Mark */
/** @typedef {import("../kit/scale.js").Scale} Scale */

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
  const key = legendMarks([
    { text: "all unjudged irrelevant", colour: "soft", swatch: "bar" },
    { text: "reported mean", colour: "soft", swatch: "dot" },
    { text: "all unjudged highest grade", colour: "soft", swatch: "ring" },
  ], width);
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
  scene.tip = (run) => [
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

/** @param {Book} book @param {View} view @returns {import("../kit/csv.js").Sheet} */
export function boundsCsv(book, { measure }) {
  const { runs, summary, measures } = book.facts;
  const header = ["run", "measure", "mean", "unjudged irrelevant", "unjudged highest grade"];
  const rows = rankedRuns(book, measure).map((run) => {
    const { mean, irrelevant, top } = summary[measure][run];
    return [runs[run], measures[measure].name, mean, irrelevant, top];
  });
  return { name: `bounds-${measures[measure].name}`, header, rows };
}
