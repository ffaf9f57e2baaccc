import {
  differenceCsv,
  differenceScene,
  differenceWords,
  scatterCsv,
  scatterPlaces,
  scatterScene,
} from "../../src/judged/page/web/charts/by-query.js";
import { viewedDifferences, viewedPair } from "../../src/judged/page/web/charts/common.js";
import { coveragePicture, curveCsv, curveScene } from "../../src/judged/page/web/charts/curve.js";
import { matrixCsv, matrixScene } from "../../src/judged/page/web/charts/matrix.js";
import {
  againstCsv,
  againstScene,
  boundsCsv,
  boundsScene,
  meansCsv,
  meansScene,
  rankedRuns,
  slicesCsv,
  slicesScene,
} from "../../src/judged/page/web/charts/rows.js";
import { binCounts, spreadBins, spreadCsv, spreadScene, tallestBar } from "../../src/judged/page/web/charts/spread.js";
import { textWidth } from "../../src/judged/page/web/kit/text.js";
import { same } from "./check.js";
import { sampleBook } from "./sample.js";
/** @import { View } from "../../src/judged/page/web/charts/common.js" */
/** @import { Book } from "../../src/judged/page/web/data/data.js" */
/** @import { Mark, Scene } from "../../src/judged/page/web/kit/scene.js" */

/** @param {Book} book */
const coverageOf = (book) => coveragePicture(book.facts.runs, /** @type {any} */ (book.facts.coverage));

/**
 * Every chart of the page: its scene, and its data.
 *
 * @param {Book} book @param {View} view @returns {Record<string, [(width: number) => Scene, () => any]>}
 */
function charts(book, view) {
  return {
    means: [(width) => meansScene(book, view, width), () => meansCsv(book, view)],
    difference: [(width) => differenceScene(book, view, width), () => differenceCsv(book, view)],
    scatter: [(width) => scatterScene(book, view, width), () => scatterCsv(book, view)],
    spread: [(width) => spreadScene(book, view, width), () => spreadCsv(book, view)],
    slices: [(width) => slicesScene(book, view, width), () => slicesCsv(book, view)],
    against: [(width) => againstScene(book, view, width), () => againstCsv(book, view)],
    ...(book.facts.runs.length > 2
      ? { matrix: [(/** @type {number} */ width) => matrixScene(book, view, width), () => matrixCsv(book, view)] }
      : {}),
    bounds: [(width) => boundsScene(book, view, width), () => boundsCsv(book, view)],
    ...Object.fromEntries(
      [...book.facts.pictures, coverageOf(book)].map((
        picture,
      ) => [picture.kind, [
        (/** @type {number} */ width) => curveScene(book, view, picture, width),
        () => curveCsv(picture),
      ]]),
    ),
  };
}

/**
 * What is wrong with a mark: a number that is none, or text beyond the edge.
 *
 * @param {Mark} mark @param {Scene} scene @returns {string}
 */
function fault(mark, scene) {
  if (mark.kind === "group") return mark.marks.map((inner) => fault(inner, scene)).join("");
  const numbers = Object.values(mark).filter((value) => typeof value === "number");
  if (!numbers.every(Number.isFinite) || ("d" in mark && /NaN|Infinity|undefined/.test(mark.d))) {
    return "a number is missing";
  }
  if (mark.kind !== "text") return "";
  const wide = textWidth(mark.text, mark.size ?? 12, mark.bold);
  const left = mark.x - (mark.anchor === "end" ? wide : mark.anchor === "middle" ? wide / 2 : 0);
  const inside = left >= -1 && left + wide <= scene.width + 1 && mark.y > 0 && mark.y <= scene.height;
  return inside
    ? ""
    : `text at ${left.toFixed(0)} to ${(left + wide).toFixed(0)}, ${mark.y} of ${scene.width} × ${scene.height}`;
}

/** Draw all charts of a book at all widths, and look at every mark. @param {Book} book @param {View} view */
function drawn(book, view) {
  for (const width of [300, 358, 560, 868, 1200]) {
    for (const [name, [draw, csv]] of Object.entries(charts(book, view))) {
      const scene = draw(width);
      for (const mark of scene.marks) {
        const wrong = fault(mark, scene);
        if (wrong) throw new Error(`${name} at ${width}: ${wrong}: ${JSON.stringify(mark).slice(0, 300)}`);
      }
      same(scene.width <= width && scene.label !== "", true);
      for (const { x, y, datum } of scene.spots) {
        same(x >= 0 && x <= scene.width && y >= 0 && y <= scene.height, true);
        if (datum < 50) {
          same(scene.tip(datum).every((line) => typeof line === "string" && !/NaN|undefined/.test(line)), true);
        }
      }
      const { header, rows } = csv();
      same(rows.every((/** @type {any[]} */ row) => row.length === header.length), true);
    }
  }
}

const VIEW = { measure: 0, a: 0, b: 1, slice: null };
const LONG = [
  "run-" + "x".repeat(1000) + "-1",
  "run-" + "W".repeat(1000) + "-2",
  "\u202Eשלום\u2067",
  "<b>&\u0000\uD800",
  "مرحبا",
];

Deno.test("every chart is drawn whole, by every measure and in a slice", () => {
  const book = sampleBook();
  for (const measure of [0, 1, 2]) drawn(book, { ...VIEW, measure });
  drawn(book, { measure: 0, a: 2, b: 1, slice: "long" });
});

Deno.test("every chart is drawn whole with one run and one query", () => {
  drawn(sampleBook({ runs: ["only"], queries: 1 }), { ...VIEW, b: 0 });
});

Deno.test("every chart is drawn whole with twelve runs, and with long and hostile names", () => {
  drawn(sampleBook({ runs: Array.from({ length: 12 }, (_, i) => `run ${i}`), queries: 20 }), VIEW);
  const change = (/** @type {any} */ facts) => {
    for (const part of facts.parts) if (part.part === "long") part.part = "slice ".repeat(100);
    facts.slices[0].label = "slice ".repeat(100);
    facts.queries[0] = "\u202E" + "q".repeat(1000);
  };
  drawn(sampleBook({ runs: LONG, queries: 12, change }), VIEW);
});

Deno.test("every chart is drawn whole without any value", () => {
  const change = (/** @type {any} */ facts, /** @type {Float64Array} */ values) => {
    values.fill(NaN);
    for (const cell of facts.summary.flat()) {
      Object.assign(cell, { mean: null, low: null, high: null, irrelevant: null, top: null });
    }
    for (const pair of [...facts.pairs, ...facts.parts]) {
      Object.assign(pair, { difference: null, low: null, high: null, adjusted: null });
    }
    for (const picture of facts.pictures) for (const line of picture.lines) line.y = line.y.map(() => null);
    facts.coverage.shares = facts.coverage.shares.map((/** @type {number[]} */ row) => row.map(() => null));
  };
  drawn(sampleBook({ change }), VIEW);
});

Deno.test("every chart is drawn whole where all values are equal, negative or large", () => {
  for (
    const value of [
      (/** @type {number} */ _) => 0.5,
      (/** @type {number} */ x) => 4e6 * x - 2e6,
      (/** @type {number} */ x) => 1e-9 * x,
    ]
  ) {
    const change = (/** @type {any} */ facts, /** @type {Float64Array} */ values) => {
      values.forEach((x, i) => values[i] = value(x));
      for (const cell of facts.summary.flat()) {
        for (const key of ["mean", "low", "high", "irrelevant", "top"]) cell[key] = value(cell[key]);
      }
      const zero = value(0);
      for (const pair of [...facts.pairs, ...facts.parts]) {
        for (const key of ["difference", "low", "high"]) pair[key] = value(pair[key]) - zero;
      }
      for (const picture of facts.pictures) for (const line of picture.lines) line.y = line.y.map(value);
      for (const measure of facts.measures) measure.unit = measure.whole = false;
    };
    drawn(sampleBook({ queries: 12, change }), VIEW);
  }
});

Deno.test("runs go from the best; less is better where it is", () => {
  const book = sampleBook();
  same(rankedRuns(book, 0), [2, 1, 0]);
  same(rankedRuns(book, 2), [2, 1, 0]);
  book.facts.summary[0][2].mean = NaN;
  same(rankedRuns(book, 0), [1, 0, 2]);
});

Deno.test("differences go from the best gain to the worst loss, and every query is in one count", () => {
  const book = sampleBook();
  const up = viewedDifferences(book, VIEW);
  same(up.values.every((value, i) => i === 0 || value <= up.values[i - 1]), true);
  const pair = viewedPair(book, { measure: 0, a: 0, b: 1 });
  same([up.better, up.same, up.worse, up.missing], [pair?.wins, pair?.ties, pair?.losses, 0]);
  const down = viewedDifferences(book, { ...VIEW, measure: 2 });
  same(down.values.every((value, i) => i === 0 || value >= down.values[i - 1]), true);
  same(down.better, viewedPair(book, { measure: 2, a: 0, b: 1 })?.wins);
  same(viewedDifferences(book, { ...VIEW, b: 2 }).missing, 1);
});

Deno.test("bars of gains are of the colour of gains, where less is better too", () => {
  for (const measure of [0, 2]) {
    const view = { ...VIEW, measure };
    const bars = differenceScene(sampleBook(), view, 800).marks.filter((mark) =>
      mark.kind === "rect" && mark.fill === "better"
    );
    same(bars.length, viewedDifferences(sampleBook(), view).better);
  }
});

Deno.test("a comparison made the other way round is turned", () => {
  const book = sampleBook();
  const [pair, turned] = [viewedPair(book, VIEW), viewedPair(book, { ...VIEW, a: 1, b: 0 })];
  same(
    [turned?.difference, turned?.low, turned?.high],
    [pair, pair, pair].map((of, i) => -(of ? [of.difference, of.high, of.low][i] : NaN)),
  );
  same([turned?.verdict, turned?.wins], ["worse", pair?.losses]);
  same(viewedPair(book, { ...VIEW, b: 0 }), null);
  same(viewedPair(book, { ...VIEW, slice: "long" })?.queries, 14);
  same(differenceWords(book, VIEW), "Mean difference +0.1452 (simultaneous 95% interval [+0.0442, +0.2462]).");
});

Deno.test("ten thousand queries take few marks as bars, and each keeps its spot", () => {
  const scene = differenceScene(sampleBook({ runs: ["a", "b"], queries: 3000 }), VIEW, 800);
  same(scene.marks.length < 60, true);
  same(new Set(scene.spots.map(({ datum }) => datum)).size, 3000);
});

Deno.test("queries with the same two values share a dot, and each keeps its spot", () => {
  const book = sampleBook();
  const places = scatterPlaces(book, { ...VIEW, measure: 1 });
  same(places.length < 30, true);
  same(places.flatMap(({ queries }) => queries).length, 40);
  const scene = scatterScene(book, { ...VIEW, measure: 1 }, 400);
  same(scene.spots.length, 40);
  const shared = places.find(({ queries }) => queries.length > 1)?.queries[0] ?? -1;
  same(/^and \d+ other quer/.test(scene.tip(shared).at(-1) ?? ""), true);
});

Deno.test("shares have twenty bins, counts one each, and the last bin holds its end", () => {
  same(spreadBins(0, 1, { unit: true, whole: false }), { start: 0, step: 0.05, count: 20, whole: false });
  same(spreadBins(2, 9, { unit: false, whole: true }), { start: 1.5, step: 1, count: 8, whole: true });
  same(binCounts([0, 0.05, 0.15, 1, 1, NaN], { start: 0, step: 0.05, count: 20, whole: false }).filter(Boolean), [
    1,
    1,
    1,
    2,
  ]);
  const wide = spreadBins(-9, 28, { unit: false, whole: false });
  same([wide.start, wide.step, wide.start + wide.count * wide.step >= 28], [-10, 2, true]);
  const many = spreadBins(0, 1000, { unit: false, whole: true });
  same(binCounts([0, 999, 1000], many).filter(Boolean), [1, 1, 1]);
  same(spreadBins(7, 7, { unit: false, whole: false }).count, 1);
});

Deno.test("every value is in one bin", () => {
  const book = sampleBook();
  for (const measure of [0, 1, 2]) {
    const counts = spreadCsv(book, { ...VIEW, measure }).rows.filter(([run]) => run === "bm25").map((row) => row[3]);
    same(counts.reduce((sum, count) => sum + count, 0), 40);
  }
});

Deno.test("one bar of queries without success does not flatten the others", () => {
  same(tallestBar([[37, 2, 3], [5, 4, 6]]), 9);
  same(tallestBar([[7, 2, 3], [5, 4, 6]]), 7);
  same(tallestBar([[40, 0, 0]]), 40);
});

Deno.test("ranks beyond a hundred have a logarithmic axis", () => {
  const book = sampleBook();
  same(coverageOf(book).log, false);
  /** @type {any} */ (book.facts.coverage).ranks = Array.from({ length: 10 }, (_, i) => 100 * (i + 1));
  same(coverageOf(book).log, true);
});

Deno.test("bands are drawn for four lines or fewer, and curves differ without colour", () => {
  const band = (/** @type {Mark} */ mark) => mark.kind === "path" && mark.opacity === 0.13;
  const drawnOf = (/** @type {number} */ count) => {
    const book = sampleBook({ runs: Array.from({ length: count }, (_, i) => `r${i}`), queries: 5 });
    return curveScene(book, VIEW, book.facts.pictures[0], 800).marks;
  };
  same([drawnOf(4).filter(band).length, drawnOf(5).filter(band).length], [4, 0]);
  const lines = drawnOf(4).filter((mark) => mark.kind === "path" && /^run/.test(mark.stroke ?? "") && "dash" in mark);
  same(new Set(lines.map((mark) => JSON.stringify("dash" in mark && mark.dash))).size, 4);
});

Deno.test("a slice that was not tested is a hollow dot without an interval", () => {
  const book = sampleBook();
  for (const part of book.facts.parts) {
    if (part.part === "short") Object.assign(part, { low: NaN, high: NaN, verdict: "too few queries" });
  }
  const scene = slicesScene(book, VIEW, 800);
  same(scene.marks.filter((mark) => mark.kind === "circle" && mark.fill === "paper").length, 1);
  same(scene.tip(2)[1].endsWith("too few queries"), true);
});
