/** A critical-difference diagram (after Demšar 2006): means on an axis, and bars that join runs that no verdict separates. */
import { plural } from "../data/format.js";
import { extent, linearScale, niceDomain, tickTexts } from "../kit/scale.js";
import { crisp, emptyScene, SMALL_SIZE, TEXT_SIZE, wordScene } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import { meanText, nameText, runColour } from "./common.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/data.js").Critical} Critical */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */
/** @typedef {import("../kit/scene.js").Mark} Mark */
/** @typedef {import("../kit/scale.js").Scale} Scale */

const AXIS_Y = 30;
const LEVEL = 20;
const BAR_STEP = 9;
const NUMBERED_FROM = 440; // on narrower pages names need the space; axis and tooltip show the mean

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
  const [found, of] = [critical[measure], measures[measure]];
  if (!found) return wordScene(width, "The diagram requires at least three runs, and all pairs compared.");
  const sign = of.lower ? 1 : -1;
  const order = runs.map((_, run) => run).filter((run) => Number.isFinite(found.means[run])).sort((x, y) =>
    sign * (found.means[x] - found.means[y]) || x - y
  );
  // The axis gets at least half of the width.
  const side = Math.min(
    0.25 * width,
    80 + Math.max(...order.map((run) => textWidth(book.short[run].slice(0, 80), TEXT_SIZE))),
  );
  const [low, high] = extent(found.means);
  // The best mean is on the left.
  const x = linearScale(niceDomain(low, high, 5), of.lower ? [side, width - side] : [width - side, side]);
  const numbered = width >= NUMBERED_FROM;
  const groups = groupsOf(found, x);
  const levels = barLevels(groups.map((at) => [at[0] - 3, at[at.length - 1] + 3]));
  const first = AXIS_Y + 16 + BAR_STEP * Math.max(0, ...levels.map((level) => level + 1)) + 12;
  const half = Math.ceil(order.length / 2);
  const best = order[0];
  const label = `Means of ${of.name} over ${plural(found.queries, "query", "queries")}: ${
    nameText(runs[best])
  } has the best, ${meanText(found.means[best], of)}. Bars join runs without a clear difference.`;
  const scene = emptyScene(width, first + half * LEVEL + 2, label);
  scene.marks.push(...meanAxis(x, width));
  order.forEach((run, i) => {
    const left = i < half;
    const y = first + (left ? i : order.length - 1 - i) * LEVEL;
    const at = x.at(found.means[run]);
    const end = left ? side - 12 : width - side + 12;
    const mean = meanText(found.means[run], of);
    scene.marks.push(...leaderMarks({ name: book.short[run], run, mean, at, y, end, left, side, numbered }));
    scene.spots.push({ x: at, y: AXIS_Y, datum: run, r: 4 });
    const box = { x: left ? 0 : width - side, y: y - LEVEL / 2, width: side, height: LEVEL };
    scene.spots.push({ x: left ? side / 2 : width - side / 2, y, datum: run, box });
  });
  groups.forEach((members, i) => {
    const y = AXIS_Y + 16 + levels[i] * BAR_STEP;
    const [from, to] = [members[0] - 3, members[members.length - 1] + 3];
    scene.marks.push({ kind: "line", x1: from, x2: to, y1: y, y2: y, stroke: "ink", width: 4.5, round: true });
    for (const at of members) scene.marks.push({ kind: "circle", x: at, y, r: 1.5, fill: "paper" });
  });
  scene.tip = (run) => [nameText(runs[run], 80), `mean ${meanText(found.means[run], of)}`];
  return scene;
}

/** Return the runs of each bar in pixels, from left to right. @param {Critical} found @param {Scale} x @returns {number[][]} */
function groupsOf({ bars, means }, x) {
  return bars.filter((bar) => bar.length > 1).map((bar) => bar.map((run) => x.at(means[run])).sort((p, q) => p - q))
    .sort((
      p,
      q,
    ) => p[0] - q[0]);
}

/** @param {Scale} x @param {number} width @returns {Mark[]} */
function meanAxis(x, width) {
  const ticks = x.ticks(width < 480 ? 3 : 5);
  const texts = tickTexts(ticks);
  /** @type {Mark[]} */
  const marks = [{
    kind: "line",
    x1: Math.min(...x.range),
    x2: Math.max(...x.range),
    y1: crisp(AXIS_Y),
    y2: crisp(AXIS_Y),
    stroke: "ink",
    width: 1,
  }];
  ticks.forEach((tick, i) => {
    const at = crisp(x.at(tick));
    marks.push({ kind: "line", x1: at, x2: at, y1: AXIS_Y - 6, y2: AXIS_Y, stroke: "ink", width: 1 });
    marks.push({
      kind: "text",
      x: at,
      y: AXIS_Y - 11,
      text: texts[i],
      size: SMALL_SIZE,
      fill: "soft",
      anchor: "middle",
    });
  });
  return marks;
}

/**
 * The line from the axis to the name of a run.
 *
 * @param {{name: string, run: number, mean: string, at: number, y: number, end: number, left: boolean, side: number, numbered: boolean}} of
 *   at: position on the axis; end: end of the line; side: width for names; numbered: whether to show the mean next to the name
 * @returns {Mark[]}
 */
function leaderMarks({ name, run, mean, at, y, end, left, side, numbered }) {
  const text = numbered ? mean : "";
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
  const header = ["run", "measure", "mean", "bars"];
  const bars = (/** @type {number} */ run) =>
    found?.bars.flatMap((bar, i) => (bar.includes(run) ? [i + 1] : [])).join(" ");
  const rows = found ? runs.map((run, i) => [run, measures[measure].name, found.means[i], bars(i) ?? ""]) : [];
  return { name: `groups-${measures[measure].name}`, header, rows };
}
