/** The charts of the page and the parts of the state that each depends on. */
import {
  differenceCsv,
  differenceScene,
  differenceWords,
  scatterCsv,
  scatterHeight,
  scatterScene,
} from "../charts/by-query.js";
import {
  decidingP,
  intervalName,
  intervalOf,
  isTested,
  meanText,
  viewedDifferences,
  viewedPair,
} from "../charts/common.js";
import { coveragePicture, curveCsv, curveScene, linePaint, SHARES } from "../charts/curve.js";
import { matrixCsv, matrixPair, matrixScene } from "../charts/matrix.js";
import {
  againstCsv,
  againstScene,
  boundsCsv,
  boundsScene,
  meansCsv,
  meansScene,
  referenceRun,
  slicesCsv,
  slicesScene,
} from "../charts/rows.js";
import { spreadCsv, spreadFilter, spreadScene } from "../charts/spread.js";
import {
  between,
  integerText,
  numberText,
  percent,
  plural,
  pText,
  signedText,
  sliceName,
  verdictTone,
} from "../data/format.js";
import { bdi, byId, fill, h, wordNodes } from "../dom.js";
import { legendElement, mountChart } from "../kit/chart.js";
import { nameText } from "../kit/text.js";
/** @import { View } from "../charts/common.js" */
/** @import { Book, Picture } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */
/** @import { Chart } from "../kit/chart.js" */
/** @import { Selection, Trail } from "../queries/queries.js" */

/** @typedef {(place: string, keys: (keyof State)[], made: Chart) => {update: () => void}} Mount adds a chart to an element; it is redrawn when one of the keys changes */

const PAIR_KEYS = /** @type {(keyof State)[]} */ (["measure", "a", "b", "slice"]);
const FOCUS_KEYS = /** @type {(keyof State)[]} */ (["a", "b"]);
const FILTER_KEYS = /** @type {(keyof State)[]} */ (["q", "only"]);
const FILTER_DELAY = 150; // charts follow when typing pauses

/** Mount all charts in the order of the page. @param {Book} book @param {Store} store @param {Trail} trail @param {Selection} selection */
export function mountCharts(book, store, trail, selection) {
  const { facts } = book;
  const lights = { run: -1 };
  const view = () => ({ ...store.get(), picked: selection.of(store.get()).picked, lit: lights.run });
  const measure = () => facts.measures[store.get().measure].name;
  const kind = () => facts.measures[store.get().measure].kind;
  const pick = (/** @type {number} */ query) => {
    trail.follow({ order: () => viewedDifferences(book, view()).queries, words: "by difference" });
    store.set({ query: facts.queries[query] }, { push: true });
  };
  const several = facts.runs.length > 1;
  /** @type {Mount} */
  const chart = (place, keys, made) => {
    const mounted = mountChart(byId(place), made);
    let timer = 0;
    store.subscribe((_, changed) => {
      const found = keys.filter((key) => changed.includes(key));
      if (!found.length) return;
      clearTimeout(timer);
      if (found.every((key) => FILTER_KEYS.includes(key))) timer = setTimeout(mounted.update, FILTER_DELAY);
      else mounted.update();
    });
    return mounted;
  };
  const parts = { chart, book, store, view, measure, pick };

  if (several) mountComparisons(parts);
  else {
    chart("means-side", ["measure"], {
      title: () => `${kind()[0].toUpperCase()}${kind().slice(1)} ${measure()}`,
      sentence: () =>
        Number.isNaN(facts.summary[store.get().measure][0].low)
          ? ""
          : `With the ${intervalName(facts.level)} over queries.`,
      draw: (width) => meansScene(book, view(), width),
      csv: () => meansCsv(book, view()),
    });
  }
  chart("means", [...PAIR_KEYS, ...FILTER_KEYS], {
    title: () => `Distribution of ${measure()} over queries${within(store.get())}`,
    sentence: () =>
      `Number of queries per value${
        kind() === "total" ? "" : `; the vertical line is the ${kind()}`
      }. Select a bar, or drag over several, to see its queries.`,
    draw: (width) => spreadScene(book, view(), width),
    csv: () => spreadCsv(book, view()),
    onPick: (datum) => store.set({ q: spreadFilter(book, view(), datum) }),
    pickWord: "filter the queries",
    onSelect: (q) => store.set({ q }),
  });
  if (several) mountPair(parts);
  const lit = mountCurves(parts, lights);
  if (facts.coverage) {
    const judged = coveragePicture(facts.runs, facts.coverage);
    mountUnjudged(book, store);
    lit.push(
      chart("coverage", FOCUS_KEYS, {
        title: "Judged documents by rank",
        sentence: "Share of queries whose document at this rank is judged.",
        draw: (width) => curveScene(book, view(), judged, width, SHARES),
        csv: () => curveCsv(judged),
      }),
    );
    if (facts.summary.some((runs) => runs.some(({ top, irrelevant }) => top !== irrelevant && !Number.isNaN(top)))) {
      chart("coverage", ["measure", "a", "b"], {
        title: () => `Effect of unjudged documents on ${measure()}`,
        sentence:
          "Means if all unjudged documents were irrelevant, or had the highest grade. The dot is the reported mean. With an ideal ranking, more relevant documents may also lower the value.",
        draw: (width) => boundsScene(book, view(), width),
        csv: () => boundsCsv(book, view()),
      });
    }
  }
}

/** State the slice that a chart is about. @param {State} state */
function within({ slice }) {
  return slice === null ? "" : ` in ${nameText(sliceName(slice))}`;
}

/** @typedef {{chart: Mount, book: Book, store: Store, view: () => View & State, measure: () => string, pick: (query: number) => void}} Parts */

/** Mount the differences to the best run and the pairs. @param {Parts} parts */
function mountComparisons({ chart, book, store, view, measure }) {
  const { facts } = book;
  const first = () => referenceRun(book, view().measure);
  const name = () => facts.baseline >= 0 ? nameText(book.short[first()]) : "the best run";
  chart("means-side", ["measure", "a", "b"], {
    title: () => `${measure()}: differences to ${name()}`,
    sentence:
      `With ${facts.intervals.all}s. Runs are compared query by query, so a difference may be clear although intervals of the means would overlap. Filled: the interval excludes 0, a clear difference. Hollow: not clear.`,
    draw: (width) => againstScene(book, view(), width),
    csv: () => againstCsv(book, view()),
    onPick: (run) => store.set(facts.baseline >= 0 ? { a: first(), b: run } : { b: first(), a: run }),
    pickWord: "choose the pair",
  });
  if (facts.runs.length > 2 && facts.baseline < 0) {
    chart("means-side", ["measure", "a", "b"], {
      title: () => `${measure()}: all pairs`,
      sentence:
        "Best first: the run of the row minus the run of the column. Filled: clearly better. Hollow: not clear. Select a pair to compare it.",
      draw: (width) => matrixScene(book, view(), width),
      csv: () => matrixCsv(book, view()),
      onPick: (datum) => store.set(matrixPair(book, view(), datum)),
      pickWord: "choose the pair",
    });
  }
}

/** Mount the comparison of the two runs: in numbers, by query and by slice. @param {Parts} parts */
function mountPair({ chart, book, store, view, pick }) {
  const { facts } = book;
  const names = () => `${nameText(book.short[view().b])} vs ${nameText(book.short[view().a])}${within(store.get())}`;
  const select = (/** @type {string} */ q) => store.set({ q });
  store.follow(PAIR_KEYS, () => fill(byId("difference"), pairTiles(book, view())));
  chart("by-query", [...PAIR_KEYS, ...FILTER_KEYS], {
    title: () => `${facts.measures[view().measure].name} by query: ${names()}`,
    sentence: () => `${differenceWords(book, view())} Select a bar to open its query; drag to filter.`,
    draw: (width) => differenceScene(book, view(), width, heightBeside(book, view())),
    csv: () => differenceCsv(book, view()),
    onPick: pick,
    onSelect: select,
  });
  chart("by-query", [...PAIR_KEYS, ...FILTER_KEYS], {
    title: () => `Values per query: ${names()}`,
    sentence: "Select a point to open its query; drag to filter.",
    draw: (width) => scatterScene(book, view(), width),
    csv: () => scatterCsv(book, view()),
    onPick: pick,
    onSelect: select,
  });
  if (facts.parts.length) {
    chart("slice-list", ["measure", "a", "b", "slice", ...FILTER_KEYS], {
      title: () =>
        `${facts.measures[view().measure].name} by slice: ${nameText(book.short[view().b])} vs ${
          nameText(book.short[view().a])
        }`,
      sentence: () =>
        `Mean difference in each slice, with ${facts.intervals.slices}s: an interval excludes 0 exactly if the verdict is better or worse. Select a slice to see only its queries.`,
      draw: (width) => slicesScene(book, view(), width),
      csv: () => slicesCsv(book, view()),
      onPick: (row) => store.set({ slice: row ? facts.slices[row - 1].label : null }),
      pickWord: "choose the slice",
    });
  }
}

/** Return the height of the scatter plot if it is beside the bars, so that both have the same height. @param {Book} book @param {State} view */
function heightBeside(book, view) {
  const [, second] = getComputedStyle(byId("by-query")).gridTemplateColumns.split(" ").map(parseFloat);
  return second > 0 ? scatterHeight(book, view, Math.max(220, Math.floor(second))) : undefined;
}

/** Mount the curves and return them; the curve over cutoffs follows the selected measure if that has a cutoff. @param {Parts} parts @param {{run: number}} lights the highlighted run */
function mountCurves({ chart, book, store, view }, lights) {
  const { pictures, runs } = book.facts;
  const several = runs.length > 1;
  // The curves are side by side below one legend; report.css uses the same width.
  const shared = () =>
    matchMedia("(min-width: 60rem)").matches && !document.documentElement.classList.contains("printing");
  /** @type {{update: () => void}[]} */
  const charts = [];
  if (pictures.length && several) mountLegend(book, store, view, lights, charts);
  /** @param {() => Picture} now @param {(keyof State)[]} keys */
  const add = (now, keys) =>
    charts.push(
      chart("pictures", keys, {
        title: () => now().title,
        sentence: () => now().notes[0],
        draw: (width) => curveScene(book, view(), now(), width, { named: !several || !shared() }),
        drawAlone: (width) => curveScene(book, view(), now(), width),
        csv: () => curveCsv(now()),
      }),
    );
  for (const picture of pictures.filter(({ kind }) => kind !== "at-k")) add(() => picture, FOCUS_KEYS);
  const cut = pictures.filter(({ kind }) => kind === "at-k");
  if (cut.length) {
    add(() => cut.find(({ measures }) => measures?.includes(view().measure)) ?? cut[0], ["measure", ...FOCUS_KEYS]);
  }
  return charts;
}

/** A legend above the curves. @param {Book} book @param {Store} store @param {() => View} view @param {{run: number}} lights @param {{update: () => void}[]} charts */
function mountLegend(book, store, view, lights, charts) {
  const host = h("div.shared");
  const light = (/** @type {number} */ run) => {
    if (run === lights.run) return;
    lights.run = run;
    charts.forEach(({ update }) => update());
  };
  const draw = () =>
    fill(
      host,
      legendElement(
        book.facts.runs.map((_, run) => ({ text: book.short[run], ...linePaint(book, view(), run) })),
        light,
      ),
    );
  byId("pictures").before(host);
  store.follow(FOCUS_KEYS, draw);
}

// ── The comparison of the two selected runs in numbers ──

/** @param {string} name @param {Node | string} value @param {(Node | string)[]} [below] @param {string} [tone] */
function pairTile(name, value, below = [], tone = "") {
  return h("div.tile", h("dt", name), h("dd", { class: tone || null }, value, below.length > 0 && h("small", below)));
}

/** Tiles with the comparison of b and a on the selected measure, over all queries or one slice. @param {Book} book @param {View} view @returns {HTMLElement} */
export function pairTiles(book, view) {
  const pair = viewedPair(book, view);
  const measure = book.facts.measures[view.measure];
  const name = (/** @type {number} */ run) => bdi(book.short[run], { title: book.facts.runs[run] });
  if (!pair) return h("p.note", name(view.b), " and ", name(view.a), " were not compared.");
  const mean = (/** @type {number} */ value) => meanText(value, measure);
  const tone = verdictTone(pair.verdict);
  const sentence = (/** @type {string} */ text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
  const notes = [pair.note, pair.needs].filter(Boolean).map(sentence);
  return h(
    "div",
    h(
      "dl.tiles",
      pairTile("verdict", pair.verdict, [name(view.b), " vs ", name(view.a), ` on ${measure.name}`], tone),
      pairTile(
        "mean difference",
        signedText(pair.difference),
        Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`],
      ),
      pairTile("means", `${mean(pair.mean_b)} · ${mean(pair.mean_a)}`, [name(view.b), " · ", name(view.a)]),
      pairTile("better · same · worse", [pair.wins, pair.ties, pair.losses].map(integerText).join(" · "), [
        `of ${plural(pair.queries, "query", "queries")}`,
      ]),
      isTested(pair)
        ? pairTile(
          decidingP(pair),
          pText(pair.adjusted),
          pair.p === pair.adjusted ? [] : [`uncorrected p ${pText(pair.p)}`],
        )
        : pairTile("p", "–", ["not tested"]),
      pairTile("effect size", numberText(pair.d_z, 2), [
        h("abbr", { title: "mean of the differences divided by their standard deviation" }, "Cohen's d_z"),
        "; ",
        h("abbr", { title: "share of queries on which the run is better" }, "superiority"),
        ` ${percent(pair.superiority)}, ties count half`,
      ]),
    ),
    notes.length > 0 && h("p.note", notes.join(" ")),
  );
}

// ── Whether unjudged documents could change who is first ──

/** @param {Book} book @param {Store} store */
export function mountUnjudged(book, store) {
  const { runs, unjudged } = book.facts;
  const question = runs.length > 1 ? "Could unjudged documents change who is first? " : "";
  store.follow(["measure"], () => {
    const answer = unjudged[store.get().measure];
    const words = answer ? [h("strong", question), ...wordNodes(book, answer.words)] : [];
    fill(byId("unjudged-answer"), words).hidden = !answer;
  });
}
