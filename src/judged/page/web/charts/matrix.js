/** All pairs of runs, best first: differences, filled where they are clear. */
import { integerText, signedText, verdictTone } from "../data/format.js";
import { emptyScene, rectAt, SMALL_SIZE, TEXT_SIZE, textAt } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import { viewedPair } from "./common.js";
import { pairLines, pairSheet, rankedRuns } from "./rows.js";
/** @import { Book } from "../data/data.js" */
/** @import { Box, Mark, Scene } from "../kit/scene.js" */
/** @import { View } from "./common.js" */

const MATRIX_TOP = 22;
const LARGEST_CELL = 64;
const NUMBERED_CELL = 42; // from which a cell has its difference

/** Return the runs of a datum, the row b and the column a. @param {Book} book @param {View} view @param {number} datum */
export function matrixPair(book, { measure }, datum) {
  const order = rankedRuns(book, measure);
  return { b: order[Math.floor(datum / order.length)], a: order[datum % order.length] };
}

/** The cells above the diagonal: the run of the row minus that of the column. @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function matrixScene(book, view, width) {
  const order = rankedRuns(book, view.measure);
  const count = order.length;
  const wide = Math.max(...order.map((run) => textWidth(book.short[run].slice(0, 60), TEXT_SIZE, true)));
  const left = 22 + Math.ceil(Math.min(wide, 0.34 * width)) + 10;
  const cell = Math.max(9, Math.min(LARGEST_CELL, (width - left - 8) / (count - 1)));
  const high = Math.max(count > 12 ? 15 : 20, Math.min(28, cell));
  const of = book.facts.measures[view.measure];
  const label = `Pairs of runs on ${of.name}, best first: difference of the run in the row to the run in the column.`;
  const scene = emptyScene(left + cell * (count - 1) + 8, MATRIX_TOP + count * high, label);
  order.forEach((run, i) => {
    const y = MATRIX_TOP + i * high;
    const bold = run === view.a || run === view.b;
    const name = fitText(book.short[run], left - 32, TEXT_SIZE, bold);
    scene.marks.push(textAt(0, y + high / 2 + 4, integerText(i + 1)));
    scene.marks.push(textAt(22, y + high / 2 + 4, name, { size: TEXT_SIZE, fill: "ink", bold }));
    if (i && (cell >= 15 || (i + 1) % 5 === 0)) {
      scene.marks.push(textAt(left + (i - 0.5) * cell, MATRIX_TOP - 8, integerText(i + 1), { anchor: "middle" }));
    }
    for (let j = i + 1; j < count; j++) {
      const box = { x: left + (j - 1) * cell, y, width: cell, height: high };
      scene.marks.push(...cellMarks(book, view, run, order[j], box));
      scene.spots.push({ x: box.x + cell / 2, y: y + high / 2, datum: i * count + j, box });
    }
  });
  scene.tip = (datum) => pairLines(book, viewedPair(book, { measure: view.measure, ...matrixPair(book, view, datum) }));
  return scene;
}

/** @param {Book} book @param {View} view @param {number} b @param {number} a @param {Box} box @returns {Mark[]} */
function cellMarks(book, view, b, a, { x, y, width, height }) {
  const pair = viewedPair(book, { measure: view.measure, a, b });
  const tone = pair ? verdictTone(pair.verdict) : "";
  const paint = tone ? { fill: tone } : { fill: "paper", stroke: "context", width: 1 };
  /** @type {Mark[]} */
  const marks = [rectAt(x + 1.5, y + 1.5, width - 3, height - 3, paint)];
  const text = pair ? signedText(pair.difference, 3) : "";
  if (text && width >= Math.max(NUMBERED_CELL, textWidth(text, SMALL_SIZE) + 6)) {
    const middle = [x + width / 2, y + height / 2 + 4];
    marks.push(textAt(middle[0], middle[1], text, { fill: tone ? "paper" : "soft", anchor: "middle" }));
  }
  const chosen = (view.a === a && view.b === b) || (view.a === b && view.b === a);
  if (chosen) marks.push(rectAt(x + 0.5, y + 0.5, width - 1, height - 1, { stroke: "ink", width: 2 }));
  return marks;
}

/** @param {Book} book @param {View} view */
export function matrixCsv(book, { measure }) {
  const order = rankedRuns(book, measure);
  const pairs = order.flatMap((b, i) => order.slice(i + 1).map((a) => /** @type {[number, number]} */ ([b, a])));
  return pairSheet(book, measure, "pairs", pairs);
}
