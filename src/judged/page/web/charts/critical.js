/** A critical-difference diagram (Demšar 2006): mean ranks on an axis, and bars that join runs without a significant difference. */
import { numberText, plural, pText } from "../data/format.js";
import { linearScale } from "../kit/scale.js";
import { crisp, emptyScene, SMALL_SIZE, TEXT_SIZE, wordScene } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import { nameText, runColour } from "./common.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/data.js").Critical} Critical */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */
/** @typedef {import("../kit/scene.js").Mark} Mark */
/** @typedef {import("../kit/scale.js").Scale} Scale */

const AXIS_Y = 64;
const LEVEL = 20;
const BAR_STEP = 9;
const NUMBERED_FROM = 440; // on narrower pages names need the space; axis and tooltip show the rank

/** Assign each bar to a line, so that bars do not overlap. @param {[number, number][]} bars from, to @returns {number[]} */
export function barLevels(bars) {
  /** @type {number[]} */
  const ends = [];
  return bars.map(([from, to]) => {
    let level = ends.findIndex((end) => end < from);
    if (level < 0) level = ends.length;
    ends[level] = to;
    return level;
  });
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function criticalScene(book, { measure }, width) {
  const { critical, runs, measures } = book.facts;
  const found = critical[measure];
  if (!found) return wordScene(width, "Mean ranks require at least three runs with the same queries.");
  const order = runs.map((_, run) => run).filter((run) => Number.isFinite(found.ranks[run])).sort((x, y) =>
    found.ranks[x] - found.ranks[y] || x - y
  );
  // The axis gets at least half of the width.
  const side = Math.min(
    0.25 * width,
    62 + Math.max(...order.map((run) => textWidth(book.short[run].slice(0, 80), TEXT_SIZE))),
  );
  const x = linearScale([1, Math.max(2, runs.length)], [side, width - side]);
  const numbered = width >= NUMBERED_FROM;
  const groups = groupsOf(found, x);
  const levels = barLevels(groups);
  const first = AXIS_Y + 16 + BAR_STEP * Math.max(0, ...levels.map((level) => level + 1)) + 12;
  const half = Math.ceil(order.length / 2);
  const best = nameText(runs[order[0]]);
  const label = `Mean ranks on ${measures[measure].name} over ${
    plural(found.queries, "query", "queries")
  }: ${best} has the best mean rank, ${numberText(found.ranks[order[0]], 2)}. Critical difference ${
    numberText(found.critical, 2)
  }.`;
  const scene = emptyScene(width, first + half * LEVEL + 2, label);
  scene.marks.push(...rulerMarks(found, x, width), ...rankAxis(x, runs.length));
  order.forEach((run, i) => {
    const left = i < half;
    const y = first + (left ? i : order.length - 1 - i) * LEVEL;
    const at = x.at(found.ranks[run]);
    const end = left ? x.range[0] - 12 : x.range[1] + 12;
    scene.marks.push(
      ...leaderMarks({ name: book.short[run], run, rank: found.ranks[run], at, y, end, left, side, numbered }),
    );
    scene.spots.push({ x: at, y: AXIS_Y, datum: run, r: 4 });
    const box = { x: left ? 0 : width - side, y: y - LEVEL / 2, width: side, height: LEVEL };
    scene.spots.push({ x: left ? side / 2 : width - side / 2, y, datum: run, box });
  });
  groups.forEach(([from, to], i) => {
    const y = AXIS_Y + 16 + levels[i] * BAR_STEP;
    scene.marks.push({ kind: "line", x1: from, x2: to, y1: y, y2: y, stroke: "ink", width: 4.5, round: true });
  });
  scene.tip = (run) => [nameText(runs[run], 80), `mean rank ${numberText(found.ranks[run])}`];
  return scene;
}

/** Return the bars in pixels, from left to right. @param {Critical} found @param {Scale} x @returns {[number, number][]} */
function groupsOf({ bars, ranks }, x) {
  return bars.filter((bar) => bar.length > 1).map((bar) => {
    const at = bar.map((run) => x.at(ranks[run]));
    return /** @type {[number, number]} */ ([Math.min(...at) - 3, Math.max(...at) + 3]);
  }).sort((p, q) => p[0] - q[0]);
}

/** @param {Critical} found @param {Scale} x @param {number} width @returns {Mark[]} */
function rulerMarks({ critical, alpha, p }, x, width) {
  if (!Number.isFinite(critical)) return [];
  const [from, y] = [x.range[0], 22];
  const to = from + Math.abs(x.at(critical) - x.at(0));
  const cap = (/** @type {number} */ at) => /** @type {Mark} */ ({
    kind: "line",
    x1: crisp(at),
    x2: crisp(at),
    y1: y - 4,
    y2: y + 5,
    stroke: "ink",
  });
  const name = `critical difference ${numberText(critical, 2)}`;
  const friedman = Number.isFinite(p) ? `; Friedman p ${pSign(p)}` : "";
  const texts = [`${name} (α = ${alpha}${friedman})`, `${name} (α = ${alpha})`, name];
  const text = texts.find((words) => textWidth(words, SMALL_SIZE) <= width - from) ?? `CD ${numberText(critical, 2)}`;
  return [
    { kind: "line", x1: from, x2: to, y1: crisp(y), y2: crisp(y), stroke: "ink", width: 1.5 },
    cap(from),
    cap(to),
    { kind: "text", x: from, y: y - 10, text, size: SMALL_SIZE, fill: "soft" },
  ];
}

/** @param {number} p */
function pSign(p) {
  const text = pText(p);
  return text.startsWith("<") ? `< ${text.slice(1)}` : `= ${text}`;
}

/** @param {Scale} x @param {number} count @returns {Mark[]} */
function rankAxis(x, count) {
  const every = Math.ceil((count * 22) / Math.max(1, x.range[1] - x.range[0]));
  /** @type {Mark[]} */
  const marks = [{
    kind: "line",
    x1: x.range[0],
    x2: x.range[1],
    y1: crisp(AXIS_Y),
    y2: crisp(AXIS_Y),
    stroke: "ink",
    width: 1,
  }];
  for (let rank = 1; rank <= Math.max(2, count); rank++) {
    const at = crisp(x.at(rank));
    const named = (rank - 1) % every === 0;
    marks.push({ kind: "line", x1: at, x2: at, y1: AXIS_Y - (named ? 6 : 3), y2: AXIS_Y, stroke: "ink", width: 1 });
    if (named) {
      marks.push({
        kind: "text",
        x: at,
        y: AXIS_Y - 11,
        text: String(rank),
        size: SMALL_SIZE,
        fill: "soft",
        anchor: "middle",
      });
    }
  }
  return marks;
}

/**
 * The line from the axis to the name of a run.
 *
 * @param {{name: string, run: number, rank: number, at: number, y: number, end: number, left: boolean, side: number, numbered: boolean}} of
 *   at: position on the axis; end: end of the line; side: width for names; numbered: whether to show the rank next to the name
 * @returns {Mark[]}
 */
function leaderMarks({ name, run, rank, at, y, end, left, side, numbered }) {
  const text = numbered ? numberText(rank, 2) : "";
  const room = side - 12 - 6 - (text ? textWidth(text, SMALL_SIZE) + 8 : 0);
  const size = numbered ? TEXT_SIZE : SMALL_SIZE;
  const fit = fitText(name, room, size);
  const edge = left ? end - 6 : end + 6;
  const anchor = left ? /** @type {const} */ ("end") : /** @type {const} */ ("start");
  const beyond = (textWidth(fit, size) + 7) * (left ? -1 : 1);
  return [
    {
      kind: "path",
      d: `M${at.toFixed(2)} ${AXIS_Y}L${at.toFixed(2)} ${y}L${end.toFixed(2)} ${y}`,
      stroke: runColour(run),
      width: 1.25,
    },
    { kind: "circle", x: at, y: AXIS_Y, r: 3.5, fill: runColour(run), stroke: "paper", width: 1 },
    { kind: "text", x: edge, y: y + 4, text: fit, anchor, size },
    ...(text
      ? [
        /** @type {Mark} */ ({
          kind: "text",
          x: edge + beyond,
          y: y + 4,
          text,
          anchor,
          fill: "soft",
          size: SMALL_SIZE,
        }),
      ]
      : []),
  ];
}

/** @param {Book} book @param {View} view @returns {import("../kit/csv.js").Sheet} */
export function criticalCsv(book, { measure }) {
  const { critical, runs, measures } = book.facts;
  const found = critical[measure];
  const header = ["run", "measure", "mean rank", "critical difference"];
  const rows = found ? runs.map((run, i) => [run, measures[measure].name, found.ranks[i], found.critical]) : [];
  return { name: `ranks-${measures[measure].name}`, header, rows };
}
