/** Labels at the ends of lines, instead of a legend, if they fit. */
import { SMALL_SIZE } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
/** @import { Line } from "../data/data.js" */
/** @import { Scale } from "../kit/scale.js" */
/** @import { Mark } from "../kit/scene.js" */

/** @typedef {{name: string, mark: string, colour: string, x: number, y: number}} End */

const ENDS_FROM = 560; // on narrower pages the plot needs the width
const MOST_ENDS = 8;
const END_STEP = 16;
const END_SHIFT = 34;
const END_GAP = 22;

/**
 * Move sorted heights apart by at least `step`, each as little as possible.
 *
 * @param {number[]} heights @param {number} step @param {[number, number]} [within] @returns {number[]}
 */
export function spaceOut(heights, step, [least, most] = [-Infinity, Infinity]) {
  /** @type {{from: number, count: number, sum: number}[]} */
  const blocks = [];
  heights.forEach((height, i) => {
    blocks.push({ from: i, count: 1, sum: height });
    while (blocks.length > 1) {
      const [upper, lower] = blocks.slice(-2);
      if (blockTop(lower, step) - blockTop(upper, step) >= upper.count * step) break;
      blocks.splice(-2, 2, { from: upper.from, count: upper.count + lower.count, sum: upper.sum + lower.sum });
    }
  });
  const free = blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, i) => blockTop(block, step) + i * step)
  );
  const lowered = free.map((height, i) => Math.max(height, least + i * step));
  return lowered.map((height, i) => Math.min(height, most - (free.length - 1 - i) * step));
}

/** @param {{count: number, sum: number}} block @param {number} step */
function blockTop({ count, sum }, step) {
  return sum / count - ((count - 1) * step) / 2;
}

/** Return the last point of a line. @param {Line & {colour: string}} line @param {{x: Scale, y: Scale}} scales @returns {End | null} */
function endOf(line, { x, y }) {
  for (let i = line.x.length - 1; i >= 0; i--) {
    const [px, py] = [x.at(line.x[i]), y.at(line.y[i])];
    if (Number.isFinite(line.y[i]) && Number.isFinite(px)) {
      return { name: line.name, mark: line.mark, colour: line.colour, x: px, y: py };
    }
  }
  return null;
}

/**
 * Labels to the right of the plot and the width they need; null if they do not fit.
 *
 * @param {(Line & {colour: string})[]} lines @param {number} width @param {(room: number) => {x: Scale, y: Scale}} scales
 * @returns {{room: number, marks: Mark[]} | null}
 */
export function endLabels(lines, width, scales) {
  if (width < ENDS_FROM || lines.length > MOST_ENDS || lines.length < 2) return null;
  const most = width * 0.24;
  const names = lines.map((line) => fitText(line.name, most, SMALL_SIZE, true));
  const wide = Math.max(
    ...lines.map(({ mark }, i) => Math.max(textWidth(names[i], SMALL_SIZE, true), textWidth(mark, SMALL_SIZE))),
  );
  const room = Math.ceil(wide) + END_GAP + 2;
  const placed = scales(room);
  const ends = lines.map((line) => endOf(line, placed)).filter((end) => end !== null).sort((p, q) => p.y - q.y);
  const edge = placed.x.range[1];
  if (ends.some((end) => edge - end.x > 0.04 * width)) return null;
  const step = lines.some(({ mark }) => mark) ? END_STEP * 1.8 : END_STEP;
  const [bottom, top] = placed.y.range;
  const heights = spaceOut(ends.map(({ y }) => y), step, [top - 12, bottom + 12]);
  if (heights.some((height, i) => Math.abs(height - ends[i].y) > END_SHIFT)) return null;
  return { room, marks: ends.flatMap((end, i) => endMarks(end, heights[i], edge, most)) };
}

/** @param {End} end @param {number} y @param {number} edge @param {number} most @returns {Mark[]} */
function endMarks({ name, mark, colour, x, y: from }, y, edge, most) {
  const at = edge + END_GAP;
  /** @type {Mark[]} */
  const marks = [{ kind: "line", x1: x + 3, y1: from, x2: at - 4, y2: y, stroke: colour, width: 1.6 }, {
    kind: "text",
    x: at,
    y: y + 4,
    text: fitText(name, most, SMALL_SIZE, true),
    fill: "ink",
    size: SMALL_SIZE,
    bold: true,
  }];
  if (mark) marks.push({ kind: "text", x: at, y: y + 17, text: mark, fill: "soft", size: SMALL_SIZE });
  return marks;
}
