/** The charts of the page, and what each of them follows. */
import { intervalName, nameText } from "./chart/common.js";
import { boundsCsv, boundsScene } from "./chart/bounds.js";
import { coverageCsv, coverageScene } from "./chart/coverage.js";
import { criticalCsv, criticalScene } from "./chart/critical.js";
import { curveCsv, curveScene } from "./chart/curve.js";
import { differenceCsv, differenceScene, differenceWords } from "./chart/difference.js";
import { meansCsv, meansScene } from "./chart/means.js";
import { scatterCsv, scatterScene } from "./chart/scatter.js";
import { slicesCsv, slicesScene } from "./chart/slices.js";
import { spreadCsv, spreadScene } from "./chart/spread.js";
import { byId, fill } from "./dom.js";
import { mountChart } from "./kit/mount.js";
import { pairTiles } from "./pair.js";

/** @typedef {import("./data.js").Book} Book */
/** @typedef {import("./state.js").Store} Store */
/** @typedef {import("./state.js").State} State */
/** @typedef {(place: string, keys: (keyof State)[], made: import("./kit/mount.js").Chart) => void} Mount puts a chart into a place; it is drawn again when one of the keys changes */

const PAIR_KEYS = /** @type {(keyof State)[]} */ (["measure", "a", "b", "slice"]);

/**
 * Every chart, in the order of the page.
 *
 * @param {Book} book
 * @param {Store} store
 */
export function mountCharts(book, store) {
  const { facts } = book;
  const view = () => store.get();
  const measure = () => facts.measures[view().measure].name;
  const pick = (/** @type {number} */ query) => store.set({ query: facts.queries[query] }, { push: true });
  const several = facts.runs.length > 1;
  /** @type {Mount} */
  const chart = (place, keys, made) => {
    const mounted = mountChart(byId(place), made);
    store.subscribe((_, changed) => keys.some((key) => changed.includes(key)) && mounted.update());
  };

  chart("means-side", ["measure"], {
    title: () => `Mean ${measure()}`,
    sentence: several
      ? `From the best run on; lines are ${intervalName(facts.level)}s over queries.`
      : `The line is its ${intervalName(facts.level)} over queries.`,
    draw: (width) => meansScene(book, view(), width),
    csv: () => meansCsv(book, view()),
  });
  if (facts.critical.some((one) => one !== null)) {
    chart("means-side", ["measure"], {
      title: () => `Mean ranks by ${measure()}`,
      sentence: "Runs under one bar cannot be told apart (Nemenyi).",
      draw: (width) => criticalScene(book, view(), width),
      csv: () => criticalCsv(book, view()),
    });
  }
  chart("means", ["measure", "slice"], {
    title: () => `${measure()} over queries`,
    sentence: "How many queries have which value; the mark is the mean.",
    draw: (width) => spreadScene(book, view(), width),
    csv: () => spreadCsv(book, view()),
  });
  if (several) mountPair(chart, book, store, pick);
  mountAlong(chart, book, view);
  if (facts.coverage) {
    chart("coverage", [], {
      title: "Judged documents by rank",
      sentence: "The share of queries whose document at this rank is judged.",
      draw: (width) => coverageScene(book, width),
      csv: () => coverageCsv(book),
    });
    if (facts.summary.some((runs) => runs.some(({ top }) => !Number.isNaN(top)))) {
      chart("coverage", ["measure"], {
        title: () => `What unjudged documents could make of ${measure()}`,
        sentence: "From all of them irrelevant to all of the top grade; the dot is the mean as it is.",
        draw: (width) => boundsScene(book, view(), width),
        csv: () => boundsCsv(book, view()),
      });
    }
  }
}

/**
 * The two runs against each other: in numbers, query by query, slice by slice.
 *
 * @param {Mount} chart
 * @param {Book} book
 * @param {Store} store
 * @param {(query: number) => void} pick
 */
function mountPair(chart, book, store, pick) {
  const { facts } = book;
  const view = () => store.get();
  const names = () => `${nameText(facts.runs[view().b])} against ${nameText(facts.runs[view().a])}`;
  const tiles = () => fill(byId("difference"), pairTiles(book, view()));
  store.subscribe((_, changed) => PAIR_KEYS.some((key) => changed.includes(key)) && tiles());
  tiles();
  chart("by-query", PAIR_KEYS, {
    title: () => `${facts.measures[view().measure].name} by query: ${names()}`,
    sentence: () => differenceWords(book, view()),
    draw: (width) => differenceScene(book, view(), width),
    csv: () => differenceCsv(book, view()),
    onPick: pick,
  });
  chart("by-query", PAIR_KEYS, {
    title: () => `Each query: ${names()}`,
    sentence: "A click on a point opens the query.",
    draw: (width) => scatterScene(book, view(), width),
    csv: () => scatterCsv(book, view()),
    onPick: pick,
  });
  if (facts.parts.length) {
    chart("slice-list", ["measure", "a", "b"], {
      title: () => `${facts.measures[view().measure].name} by slice: ${names()}`,
      sentence:
        "The difference of means with its interval, in each group of queries; p-values are corrected within a slice.",
      draw: (width) => slicesScene(book, view(), width),
      csv: () => slicesCsv(book, view()),
    });
  }
}

/** Curves along the ranking; that of a measure against its cutoff follows the measure, where it takes one. @param {Mount} chart @param {Book} book @param {() => State} view */
function mountAlong(chart, book, view) {
  const { pictures } = book.facts;
  for (const picture of pictures.filter(({ kind }) => kind !== "at-k")) {
    chart("pictures", [], {
      title: picture.title,
      sentence: picture.notes[0],
      draw: (width) => curveScene(picture, width),
      csv: () => curveCsv(picture),
    });
  }
  const cut = pictures.filter(({ kind }) => kind === "at-k");
  if (!cut.length) return;
  const now = () => cut.find(({ measures }) => measures?.includes(view().measure)) ?? cut[0];
  chart("pictures", ["measure"], {
    title: () => now().title,
    sentence: () => now().notes[0],
    draw: (width) => curveScene(now(), width),
    csv: () => curveCsv(now()),
  });
}
