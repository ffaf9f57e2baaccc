/** Curves with one line per run: precision-recall, or a measure as a function of the cutoff. */
import { between, integerText, numberText } from "../data/format.js";
import { bottomAxis, bottomRoom, endRoom, leftAxis, leftRoom, uprightTicks } from "../kit/axis.js";
import { legendMarks } from "../kit/legend.js";
import { extent, linearScale, logScale, niceDomain, tickTexts } from "../kit/scale.js";
import { emptyScene, wordScene } from "../kit/scene.js";
import { bandPath, dashOf, linePath, markerMark } from "../kit/shape.js";
import { nameText, runColour } from "./common.js";
import { endLabels } from "./line-labels.js";

/** @typedef {import("../data/data.js").Picture} Picture */
/** @typedef {import("../data/data.js").Line} Line */
/** @typedef {import("../kit/scene.js").Scene} Scene */
/** @typedef {import("../kit/scene.js").Mark} Mark */
/** @typedef {import("../kit/scale.js").Scale} Scale */
/**
 * @typedef {{texts?: (ticks: number[]) => string[], value?: (y: number) => string, interval?: string, named?: boolean,
 *   names?: string[]}} Writing
 *   how to format y, the name of the band, whether to label lines (not if several charts share a legend), and the names of runs
 */

const MOST_BANDS = 4; // more bands hide each other
const MARKER_EVERY = 72;

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
  const all = lines.flatMap((
    { y, low, high },
  ) => [...y, ...(banded && low ? low : []), ...(banded && high ? high : [])]);
  const [low, high] = extent(all);
  if (unit && !(low < 0) && !(high > 1)) return [0, 1];
  return niceDomain(Math.min(0, low), Math.max(0, high), 5);
}

/**
 * @param {Picture} picture @param {number} width @param {Writing} [writing] @returns {Scene}
 */
export function curveScene(picture, width, writing = {}) {
  const { lines } = picture;
  if (!lines.some(({ y }) => y.some(Number.isFinite))) {
    return wordScene(width, "No run has a value.");
  }
  const { texts = tickTexts, named = true, names } = writing;
  const tall = Math.round(Math.max(210, Math.min(300, 0.6 * width)));
  const [xs, ys] = [xDomain(picture), yDomain(picture)];
  const left = leftRoom(texts(uprightTicks(linearScale(ys, [tall, 0]))));
  const scales = (/** @type {number} */ right, /** @type {number} */ top) => ({
    x: (picture.log ? logScale : linearScale)(xs, [left, width - right]),
    y: linearScale(ys, [top + tall, top]),
  });
  const edge = endRoom(scales(14, 0).x) + 1;
  const titled = lines.map((line) => ({ ...line, name: names?.[line.run] ?? line.name }));
  const ends = named ? endLabels(titled, width, (room) => scales(room, 28)) : null;
  const entries = titled.map((line) => ({
    text: line.name,
    note: line.mark,
    colour: runColour(line.run),
    style: line.run,
  }));
  const alone = lines.length < 2 && !lines[0]?.mark;
  const legend = ends || alone || !named ? { marks: [], height: 0 } : legendMarks(entries, width);
  const top = legend.height + 28;
  const { x, y } = scales(ends ? ends.room : edge, top);
  const plot = { x: left, y: top, width: x.range[1] - left, height: tall };
  const label = `${picture.title}: ${picture.y} by ${picture.x}, ${lines.length} ${
    lines.length === 1 ? "line" : "lines"
  }.`;
  const scene = emptyScene(width, top + tall + bottomRoom(true), label, plot);
  scene.marks.push(
    ...legend.marks,
    ...leftAxis(y, { x: left, right: x.range[1], title: picture.y, titleY: top - 12, texts }),
    ...bottomAxis(x, {
      wide: width,
      y: top + tall,
      top,
      title: picture.x,
      whole: picture.kind !== "pr" && picture.kind !== "ipr",
    }),
    ...(picture.kind === "pr" ? equalF1(x, y, lines) : []),
    ...(lines.length <= MOST_BANDS ? lines.flatMap((line) => bandMarks(line, x, y)) : []),
    ...lines.map((line) => lineMark(line, x, y)),
    ...lines.flatMap((line, i) => markersOf(line, i, x, y)),
    ...(ends ? ends.marks : []),
  );
  addPoints(scene, picture, x, y, writing);
  return scene;
}

/**
 * Lines of equal F1, labelled unless a curve is in the way.
 *
 * @param {Scale} x @param {Scale} y @param {Line[]} lines @returns {Mark[]}
 */
function equalF1(x, y, lines) {
  return [0.2, 0.4, 0.6, 0.8].flatMap((f) => {
    const from = f / (2 - f);
    const half = Array.from({ length: 40 }, (_, i) => 1 + ((f - 1) * i) / 39).map((p) => [(f * p) / (2 * p - f), p]);
    const points = [...half, ...half.map(([r, p]) => [p, r]).reverse()];
    const d = linePath(points.map(([recall, precision]) => [x.at(recall), y.at(precision)]));
    const at = [x.at(1) - 3, y.at(from) - 4];
    const hidden = lines.some((line) =>
      linePixels(line, x, y).some(([px, py]) => px > at[0] - 48 && Math.abs(py - at[1] + 4) < 16)
    );
    /** @type {Mark[]} */
    const marks = [{ kind: "path", d, stroke: "faint", width: 1 }];
    if (!hidden) {
      marks.push({
        kind: "text",
        x: at[0],
        y: at[1],
        text: `F1 ${f}`,
        fill: "soft",
        size: 10,
        anchor: "end",
        halo: "paper",
      });
    }
    return marks;
  });
}

/** @param {Line} line @param {Scale} x @param {Scale} y @returns {Mark[]} */
function bandMarks({ x: at, low, high, rule, run }, x, y) {
  if (!low || !high) return [];
  const place = (/** @type {number[]} */ values) => values.map((value) => (Number.isFinite(value) ? y.at(value) : NaN));
  const d = bandPath(at.map(x.at), place(low), place(high), rule);
  return d ? [{ kind: "path", d, fill: runColour(run), opacity: 0.13 }] : [];
}

/**
 * Points in pixels; missing values are NaN.
 *
 * @param {Line} line @param {Scale} x @param {Scale} y @returns {[number, number][]}
 */
function linePixels(line, x, y) {
  return line.x.map((at, i) => [x.at(at), Number.isFinite(line.y[i]) ? y.at(line.y[i]) : NaN]);
}

/** @param {Line} line @param {Scale} x @param {Scale} y @returns {Mark} */
function lineMark(line, x, y) {
  return {
    kind: "path",
    d: linePath(linePixels(line, x, y), line.rule),
    stroke: runColour(line.run),
    width: 1.8,
    dash: dashOf(line.run),
  };
}

/**
 * Markers at even distances along a line, staggered between lines; a single point always has one.
 *
 * @param {Line} line @param {number} i @param {Scale} x @param {Scale} y @returns {Mark[]}
 */
function markersOf(line, i, x, y) {
  const points = linePixels(line, x, y).filter(([px, py]) => Number.isFinite(px) && Number.isFinite(py));
  let last = -Infinity;
  let gone = points.length > 3 ? MARKER_EVERY * (1 - ((i * 0.31) % 1)) : MARKER_EVERY;
  /** @type {Mark[]} */
  const marks = [];
  points.forEach(([px, py], j) => {
    if (j) gone += Math.abs(px - last) + Math.abs(py - points[j - 1][1]) / 2;
    last = px;
    if (gone < MARKER_EVERY && points.length > 1) return;
    gone = 0;
    marks.push(markerMark(line.run, px, py, runColour(line.run)));
  });
  return marks;
}

/**
 * Make every point hoverable.
 *
 * @param {Scene} scene @param {Picture} picture @param {Scale} x @param {Scale} y @param {Writing} writing
 */
function addPoints(scene, picture, x, y, { value = (of) => numberText(of), interval = "interval" }) {
  /** @type {[Line, number][]} */
  const points = [];
  for (const line of picture.lines) {
    linePixels(line, x, y).forEach(([px, py], i) => {
      if (!Number.isFinite(px) || !Number.isFinite(py)) return;
      scene.spots.push({ x: px, y: py, datum: points.length, r: 3 });
      points.push([line, i]);
    });
  }
  scene.tip = (datum) => {
    const [line, i] = points[datum];
    const [low, high, at] = [line.low?.[i] ?? NaN, line.high?.[i] ?? NaN, line.at?.[i] ?? NaN];
    const shown = (
      /** @type {number} */ number,
    ) => (Number.isInteger(number) ? integerText(number) : numberText(number));
    return [
      nameText(line.name, 80),
      `${picture.x} ${shown(line.x[i])}`,
      `${picture.y} ${value(line.y[i])}`,
      ...(Number.isFinite(low) && Number.isFinite(high) ? [`${interval} ${between(low, high, value)}`] : []),
      ...(Number.isFinite(at) && at !== line.x[i] ? [`${picture.at} ${shown(at)}`] : []),
      ...(line.mark ? [line.mark] : []),
    ];
  };
}

/** @param {Picture} picture @returns {import("../kit/csv.js").Sheet} */
export function curveCsv({ kind, lines, x, y, at }) {
  const found = lines.some((line) => line.at);
  const banded = lines.some((line) => line.low && line.high);
  const header = ["run", ...(found && at !== x ? [at] : []), x, y, ...(banded ? ["low", "high"] : [])];
  const rows = lines.flatMap((line) =>
    line.x.map((value, i) => [
      line.name,
      ...(found && at !== x ? [line.at?.[i]] : []),
      value,
      line.y[i],
      ...(banded ? [line.low?.[i], line.high?.[i]] : []),
    ])
  );
  return { name: `curve-${kind}`, header, rows };
}
