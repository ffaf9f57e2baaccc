/** All pairs of runs, best first: differences, filled where they are clear. */
import { integerText, signedText, verdictTone } from "../data/format.js";
import { emptyScene, SMALL_SIZE, TEXT_SIZE } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import { viewedPair } from "./common.js";
import { pairLines, rankedRuns } from "./rows.js";
/** @import { Book } from "../data/data.js" */
/** @import { Sheet } from "../kit/files.js" */
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

/**
 * The cells above the diagonal: the run of the row minus that of the column.
 *
 * @param {Book} book @param {View} view @param {number} width @returns {Scene}
 */
export function matrixScene(book, view, width) {
  const order = rankedRuns(book, view.measure);
  const count = order.length;
  const number = (/** @type {number} */ i) => `${integerText(i + 1)}`;
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
    scene.marks.push({ kind: "text", x: 0, y: y + high / 2 + 4, text: number(i), size: SMALL_SIZE, fill: "soft" });
    const text = fitText(book.short[run], left - 32, TEXT_SIZE, bold);
    scene.marks.push({ kind: "text", x: 22, y: y + high / 2 + 4, text, size: TEXT_SIZE, bold });
    if (i && (cell >= 15 || (i + 1) % 5 === 0)) {
      scene.marks.push({
        kind: "text",
        x: left + (i - 0.5) * cell,
        y: MATRIX_TOP - 8,
        text: number(i),
        size: SMALL_SIZE,
        fill: "soft",
        anchor: "middle",
      });
    }
    for (let j = i + 1; j < count; j++) {
      const box = { x: left + (j - 1) * cell, y, width: cell, height: high };
      const marks = cellMarks(book, view, run, order[j], box);
      scene.marks.push(...marks);
      scene.spots.push({ x: box.x + cell / 2, y: y + high / 2, datum: i * count + j, box });
    }
  });
  scene.tip = (datum) => {
    const pair = viewedPair(book, { measure: view.measure, ...matrixPair(book, view, datum) });
    return pair ? pairLines(book, pair) : [];
  };
  return scene;
}

/**
 * @param {Book} book @param {View} view @param {number} b @param {number} a @param {Box} box
 * @returns {Mark[]}
 */
function cellMarks(book, view, b, a, box) {
  const pair = viewedPair(book, { measure: view.measure, a, b });
  const tone = pair ? verdictTone(pair.verdict) : "";
  const chosen = (view.a === a && view.b === b) || (view.a === b && view.b === a);
  const inner = { x: box.x + 1.5, y: box.y + 1.5, w: box.width - 3, h: box.height - 3 };
  /** @type {Mark[]} */
  const marks = [
    tone
      ? { kind: "rect", ...inner, fill: tone }
      : { kind: "rect", ...inner, fill: "paper", stroke: "context", width: 1 },
  ];
  const text = pair ? signedText(pair.difference, 3) : "";
  if (text && box.width >= Math.max(NUMBERED_CELL, textWidth(text, SMALL_SIZE) + 6)) {
    marks.push({
      kind: "text",
      x: box.x + box.width / 2,
      y: box.y + box.height / 2 + 4,
      text,
      size: SMALL_SIZE,
      fill: tone ? "paper" : "soft",
      anchor: "middle",
    });
  }
  if (chosen) {
    marks.push({
      kind: "rect",
      x: box.x + 0.5,
      y: box.y + 0.5,
      w: box.width - 1,
      h: box.height - 1,
      stroke: "ink",
      width: 2,
    });
  }
  return marks;
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function matrixCsv(book, { measure }) {
  const { runs, measures } = book.facts;
  const order = rankedRuns(book, measure);
  const header = ["run", "against", "measure", "difference", "low", "high", "p", "corrected p", "verdict"];
  const rows = order.flatMap((b, i) =>
    order.slice(i + 1).flatMap((a) => {
      const pair = viewedPair(book, { measure, a, b });
      return pair
        ? [[
          runs[b],
          runs[a],
          measures[measure].name,
          pair.difference,
          pair.low,
          pair.high,
          pair.p,
          pair.adjusted,
          pair.verdict,
        ]]
        : [];
    })
  );
  return { name: `pairs-${measures[measure].name}`, header, rows };
}
