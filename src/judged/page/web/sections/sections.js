/** The charts of the page and the parts of the state that each depends on. */
import { intervalName, nameText, runColour, viewedDifferences } from "../charts/common.js";
import { boundsCsv, boundsScene } from "../charts/bounds.js";
import { coverageCsv, coverageScene } from "../charts/coverage.js";
import { criticalCsv, criticalScene } from "../charts/critical.js";
import { curveCsv, curveScene } from "../charts/curve.js";
import { differenceCsv, differenceScene, differenceWords } from "../charts/difference.js";
import { meansCsv, meansScene } from "../charts/means.js";
import { scatterCsv, scatterHeight, scatterScene } from "../charts/scatter.js";
import { slicesCsv, slicesScene } from "../charts/slices.js";
import { spreadCsv, spreadScene } from "../charts/spread.js";
import { byId, fill, h } from "../dom/dom.js";
import { legendElement } from "../kit/legend.js";
import { mountChart } from "../kit/mount.js";
import { pairTiles } from "./pair.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/state.js").Store} Store */
/** @typedef {import("../data/state.js").State} State */
/** @typedef {(place: string, keys: (keyof State)[], made: import("../kit/mount.js").Chart) => void} Mount adds a chart to an element; it is redrawn when one of the keys changes */

const PAIR_KEYS = /** @type {(keyof State)[]} */ (["measure", "a", "b", "slice"]);

/**
 * Mount all charts in the order of the page.
 *
 * @param {Book} book
 * @param {Store} store
 * @param {import("../queries/navigation.js").Trail} trail
 */
export function mountCharts(book, store, trail) {
  const { facts } = book;
  const view = () => store.get();
  const measure = () => facts.measures[view().measure].name;
  const pick = (/** @type {number} */ query) => {
    trail.follow({ order: () => viewedDifferences(book, view()).queries, words: "by difference" });
    store.set({ query: facts.queries[query] }, { push: true });
  };
  const several = facts.runs.length > 1;
  /** @type {Mount} */
  const chart = (place, keys, made) => {
    const mounted = mountChart(byId(place), made);
    store.subscribe((_, changed) => keys.some((key) => changed.includes(key)) && mounted.update());
  };

  chart("means-side", ["measure"], {
    title: () => `Mean ${measure()}`,
    sentence: several
      ? `Sorted from best to worst, with ${intervalName(facts.level)}s over queries.`
      : `With the ${intervalName(facts.level)} over queries.`,
    draw: (width) => meansScene(book, view(), width),
    csv: () => meansCsv(book, view()),
  });
  if (facts.critical.some((one) => one !== null)) {
    chart("means-side", ["measure"], {
      title: () => `Clear differences in ${measure()}`,
      sentence: "Means of the runs, best first; a bar with a dot for each run joins runs without a clear difference.",
      draw: (width) => criticalScene(book, view(), width),
      csv: () => criticalCsv(book, view()),
    });
  }
  chart("means", ["measure", "slice"], {
    title: () => `Distribution of ${measure()} over queries`,
    sentence: "Number of queries per value; the vertical line is the mean.",
    draw: (width) => spreadScene(book, view(), width),
    csv: () => spreadCsv(book, view()),
  });
  if (several) mountPair(chart, book, store, pick);
  mountCurves(chart, book, view);
  if (facts.coverage) {
    chart("coverage", [], {
      title: "Judged documents by rank",
      sentence: "Share of queries whose document at this rank is judged.",
      draw: (width) => coverageScene(book, width),
      csv: () => coverageCsv(book),
    });
    if (facts.summary.some((runs) => runs.some(({ top }) => !Number.isNaN(top)))) {
      chart("coverage", ["measure"], {
        title: () => `Effect of unjudged documents on ${measure()}`,
        sentence:
          "Means if all unjudged documents were irrelevant, or had the highest grade. The dot is the reported mean.",
        draw: (width) => boundsScene(book, view(), width),
        csv: () => boundsCsv(book, view()),
      });
    }
  }
}

/**
 * Mount the comparison of the two runs: in numbers, by query and by slice.
 *
 * @param {Mount} chart
 * @param {Book} book
 * @param {Store} store
 * @param {(query: number) => void} pick
 */
function mountPair(chart, book, store, pick) {
  const { facts } = book;
  const view = () => store.get();
  const names = () => `${nameText(book.short[view().b])} vs ${nameText(book.short[view().a])}`;
  const tiles = () => fill(byId("difference"), pairTiles(book, view()));
  store.subscribe((_, changed) => PAIR_KEYS.some((key) => changed.includes(key)) && tiles());
  tiles();
  chart("by-query", PAIR_KEYS, {
    title: () => `${facts.measures[view().measure].name} by query: ${names()}`,
    sentence: () => differenceWords(book, view()),
    draw: (width) => differenceScene(book, view(), width, heightBeside(book, view())),
    csv: () => differenceCsv(book, view()),
    onPick: pick,
  });
  chart("by-query", PAIR_KEYS, {
    title: () => `Values per query: ${names()}`,
    sentence: "Click a point to open the query.",
    draw: (width) => scatterScene(book, view(), width),
    csv: () => scatterCsv(book, view()),
    onPick: pick,
  });
  if (facts.parts.length) {
    chart("slice-list", ["measure", "a", "b"], {
      title: () => `${facts.measures[view().measure].name} by slice: ${names()}`,
      sentence:
        "Mean difference in each slice, with its interval. Verdicts use p-values corrected within a slice. Intervals are not corrected, so an interval may exclude 0 although there is no clear difference.",
      draw: (width) => slicesScene(book, view(), width),
      csv: () => slicesCsv(book, view()),
    });
  }
}

/** Return the height of the scatter plot if it is beside the bars, so that both have the same height. @param {Book} book @param {State} view */
function heightBeside(book, view) {
  const [, second] = getComputedStyle(byId("by-query")).gridTemplateColumns.split(" ").map(parseFloat);
  return second > 0 ? scatterHeight(book, view, Math.max(220, Math.floor(second))) : undefined;
}

/** Return whether the curves are side by side below one legend; page.css uses the same width. */
function isLegendShared() {
  return matchMedia("(min-width: 60rem)").matches && !document.documentElement.classList.contains("printing");
}

/** Mount the curves; the curve over cutoffs follows the selected measure if that has a cutoff. @param {Mount} chart @param {Book} book @param {() => State} view */
function mountCurves(chart, book, view) {
  const { pictures, runs } = book.facts;
  const several = runs.length > 1;
  if (pictures.length && several) {
    const entries = runs.map((text, run) => ({ text, colour: runColour(run), style: run }));
    byId("pictures").before(h("div", { class: "shared" }, legendElement(entries)));
  }
  /** @param {() => import("../data/data.js").Picture} now @param {(keyof State)[]} keys */
  const add = (now, keys) =>
    chart("pictures", keys, {
      title: () => now().title,
      sentence: () => now().notes[0],
      draw: (width) => curveScene(now(), width, { named: !several || !isLegendShared(), names: book.short }),
      drawAlone: (width) => curveScene(now(), width, { names: book.short }),
      csv: () => curveCsv(now()),
    });
  for (const picture of pictures.filter(({ kind }) => kind !== "at-k")) add(() => picture, []);
  const cut = pictures.filter(({ kind }) => kind === "at-k");
  if (cut.length) add(() => cut.find(({ measures }) => measures?.includes(view().measure)) ?? cut[0], ["measure"]);
}
