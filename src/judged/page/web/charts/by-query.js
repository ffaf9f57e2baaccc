/** The difference of each query, from the largest gain to the largest loss. */
import { between, integerText, plural, signedText, signedValue, valueText } from "../data/format.js";
import {
  bandScale,
  bottomAxis,
  bottomRoom,
  extent,
  leftAxis,
  leftRoom,
  linearScale,
  niceDomain,
  tickTexts,
  uprightTicks,
  valueAt,
} from "../kit/scale.js";
import { crisp, emptyScene, SMALL_SIZE, wordScene } from "../kit/scene.js";
import { fitText, textWidth } from "../kit/text.js";
import { filterName } from "../table/filter.js";
import {
  axisName,
  dimmed,
  intervalOf,
  nameText,
  queriesText,
  queryLines,
  viewedDifferences,
  viewedPair,
  viewedQueries,
  viewKey,
  wordMarks,
} from "./common.js";
import { rangeFilter } from "./spread.js";
/** @import { Book, Pair } from "../data/data.js" */
/** @import { Sheet } from "../kit/files.js" */
/** @import { Scale } from "../kit/scale.js" */
/** @import { Mark, Scene } from "../kit/scene.js" */
/** @import { Differences, View } from "./common.js" */

/** @typedef {ReturnType<typeof bandScale>} Band */

const DIFFERENCE_HEAD = 50;
const DIFFERENCE_FOOT = 26;
const DIFFERENCE_HEIGHT = 306;
const NARROWEST_BAR = 2;

/** @param {number} gain */
function gainColour(gain) {
  return gain > 0 ? "better" : gain < 0 ? "worse" : "same";
}

/**
 * @param {Book} book @param {View} view @param {number} width @param {number} [height] for example that of an adjacent chart @returns {Scene}
 */
export function differenceScene(book, view, width, height = DIFFERENCE_HEIGHT) {
  const of = book.facts.measures[view.measure];
  const found = viewedDifferences(book, view);
  const count = found.queries.length;
  if (!count) return wordScene(width, `No query has a value of ${of.name} for both runs.`);
  const pair = viewedPair(book, view);
  const [low, high] = extent([0, ...found.values, pair?.low ?? NaN, pair?.high ?? NaN]);
  const bottom = height - DIFFERENCE_FOOT;
  const y = linearScale(low === high ? [-1, 1] : niceDomain(low, high, 6), [bottom, DIFFERENCE_HEAD]);
  const ticks = uprightTicks(y);
  const left = leftRoom(tickTexts(ticks));
  const band = bandScale(count, [left, width - 2]);
  const [a, b] = [view.a, view.b].map((run) => axisName(book.short[run], width));
  const plot = { x: left, y: DIFFERENCE_HEAD, width: width - 2 - left, height: bottom - DIFFERENCE_HEAD };
  const [better, worse, same] = [found.better, found.worse, found.same].map(integerText);
  const won = `${b} is better on ${better}, worse on ${worse}, same on ${same}`;
  const scene = emptyScene(width, height, `${of.name} of ${b} minus ${a} per query: ${won}.`, plot);
  scene.marks.push(...headMarks(found, width));
  const title = `${of.name}: ${b} minus ${a}${of.lower ? " (lower is better)" : ""}`;
  scene.marks.push(...leftAxis(y, { x: left, right: width - 2, title, titleY: DIFFERENCE_HEAD - 14, ticks }));
  scene.marks.push(...meanBand(pair, y, left, width));
  const { picked = null } = view;
  scene.marks.push(...(band.step >= NARROWEST_BAR ? barMarks(found, band, y, picked) : areaMarks(found, band, y)));
  if (picked && band.step < NARROWEST_BAR) scene.marks.push(...pickedMarks(found, band, bottom, picked));
  const zero = crisp(y.at(0));
  scene.marks.push({ kind: "line", x1: left, x2: width - 2, y1: zero, y2: zero, stroke: "soft", width: 1 });
  scene.marks.push(
    ...meanMarks(pair, of.lower, y, left, width),
    ...footMarks(queriesText(count, view), left, width, height),
  );
  scene.spots = found.queries.map((query, i) => ({ x: band.at(i), y: y.at(found.values[i]), datum: query }));
  scene.hover = "x";
  scene.brush = (from, to) => {
    const place = (/** @type {number} */ x) => Math.max(0, Math.min(count - 1, Math.floor((x - left) / band.step)));
    const [first, last] = [found.values[place(from.x)], found.values[place(to.x)]];
    return rangeFilter("diff", Math.min(first, last), Math.max(first, last));
  };
  scene.tip = (query) => differenceLines(book, view, query);
  return scene;
}

/** The numbers of better, tied and worse queries. @param {Differences} found @param {number} width @returns {Mark[]} */
function headMarks({ better, same, worse, missing }, width) {
  const words = [
    { text: `${integerText(better)} better`, fill: "better", bold: true },
    { text: `${integerText(same)} same`, fill: "same", bold: true },
    { text: `${integerText(worse)} worse`, fill: "worse", bold: true },
    ...(missing && width > 380 ? [{ text: `${integerText(missing)} without value`, fill: "soft" }] : []),
  ];
  return wordMarks(words, 0, 13, 14);
}

/** @param {Differences} found @param {Band} band @param {Scale} y @param {Set<number> | null} picked @returns {Mark[]} */
function barMarks({ values, gains, queries }, band, y, picked) {
  const gap = band.step >= 4 ? 1 : 0;
  const zero = y.at(0);
  return values.map((value, i) => {
    const x = Math.round(band.start(i));
    const w = Math.max(1, Math.min(Math.round(band.start(i + 1)) - x - gap, 48));
    const [top, bottom] = value === 0
      ? [zero - 2, zero + 2]
      : [Math.min(zero, y.at(value)), Math.max(zero, y.at(value))];
    const centred = band.step > 49 ? band.at(i) - w / 2 : x;
    return {
      kind: "rect",
      x: centred,
      y: top,
      w,
      h: Math.max(1, bottom - top),
      fill: gainColour(gains[i]),
      opacity: dimmed(picked !== null && !picked.has(queries[i])),
    };
  });
}

/**
 * Bars that are too thin to draw, as one shape per colour. Values are sorted, so none is hidden.
 *
 * @param {Differences} found @param {Band} band @param {Scale} y @returns {Mark[]}
 */
function areaMarks({ values, gains, better, same }, band, y) {
  const zero = y.at(0);
  /** @type {Mark[]} */
  const marks = [];
  const parts = [[0, better], [better, better + same], [better + same, values.length]];
  for (const [from, to] of parts) {
    if (from === to) continue;
    const [start, end] = [band.start(from), Math.max(band.start(to), band.start(from) + 1)];
    let d = `M${start.toFixed(2)} ${zero.toFixed(2)}`;
    for (let x = start; x < end; x += 0.5) {
      const i = Math.min(to - 1, from + Math.floor((x - start) / band.step));
      const height = (values[i] === 0 ? zero - 2 : y.at(values[i])).toFixed(2);
      d += `L${x.toFixed(2)} ${height}L${Math.min(end, x + 0.5).toFixed(2)} ${height}`;
    }
    d += `L${end.toFixed(2)} ${zero.toFixed(2)}Z`;
    marks.push({ kind: "path", d, fill: gainColour(gains[from]) });
  }
  return marks;
}

/** Ticks below the plot for the queries that a filter leaves. @param {Differences} found @param {Band} band @param {number} bottom @param {Set<number>} picked @returns {Mark[]} */
function pickedMarks({ queries }, band, bottom, picked) {
  const at = new Set(queries.flatMap((query, i) => picked.has(query) ? [Math.round(band.at(i))] : []));
  const d = [...at].map((x) => `M${x} ${bottom + 1}V${bottom + 6}`).join("");
  return d ? [{ kind: "path", d, stroke: "accent", width: 1 }] : [];
}

/**
 * The interval of the mean difference, behind the bars.
 *
 * @param {Pair | null} pair @param {Scale} y @param {number} left @param {number} width
 * @returns {Mark[]}
 */
function meanBand(pair, y, left, width) {
  if (!pair || Number.isNaN(pair.low)) return [];
  const [top, bottom] = [y.at(pair.high), y.at(pair.low)];
  return [{
    kind: "rect",
    x: left,
    y: top,
    w: width - 2 - left,
    h: Math.max(1, bottom - top),
    fill: "ink",
    opacity: 0.09,
  }];
}

/**
 * The mean difference, in front of the bars.
 *
 * @param {Pair | null} pair @param {boolean} lower @param {Scale} y @param {number} left @param {number} width
 * @returns {Mark[]}
 */
function meanMarks(pair, lower, y, left, width) {
  if (!pair || Number.isNaN(pair.difference)) return [];
  const at = crisp(y.at(pair.difference));
  const text = `mean ${signedText(pair.difference)}`;
  const above = pair.difference >= 0 ? at - 5 : at + 13;
  // Gains are on the left and losses on the right, so the other side has no bars.
  const x = pair.difference >= 0 === !lower ? width - 4 : left + 4 + textWidth(text, SMALL_SIZE);
  return [{ kind: "line", x1: left, x2: width - 2, y1: at, y2: at, stroke: "ink", width: 1, dash: [4, 3] }, {
    kind: "text",
    x,
    y: above,
    text,
    size: SMALL_SIZE,
    anchor: "end",
    fill: "ink",
    halo: "paper",
  }];
}

/** @param {string} queries @param {number} left @param {number} width @param {number} height @returns {Mark[]} */
function footMarks(queries, left, width, height) {
  const long = `${queries}, from largest gain to largest loss`;
  const text = textWidth(long, SMALL_SIZE) <= width - left ? long : fitText(queries, width - left, SMALL_SIZE);
  return [{ kind: "text", x: width - 2, y: height - 8, text, size: SMALL_SIZE, fill: "soft", anchor: "end" }];
}

/** The tooltip of a query: both values and the difference. @param {Book} book @param {View} view @param {number} query */
export function differenceLines(book, view, query) {
  const { runs, measures } = book.facts;
  const of = measures[view.measure];
  const [a, b] = [book.value(view.measure, view.a, query), book.value(view.measure, view.b, query)];
  const gain = of.lower ? a - b : b - a;
  const word = gain > 0 ? "better" : gain < 0 ? "worse" : "same";
  return [
    ...queryLines(book, query),
    `${nameText(runs[view.a])} ${valueText(a, of)}`,
    `${nameText(runs[view.b])} ${valueText(b, of)}`,
    `${signedValue(b - a, of)}, ${word}`,
  ];
}

/** The mean difference and its interval as a sentence. @param {Book} book @param {View} view */
export function differenceWords(book, view) {
  const pair = viewedPair(book, view);
  if (!pair || Number.isNaN(pair.difference)) return "";
  const interval = Number.isNaN(pair.low)
    ? ""
    : ` (${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)})`;
  return `Mean difference ${signedText(pair.difference)}${interval}.`;
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function differenceCsv(book, view) {
  const { runs, measures, queries } = book.facts;
  const found = viewedDifferences(book, view);
  const header = ["query", runs[view.a], runs[view.b], "difference"];
  const value = (/** @type {number} */ run, /** @type {number} */ query) => book.value(view.measure, run, query);
  const rows = found.queries.map((
    query,
    i,
  ) => [queries[query], value(view.a, query), value(view.b, query), found.values[i]]);
  return { name: `differences-${measures[view.measure].name}-${runs[view.b]}-${runs[view.a]}`, header, rows };
}

// ── Values of two runs per query: above the diagonal, b has the higher value ──

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

/** @param {Book} book @param {View} view @returns {Sheet} */
export function scatterCsv(book, view) {
  const { runs, measures, queries } = book.facts;
  const value = (/** @type {number} */ run, /** @type {number} */ query) => book.value(view.measure, run, query);
  const rows = viewedQueries(book, view).map((query) => [queries[query], value(view.a, query), value(view.b, query)]);
  const name = `scatter-${measures[view.measure].name}-${runs[view.b]}-${runs[view.a]}`;
  return { name, header: ["query", runs[view.a], runs[view.b]], rows };
}
