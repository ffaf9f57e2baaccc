/** Two runs query by query: the differences from the largest gain to the largest loss, and the values as points. */
import { between, gainTone, integerText, plural, signedText, signedValue, valueText } from "../data/format.js";
import {
  AXIS_ROOM,
  bottomAxis,
  extent,
  leftAxis,
  leftRoom,
  linearScale,
  niceDomain,
  tickTexts,
  uprightTicks,
  valueAt,
} from "../kit/scale.js";
import { circleAt, crisp, emptyScene, lineAt, pathOf, rectAt, SMALL_SIZE, textAt, wordScene } from "../kit/scene.js";
import { fitText, nameText, textWidth } from "../kit/text.js";
import { filterName } from "../table/filter.js";
import {
  axisName,
  dimmed,
  intervalOf,
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

/** @typedef {{left: number, step: number}} Band the left edge and the width of one bar */
/** @typedef {{a: number, b: number, queries: number[]}} Place one or more queries with the same two values */

const DIFFERENCE_HEAD = 50;
const DIFFERENCE_FOOT = 26;
const DIFFERENCE_HEIGHT = 306;
const NARROWEST_BAR = 2;

/** @param {Book} book @param {View} view @param {number} width @param {number} [height] for example that of an adjacent chart @returns {Scene} */
export function differenceScene(book, view, width, height = DIFFERENCE_HEIGHT) {
  const of = book.facts.measures[view.measure];
  const found = viewedDifferences(book, view);
  const { queries, values, better, same, worse, missing } = found;
  if (!queries.length) return wordScene(width, `No query has a value of ${of.name} for both runs.`);
  const pair = viewedPair(book, view);
  const [low, high] = extent([0, ...values, pair?.low ?? NaN, pair?.high ?? NaN]);
  const bottom = height - DIFFERENCE_FOOT;
  const y = linearScale(low === high ? [-1, 1] : niceDomain(low, high, 6), [bottom, DIFFERENCE_HEAD]);
  const ticks = uprightTicks(y);
  const [left, right] = [leftRoom(tickTexts(ticks)), width - 2];
  const band = { left, step: (right - left) / queries.length };
  const [a, b] = [view.a, view.b].map((run) => axisName(book.short[run], width));
  const plot = { x: left, y: DIFFERENCE_HEAD, width: right - left, height: bottom - DIFFERENCE_HEAD };
  const [won, lost, tied] = [better, worse, same].map(integerText);
  const label = `${of.name} of ${b} minus ${a} per query: ${b} is better on ${won}, worse on ${lost}, same on ${tied}.`;
  const scene = emptyScene(width, height, label, plot);
  const title = `${of.name}: ${b} minus ${a}${of.lower ? " (lower is better)" : ""}`;
  const { picked = null } = view;
  const thin = band.step < NARROWEST_BAR;
  /** @type {{text: string, fill: string, bold?: boolean}[]} */
  const counted = [[won, "better"], [tied, "same"], [lost, "worse"]].map(([count, kind]) => (
    { text: `${count} ${kind}`, fill: kind, bold: true }
  ));
  if (missing && width > 380) counted.push({ text: `${integerText(missing)} without value`, fill: "soft" });
  scene.marks.push(
    ...wordMarks(counted, 0, 13, 14),
    ...leftAxis(y, { x: left, right, title, titleY: DIFFERENCE_HEAD - 14, ticks }),
    ...(pair ? meanBand(pair, y, left, right) : []),
    ...(thin ? areaMarks(found, band, y) : barMarks(found, band, y, picked)),
    ...(thin && picked ? pickedMarks(found, band, bottom, picked) : []),
    lineAt(left, crisp(y.at(0)), right, crisp(y.at(0)), "soft"),
    ...(pair ? meanMarks(pair, of.lower, y, left, right) : []),
    textAt(
      right,
      height - 8,
      fitText(`${queriesText(queries.length, view)}, from largest gain to largest loss`, width - left, SMALL_SIZE),
      { anchor: "end" },
    ),
  );
  const middle = (/** @type {number} */ i) => left + (i + 0.5) * band.step;
  scene.spots = queries.map((query, i) => ({ x: middle(i), y: y.at(values[i]), datum: query }));
  scene.hover = "x";
  scene.brush = (from, to) => {
    const place = (/** @type {number} */ x) =>
      Math.max(0, Math.min(queries.length - 1, Math.floor((x - left) / band.step)));
    const [first, last] = [values[place(from.x)], values[place(to.x)]];
    return rangeFilter("diff", Math.min(first, last), Math.max(first, last));
  };
  scene.tip = (query) => differenceLines(book, view, query);
  return scene;
}

/** @param {Differences} found @param {Band} band @param {Scale} y @param {Set<number> | null} picked @returns {Mark[]} */
function barMarks({ values, gains, queries }, { left, step }, y, picked) {
  const gap = step >= 4 ? 1 : 0;
  const zero = y.at(0);
  return values.map((value, i) => {
    const x = Math.round(left + i * step);
    const w = Math.max(1, Math.min(Math.round(left + (i + 1) * step) - x - gap, 48));
    const ends = value === 0 ? [zero - 2, zero + 2] : [zero, y.at(value)].sort((p, q) => p - q);
    const paint = { fill: gainTone(gains[i]), opacity: dimmed(picked !== null && !picked.has(queries[i])) };
    return rectAt(step > 49 ? left + (i + 0.5) * step - w / 2 : x, ends[0], w, Math.max(1, ends[1] - ends[0]), paint);
  });
}

/** Bars that are too thin to draw, as one shape per colour. Values are sorted, so none is hidden. @param {Differences} found @param {Band} band @param {Scale} y @returns {Mark[]} */
function areaMarks({ values, gains, better, same }, { left, step }, y) {
  const zero = y.at(0);
  const parts = [[0, better], [better, better + same], [better + same, values.length]];
  return parts.filter(([from, to]) => from < to).map(([from, to]) => {
    const start = left + from * step;
    const end = Math.max(left + to * step, start + 1);
    let d = `M${start.toFixed(2)} ${zero.toFixed(2)}`;
    for (let x = start; x < end; x += 0.5) {
      const i = Math.min(to - 1, from + Math.floor((x - start) / step));
      const height = (values[i] === 0 ? zero - 2 : y.at(values[i])).toFixed(2);
      d += `L${x.toFixed(2)} ${height}L${Math.min(end, x + 0.5).toFixed(2)} ${height}`;
    }
    return pathOf(`${d}L${end.toFixed(2)} ${zero.toFixed(2)}Z`, { fill: gainTone(gains[from]) });
  });
}

/** Ticks below the plot for the queries that a filter leaves. @param {Differences} found @param {Band} band @param {number} bottom @param {Set<number>} picked @returns {Mark[]} */
function pickedMarks({ queries }, { left, step }, bottom, picked) {
  const at = new Set(queries.flatMap((query, i) => picked.has(query) ? [Math.round(left + (i + 0.5) * step)] : []));
  const d = [...at].map((x) => `M${x} ${bottom + 1}V${bottom + 6}`).join("");
  return d ? [pathOf(d, { stroke: "accent", width: 1 })] : [];
}

/** The interval of the mean difference, behind the bars. @param {Pair} pair @param {Scale} y @param {number} left @param {number} right @returns {Mark[]} */
function meanBand({ low, high }, y, left, right) {
  if (Number.isNaN(low)) return [];
  const [top, bottom] = [y.at(high), y.at(low)];
  return [rectAt(left, top, right - left, Math.max(1, bottom - top), { fill: "ink", opacity: 0.09 })];
}

/** The mean difference, in front of the bars. @param {Pair} pair @param {boolean} lower @param {Scale} y @param {number} left @param {number} right @returns {Mark[]} */
function meanMarks({ difference }, lower, y, left, right) {
  if (Number.isNaN(difference)) return [];
  const at = crisp(y.at(difference));
  const text = `mean ${signedText(difference)}`;
  // Gains are on the left and losses on the right, so the other side has no bars.
  const x = difference >= 0 === !lower ? right - 2 : left + 4 + textWidth(text, SMALL_SIZE);
  return [
    lineAt(left, at, right, at, "ink", { dash: [4, 3] }),
    textAt(x, difference >= 0 ? at - 5 : at + 13, text, { anchor: "end", fill: "ink", halo: "paper" }),
  ];
}

/** The tooltip of a query: both values and the difference. @param {Book} book @param {View} view @param {number} query */
function differenceLines(book, view, query) {
  const { runs, measures } = book.facts;
  const of = measures[view.measure];
  const [a, b] = [view.a, view.b].map((run) => book.value(view.measure, run, query));
  return [
    ...queryLines(book, query),
    `${nameText(runs[view.a])} ${valueText(a, of)}`,
    `${nameText(runs[view.b])} ${valueText(b, of)}`,
    `${signedValue(b - a, of)}, ${gainTone(of.lower ? a - b : b - a)}`,
  ];
}

/** The mean difference and its interval as a sentence. @param {Book} book @param {View} view */
export function differenceWords(book, view) {
  const pair = viewedPair(book, view);
  if (!pair || Number.isNaN(pair.difference)) return "";
  const interval = `${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`;
  return `Mean difference ${signedText(pair.difference)}${Number.isNaN(pair.low) ? "" : ` (${interval})`}.`;
}

/** @param {Book} book @param {View} view @returns {Sheet} */
export function differenceCsv(book, view) {
  const { name, header, rows } = valuesCsv(book, view, "differences", viewedDifferences(book, view).queries);
  return { name, header: [...header, "difference"], rows: rows.map(([query, a, b]) => [query, a, b, b - a]) };
}

/** @param {Book} book @param {View} view @param {string} name @param {number[]} queries @returns {Sheet} */
function valuesCsv(book, { measure, a, b }, name, queries) {
  const { runs, measures, queries: ids } = book.facts;
  const rows = queries.map((query) => [ids[query], book.value(measure, a, query), book.value(measure, b, query)]);
  return { name: `${name}-${measures[measure].name}-${runs[b]}-${runs[a]}`, header: ["query", runs[a], runs[b]], rows };
}

// ── values as points: above the diagonal, b has the higher value ──

const SCATTER_LARGEST = 460;
const SCATTER_TOP = 50; // for a line of text and the title of the axis
const SCATTER_INSET = 12; // so that dots at the ends of the scales are not clipped
const LARGEST_DOT = 7; // larger dots would hide their neighbours
const MOST_DOTS = 1500; // more would be slow as elements

/** Group the queries with both values by their values. @param {Book} book @param {View} view @returns {Place[]} */
export function scatterPlaces(book, view) {
  return book.once("places", viewKey(view), () => {
    const [first, second] = [book.column(view.measure, view.a), book.column(view.measure, view.b)];
    /** @type {Map<string, Place>} */
    const places = new Map();
    for (const query of viewedQueries(book, view)) {
      const [a, b] = [first[query], second[query]];
      if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
      const place = places.get(`${a} ${b}`);
      if (place) place.queries.push(query);
      else places.set(`${a} ${b}`, { a, b, queries: [query] });
    }
    return [...places.values()];
  });
}

/** Return the domain and size of the plot. @param {Book} book @param {View} view @param {Place[]} places @param {number} width */
function scatterFrame(book, view, places, width) {
  const of = book.facts.measures[view.measure];
  const [low, high] = extent(places.flatMap(({ a, b }) => [a, b]));
  const domain = of.unit && low >= 0 && high <= 1 ? /** @type {[number, number]} */ ([0, 1]) : niceDomain(low, high, 5);
  const texts = tickTexts(linearScale(domain, [0, SCATTER_LARGEST]).ticks(5));
  const left = leftRoom(texts);
  const beyond = Math.max(12, Math.ceil(textWidth(texts.at(-1) ?? "", SMALL_SIZE) / 2) - SCATTER_INSET + 2);
  const size = Math.min(width, SCATTER_LARGEST) - left - beyond;
  return { domain, left, beyond, size, height: SCATTER_TOP + size + AXIS_ROOM };
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
  const [top, bottom] = [SCATTER_TOP, SCATTER_TOP + size];
  const x = linearScale(domain, [left + SCATTER_INSET, left + size - SCATTER_INSET]);
  const y = linearScale(domain, [bottom - SCATTER_INSET, top + SCATTER_INSET]);
  const [a, b] = [view.a, view.b].map((run) => axisName(book.short[run], 2 * size));
  const label = `${of.name} of ${b} versus ${a}, one dot per query.`;
  const scene = emptyScene(left + size + beyond, height, label, { x: left, y: top, width: size, height: size });
  const ticks = y.ticks(size > 300 ? 5 : 4);
  const [low, high] = domain;
  scene.marks.push(
    ...leftAxis(y, { x: left, right: left + size, title: `${b}, ${of.name}`, titleY: top - 14, ticks }),
    ...bottomAxis(x, { y: bottom, wide: scene.width, top, title: `${a}, ${of.name}` }),
    lineAt(x.at(low), y.at(low), x.at(high), y.at(high), "soft", { dash: [4, 3] }),
    ...dotMarks(places, x, y, of.lower, view.picked ?? null),
    ...(view.a === view.b ? [] : sideMarks(book.short[view.a], book.short[view.b], of.lower, scene.width)),
  );
  /** @type {Map<number, number>} */
  const others = new Map();
  scene.spots = places.flatMap(({ a, b, queries }) => {
    const r = dotSize(queries.length, places.length);
    return queries.map((datum) => {
      others.set(datum, queries.length - 1);
      return { x: x.at(a), y: y.at(b), datum, r };
    });
  });
  scene.tip = (query) => {
    const more = others.get(query);
    const words = more ? [`and ${plural(more, "other query", "other queries")} with these values`] : [];
    return [...differenceLines(book, view, query), ...words];
  };
  scene.brush = (from, to) => {
    const names = [view.a, view.b].map((run) => filterName(book.facts.runs[run]));
    const across = rangeFilter(names[0], valueAt(x, from.x), valueAt(x, to.x));
    return `${across} ${rangeFilter(names[1], valueAt(y, to.y), valueAt(y, from.y))}`;
  };
  return scene;
}

/** Return the size of a dot: smaller if there are many, larger for several queries, within limits. @param {number} queries @param {number} places */
function dotSize(queries, places) {
  const one = places > 3000 ? 1.6 : places > 500 ? 2.2 : places > 120 ? 2.6 : 3.4;
  return Math.min(one * (1 + 0.25 * Math.log2(queries)), LARGEST_DOT);
}

/** Draw larger dots behind smaller ones, outlined unless there are too many. @param {Place[]} places @param {Scale} x @param {Scale} y @param {boolean} lower @param {Set<number> | null} picked @returns {Mark[]} */
function dotMarks(places, x, y, lower, picked) {
  const dots = [...places].sort((p, q) => q.queries.length - p.queries.length).map(({ a, b, queries }) => {
    const out = dimmed(picked !== null && !queries.some((query) => picked.has(query)));
    const opacity = out ?? (places.length > 3000 ? 0.4 : places.length > 500 ? 0.55 : 0.75);
    const fill = gainTone(lower ? a - b : b - a);
    return circleAt(x.at(a), y.at(b), dotSize(queries.length, places.length), { fill, opacity });
  });
  if (dots.length <= MOST_DOTS) {
    const rim = places.length > 500 ? {} : { stroke: "paper", width: 0.75 };
    return dots.map((dot) => ({ ...dot, ...rim }));
  }
  // Dots that look alike are one path, of lines without length and with round ends.
  /** @type {Map<string, typeof dots>} */
  const alike = new Map();
  for (const dot of dots) {
    const look = `${dot.fill} ${dot.opacity} ${dot.r}`;
    if (!alike.get(look)?.push(dot)) alike.set(look, [dot]);
  }
  return [...alike.values()].map((group) => {
    const [{ fill, opacity, r }] = group;
    const d = group.map((dot) => `M${dot.x.toFixed(1)} ${dot.y.toFixed(1)}h0`).join("");
    return pathOf(d, { stroke: fill, opacity, width: 2 * r, round: true });
  });
}

/** State which run is better on which side of the diagonal, above the plot. @param {string} a @param {string} b @param {boolean} lower @param {number} width @returns {Mark[]} */
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

/** @param {Book} book @param {View} view @returns {Sheet} */
export function scatterCsv(book, view) {
  return valuesCsv(book, view, "scatter", viewedQueries(book, view));
}
