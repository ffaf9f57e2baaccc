/** Values of two runs per query: above the diagonal, b has the higher value. */
import { plural } from "../data/format.js";
import { bottomAxis, bottomRoom, leftAxis, leftRoom } from "../kit/axis.js";
import { extent, linearScale, niceDomain, tickTexts, valueAt } from "../kit/scale.js";
import { emptyScene, SMALL_SIZE, wordScene } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import { filterName } from "../table/filter.js";
import { axisName, dimmed, viewedQueries, viewKey, wordMarks } from "./common.js";
import { rangeFilter } from "./spread.js";
import { differenceLines } from "./difference.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */
/** @typedef {import("../kit/scene.js").Mark} Mark */
/** @typedef {import("../kit/scale.js").Scale} Scale */
/** @typedef {{a: number, b: number, queries: number[]}} Place one or more queries with the same two values */

const SCATTER_LARGEST = 460;
const SCATTER_TOP = 50; // for a line of text and the title of the axis
const SCATTER_INSET = 12; // so that dots at the ends of the scales are not clipped
const LARGEST_DOT = 7; // larger dots would hide their neighbours

/** Group the queries with both values by their values. @param {Book} book @param {View} view @returns {Place[]} */
export function scatterPlaces(book, view) {
  return book.once("places", viewKey(view), () => groupedPlaces(book, view));
}

/** @param {Book} book @param {View} view @returns {Place[]} */
function groupedPlaces(book, view) {
  const [first, second] = [book.column(view.measure, view.a), book.column(view.measure, view.b)];
  /** @type {Map<number, Map<number, Place>>} */
  const columns = new Map();
  /** @type {Place[]} */
  const places = [];
  for (const query of viewedQueries(book, view)) {
    const [a, b] = [first[query], second[query]];
    if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
    let column = columns.get(a);
    if (!column) columns.set(a, column = new Map());
    const place = column.get(b);
    if (place) place.queries.push(query);
    else {
      const made = { a, b, queries: [query] };
      column.set(b, made);
      places.push(made);
    }
  }
  return places;
}

/**
 * Return the domain and size of the plot.
 *
 * @param {Book} book @param {View} view @param {Place[]} places @param {number} width
 */
function scatterFrame(book, view, places, width) {
  const of = book.facts.measures[view.measure];
  const [low, high] = extent(places.flatMap(({ a, b }) => [a, b]));
  const domain = of.unit && low >= 0 && high <= 1 ? /** @type {[number, number]} */ ([0, 1]) : niceDomain(low, high, 5);
  const texts = tickTexts(linearScale(domain, [0, SCATTER_LARGEST]).ticks(5));
  const left = leftRoom(texts);
  const beyond = Math.max(12, Math.ceil(textWidth(texts.at(-1) ?? "", SMALL_SIZE) / 2) - SCATTER_INSET + 2);
  const size = Math.min(width, SCATTER_LARGEST) - left - beyond;
  return { domain, left, beyond, size, height: SCATTER_TOP + size + bottomRoom(true) };
}

/** Return the height of the chart for a width, for an adjacent chart. @param {Book} book @param {View} view @param {number} width */
export function scatterHeight(book, view, width) {
  return scatterFrame(book, view, scatterPlaces(book, view), width).height;
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function scatterScene(book, view, width) {
  const of = book.facts.measures[view.measure];
  const places = scatterPlaces(book, view);
  if (!places.length) return wordScene(width, `No query has a value of ${of.name} for both runs.`);
  const { domain, left, beyond, size, height } = scatterFrame(book, view, places, width);
  const x = linearScale(domain, [left + SCATTER_INSET, left + size - SCATTER_INSET]);
  const y = linearScale(domain, [SCATTER_TOP + size - SCATTER_INSET, SCATTER_TOP + SCATTER_INSET]);
  const [a, b] = [view.a, view.b].map((run) => axisName(book.short[run], 2 * size));
  const plot = { x: left, y: SCATTER_TOP, width: size, height: size };
  const label = `${of.name} of ${b} versus ${a}, one dot per query.`;
  const scene = emptyScene(left + size + beyond, height, label, plot);
  const ticks = y.ticks(size > 300 ? 5 : 4);
  scene.marks.push(
    ...leftAxis(y, { x: left, right: left + size, title: `${b}, ${of.name}`, titleY: SCATTER_TOP - 14, ticks }),
    ...bottomAxis(x, { y: SCATTER_TOP + size, wide: scene.width, top: SCATTER_TOP, title: `${a}, ${of.name}` }),
    {
      kind: "line",
      x1: x.at(domain[0]),
      y1: y.at(domain[0]),
      x2: x.at(domain[1]),
      y2: y.at(domain[1]),
      stroke: "soft",
      width: 1,
      dash: [4, 3],
    },
    ...dotMarks(places, x, y, of.lower, view.picked ?? null),
    ...(view.a === view.b ? [] : sideMarks(book.short[view.a], book.short[view.b], of.lower, scene.width)),
  );
  scene.spots = places.flatMap(({ a, b, queries }) => {
    const r = dotSize(queries.length, places.length);
    return queries.map((datum) => ({ x: x.at(a), y: y.at(b), datum, r }));
  });
  scene.tip = scatterTip(book, view, places);
  scene.brush = (from, to) => {
    const names = [view.a, view.b].map((run) => filterName(book.facts.runs[run]));
    return `${rangeFilter(names[0], valueAt(x, from.x), valueAt(x, to.x))} ${
      rangeFilter(names[1], valueAt(y, to.y), valueAt(y, from.y))
    }`;
  };
  return scene;
}

/** Return the size of a dot: smaller if there are many, larger for several queries, within limits. @param {number} queries @param {number} places */
function dotSize(queries, places) {
  const one = places > 3000 ? 1.6 : places > 500 ? 2.2 : places > 120 ? 2.6 : 3.4;
  return Math.min(one * (1 + 0.25 * Math.log2(queries)), LARGEST_DOT);
}

/**
 * Draw larger dots behind smaller ones, outlined unless there are too many.
 *
 * @param {Place[]} places @param {Scale} x @param {Scale} y @param {boolean} lower @param {Set<number> | null} picked @returns {Mark[]}
 */
function dotMarks(places, x, y, lower, picked) {
  const opacity = places.length > 3000 ? 0.4 : places.length > 500 ? 0.55 : 0.75;
  const rim = places.length > 500 ? {} : { stroke: "paper", width: 0.75 };
  return [...places].sort((p, q) => q.queries.length - p.queries.length).map(({ a, b, queries }) => {
    const gain = lower ? a - b : b - a;
    const fill = gain > 0 ? "better" : gain < 0 ? "worse" : "same";
    return {
      kind: "circle",
      x: x.at(a),
      y: y.at(b),
      r: dotSize(queries.length, places.length),
      fill,
      ...rim,
      opacity: dimmed(picked !== null && !queries.some((query) => picked.has(query))) ?? opacity,
    };
  });
}

/**
 * State which run is better on which side of the diagonal, above the plot.
 *
 * @param {string} a @param {string} b @param {boolean} lower @param {number} width @returns {Mark[]}
 */
function sideMarks(a, b, lower, width) {
  const [above, below] = lower ? [a, b] : [b, a];
  const most = (width - 12 - textWidth("↖  better ↘  better", SMALL_SIZE, true)) / 2;
  const words = (/** @type {string} */ arrow, /** @type {string} */ run) => ({
    text: `${arrow} ${fitText(run, Math.max(20, most), SMALL_SIZE, true)} better`,
    fill: run === b ? "better" : "worse",
    bold: true,
  });
  return wordMarks([words("↖", above), words("↘", below)], 0, 13);
}

/** @param {Book} book @param {View} view @param {Place[]} places @returns {(query: number) => string[]} */
function scatterTip(book, view, places) {
  /** @type {Map<number, number>} */
  const others = new Map();
  for (const { queries } of places) {
    if (queries.length > 1) queries.forEach((query) => others.set(query, queries.length - 1));
  }
  return (query) => {
    const more = others.get(query);
    const lines = differenceLines(book, view, query);
    return more ? [...lines, `and ${plural(more, "other query", "other queries")} with these values`] : lines;
  };
}

/** @param {Book} book @param {View} view @returns {import("../kit/csv.js").Sheet} */
export function scatterCsv(book, view) {
  const { runs, measures, queries } = book.facts;
  const value = (/** @type {number} */ run, /** @type {number} */ query) => book.value(view.measure, run, query);
  const rows = viewedQueries(book, view).map((query) => [queries[query], value(view.a, query), value(view.b, query)]);
  const name = `scatter-${measures[view.measure].name}-${runs[view.b]}-${runs[view.a]}`;
  return { name, header: ["query", runs[view.a], runs[view.b]], rows };
}
