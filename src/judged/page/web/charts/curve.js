/** Curves with one line per run: precision-recall, or a measure as a function of the cutoff. */
import { between, integerText, numberText, percent } from "../data/format.js";
import { legendMarks } from "../kit/chart.js";
import {
  AXIS_ROOM,
  bottomAxis,
  endRoom,
  extent,
  leftAxis,
  leftRoom,
  linearScale,
  logScale,
  niceDomain,
  tickTexts,
  uprightTicks,
} from "../kit/scale.js";
import { bandPath, circleAt, dashOf, emptyScene, linePath, pathOf, wordScene } from "../kit/scene.js";
import { nameText } from "../kit/text.js";
/** @import { Book, Coverage, Line, Picture } from "../data/data.js" */
/** @import { Sheet } from "../kit/files.js" */
/** @import { Scale } from "../kit/scale.js" */
/** @import { Mark, Scene } from "../kit/scene.js" */
/** @import { View } from "./common.js" */

/**
 * @typedef {{texts?: (ticks: number[]) => string[], value?: (y: number) => string, interval?: string, named?: boolean}} Writing
 *   how to format y, the name of the band, and whether to label lines (not if several charts share a legend)
 * @typedef {{colour: string, strong: boolean, style: number}} Paint of a line: its colour, whether it is in focus, and its dash pattern
 */

const MOST_BANDS = 4; // more bands hide each other
const MOST_COLOURED = 4; // of more runs, only those in focus have their colour
const MOST_TOLD = 10;

/** Return the paint of a run: the pair and a highlighted run are strong. @param {Book} book @param {View} view @param {number} run @returns {Paint} */
export function linePaint(book, view, run) {
  const { lit = -1 } = view;
  const strong = lit >= 0 ? run === lit : run === view.a || run === view.b;
  const coloured = strong || run === view.a || run === view.b || (lit < 0 && book.facts.runs.length <= MOST_COLOURED);
  const style = run === view.b ? 0 : run === view.a ? 1 : 2 + run;
  return { colour: coloured ? book.colour(run, view) : "context", strong, style };
}

/** @param {Picture} picture @returns {[number, number]} */
function xDomain({ kind, lines, log }) {
  if (kind === "pr" || kind === "ipr") return [0, 1];
  const [low, high] = extent(lines.flatMap(({ x }) => (log ? x.filter((value) => value > 0) : x)));
  if (Number.isNaN(low)) return [1, 10];
  return low === high ? [low, log ? low * 10 : low + 1] : [low, high];
}

/** @param {Picture} picture @returns {[number, number]} */
function yDomain({ lines, unit }) {
  const banded = lines.length <= MOST_BANDS;
  const all = lines.flatMap(({ y, low, high }) => banded ? [...y, ...(low ?? []), ...(high ?? [])] : y);
  const [low, high] = extent(all);
  if (unit && !(low < 0) && !(high > 1)) return [0, 1];
  return niceDomain(Math.min(0, low), Math.max(0, high), 5);
}

/** @param {Book} book @param {View} view @param {Picture} picture @param {number} width @param {Writing} [writing] @returns {Scene} */
export function curveScene(book, view, picture, width, writing = {}) {
  const { lines } = picture;
  if (!lines.some(({ y }) => y.some(Number.isFinite))) return wordScene(width, "No run has a value.");
  const { texts = tickTexts, named = true } = writing;
  const tall = Math.round(Math.max(210, Math.min(300, 0.6 * width)));
  const [xs, ys] = [xDomain(picture), yDomain(picture)];
  const left = leftRoom(texts(uprightTicks(linearScale(ys, [tall, 0]))));
  const scales = (/** @type {number} */ right, /** @type {number} */ top) => ({
    x: (picture.log ? logScale : linearScale)(xs, [left, width - right]),
    y: linearScale(ys, [top + tall, top]),
  });
  const edge = endRoom(scales(14, 0).x) + 1;
  const painted = lines.map((line) => ({ ...line, name: book.short[line.run], ...linePaint(book, view, line.run) }));
  const told = painted.filter(({ colour }) => colour !== "context");
  const entries = told.map((line) => ({ text: line.name, note: line.mark, colour: line.colour, style: line.style }));
  if (told.length < painted.length) {
    entries.push({ text: `${painted.length - told.length} other runs`, note: "", colour: "context", style: 0 });
  }
  const alone = lines.length < 2 && !lines[0]?.mark;
  const legend = alone || !named ? { marks: [], height: 0 } : legendMarks(entries, width);
  const top = legend.height + 28;
  const { x, y } = scales(edge, top);
  const plot = { x: left, y: top, width: x.range[1] - left, height: tall };
  const scene = emptyScene(width, top + tall + AXIS_ROOM, curveLabel(book, picture), plot);
  const whole = picture.kind !== "pr" && picture.kind !== "ipr";
  const front = [...painted.filter(({ strong }) => !strong), ...painted.filter(({ strong }) => strong)];
  scene.marks.push(
    ...legend.marks,
    ...leftAxis(y, { x: left, right: x.range[1], title: picture.y, titleY: top - 12, texts }),
    ...bottomAxis(x, { wide: width, y: top + tall, top, title: picture.x, whole }),
    ...(lines.length <= MOST_BANDS ? front.flatMap((line) => bandMarks(line, x, y)) : []),
    ...front.flatMap((line) => lineMarks(line, x, y)),
  );
  addPoints(scene, book, view, picture, x, y, writing);
  return scene;
}

/** Describe the curves: the last value of the best runs. @param {Book} book @param {Picture} picture */
function curveLabel(book, { title, x, y, lines }) {
  const ends = lines.map((line) => {
    const last = line.y.findLastIndex(Number.isFinite);
    return { name: book.short[line.run], value: line.y[last] ?? NaN, at: line.x[last] ?? NaN };
  });
  const told = ends.filter(({ value }) => Number.isFinite(value)).slice(0, MOST_TOLD).map(({ name, value, at }) =>
    `${name} ends at ${numberText(value, 3)} for ${x} ${Number.isInteger(at) ? integerText(at) : numberText(at, 2)}`
  );
  return `${title}: ${y} by ${x}. ${told.join("; ")}.`;
}

/** @param {Line & Paint} line @param {Scale} x @param {Scale} y @returns {Mark[]} */
function bandMarks({ x: at, low, high, rule, colour }, x, y) {
  if (!low || !high) return [];
  const place = (/** @type {number[]} */ values) => values.map((value) => (Number.isFinite(value) ? y.at(value) : NaN));
  const d = bandPath(at.map(x.at), place(low), place(high), rule);
  return d ? [pathOf(d, { fill: colour, opacity: 0.13 })] : [];
}

/** Points in pixels; missing values are NaN. @param {Line} line @param {Scale} x @param {Scale} y @returns {[number, number][]} */
function linePixels(line, x, y) {
  return line.x.map((at, i) => [x.at(at), Number.isFinite(line.y[i]) ? y.at(line.y[i]) : NaN]);
}

/** A line, and a dot if it has one point only. @param {Line & Paint} line @param {Scale} x @param {Scale} y @returns {Mark[]} */
function lineMarks(line, x, y) {
  const points = linePixels(line, x, y);
  const d = linePath(points, line.rule);
  const known = points.filter(([, py]) => Number.isFinite(py));
  if (known.length === 1) return [circleAt(known[0][0], known[0][1], 3.6, { fill: line.colour })];
  if (line.colour === "context") return [pathOf(d, { stroke: "context", width: 1, dash: [], opacity: 0.7 })];
  return [pathOf(d, { stroke: line.colour, width: line.strong ? 2.4 : 1.6, dash: dashOf(line.style) })];
}

/**
 * Make every point hoverable: a datum is a rank, or a place on the x axis, with the values of all runs there.
 *
 * @param {Scene} scene @param {Book} book @param {View} view @param {Picture} picture @param {Scale} x @param {Scale} y @param {Writing} writing
 */
function addPoints(scene, book, view, picture, x, y, { value = (of) => numberText(of) }) {
  const places = picture.lines.map((line) => line.at ?? line.x);
  const all = [...new Set(places.flat())].filter(Number.isFinite).sort((p, q) => p - q);
  const datumAt = new Map(all.map((place, i) => [place, i]));
  picture.lines.forEach((line, k) => {
    linePixels(line, x, y).forEach(([px, py], i) => {
      const datum = datumAt.get(places[k][i]);
      if (!Number.isFinite(px) || !Number.isFinite(py) || datum === undefined) return;
      scene.spots.push({ x: px, y: py, datum, r: 2 });
    });
  });
  scene.hover = picture.kind === "pr" ? "near" : "x";
  scene.cross = true;
  const shown = (/** @type {number} */ number) =>
    Number.isInteger(number) ? integerText(number) : numberText(number, 2);
  scene.tip = (datum) => {
    const found = picture.lines.flatMap((line, k) => {
      const i = places[k].indexOf(all[datum]);
      return i >= 0 && Number.isFinite(line.y[i]) ? [{ line, i }] : [];
    });
    const focus = (/** @type {{line: Line}} */ { line: { run } }) =>
      Number(run === view.a || run === view.b || run === view.lit);
    found.sort((p, q) => q.line.y[q.i] - p.line.y[p.i]);
    const kept = found.length > MOST_TOLD
      ? [...found.filter(focus), ...found.filter((one) => !focus(one))].slice(0, MOST_TOLD)
      : found;
    const recall = picture.kind === "pr"
      ? (/** @type {Line} */ line, /** @type {number} */ i) => ` at recall ${numberText(line.x[i], 2)}`
      : () => "";
    const lines = kept.map(({ line, i }) => {
      const [low, high] = [line.low?.[i] ?? NaN, line.high?.[i] ?? NaN];
      const band = Number.isFinite(low) && Number.isFinite(high) ? ` ${between(low, high, value)}` : "";
      return `${nameText(book.short[line.run], 40)}${line.mark && ` ${line.mark}`}: ${value(line.y[i])}${
        recall(line, i)
      }${band}`;
    });
    const more = found.length - kept.length;
    return [
      `${picture.at || picture.x} ${shown(all[datum])}`,
      ...lines,
      ...(more > 0 ? [`and ${more} more runs`] : []),
    ];
  };
}

/** @param {Picture} picture @returns {Sheet} */
export function curveCsv({ kind, lines, x, y, at }) {
  const found = lines.some((line) => line.at);
  const banded = lines.some((line) => line.low && line.high);
  const header = ["run", ...(found && at !== x ? [at] : []), x, y, ...(banded ? ["low", "high"] : [])];
  const rowOf = (/** @type {Line} */ line, /** @type {number} */ i) => [
    line.name,
    ...(found && at !== x ? [line.at?.[i]] : []),
    line.x[i],
    line.y[i],
    ...(banded ? [line.low?.[i], line.high?.[i]] : []),
  ];
  const rows = lines.flatMap((line) => line.x.map((_, i) => rowOf(line, i)));
  return { name: `curve-${kind}`, header, rows };
}

// ── The share of judged documents at each rank ──

const LOG_FROM = 100;

/** The shares as curves. @param {string[]} runs @param {Coverage} coverage @returns {Picture} */
export function coveragePicture(runs, { ranks, shares }) {
  /** @type {Picture["lines"]} */
  const lines = runs.map((name, run) => {
    const y = shares[run];
    return { name, run, x: ranks, y, at: null, low: null, high: null, rule: "line", mark: "" };
  });
  const log = Math.max(0, ...ranks) > LOG_FROM;
  const texts = { title: "Judged documents", x: "rank", y: "judged documents", at: "rank" };
  return { kind: "coverage", ...texts, log, unit: true, lines, notes: [] };
}

/** How the shares are written. @type {Writing} */
export const SHARES = { texts: (ticks) => ticks.map(percent), value: percent };
