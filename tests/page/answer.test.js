import { differenceScene, scatterScene } from "../../src/judged/page/web/charts/by-query.js";
import { viewedDifferences, viewedPair } from "../../src/judged/page/web/charts/common.js";
import { rangeFilter, spreadFilter, spreadScene } from "../../src/judged/page/web/charts/spread.js";
import { Book } from "../../src/judged/page/web/data/data.js";
import { defaultState } from "../../src/judged/page/web/data/state.js";
import { distinctNames, letterCount } from "../../src/judged/page/web/kit/text.js";
import { createSelection } from "../../src/judged/page/web/queries/queries.js";
import { documentChanges } from "../../src/judged/page/web/query/moves.js";
import { idealOrder } from "../../src/judged/page/web/query/tables.js";
import { waterfallScene, waterfallSteps } from "../../src/judged/page/web/query/waterfall.js";
import { splitWords, wordsOf } from "../../src/judged/page/web/query/words.js";
import { activeFilters, headlineOf } from "../../src/judged/page/web/sections/answer.js";
import { changeLists, changeReasons, rankChange, rankWords } from "../../src/judged/page/web/sections/changes.js";
import { same } from "./check.js";
import { sampleBook } from "./sample.js";

const BOOK = sampleBook();
const STATE = defaultState(BOOK);
const MEMORY = { all: false, side: /** @type {const} */ ("a"), runs: false };

/** @param {number} query */
const viewOf = (query) => ({ ...STATE, query, book: BOOK, memory: MEMORY, choose: () => {} });

Deno.test("the headline is that of the measure for its pair, and that of the pair for any other", () => {
  same(headlineOf(BOOK, STATE).words, BOOK.facts.verdicts[0].words);
  const other = { ...STATE, a: 1, b: 0 };
  same(headlineOf(BOOK, other).words, viewedPair(BOOK, other)?.headlines[0]);
  same(headlineOf(BOOK, other).more[0][0], "All runs: ");
});

Deno.test("a turned pair has its own headline and share", () => {
  const [one, turned] = [viewedPair(BOOK, STATE), viewedPair(BOOK, { ...STATE, a: STATE.b, b: STATE.a })];
  same(turned?.headlines, [one?.headlines[1], one?.headlines[0]]);
  same(turned?.relative, [one?.relative[1], one?.relative[0]]);
});

Deno.test("largest gains and losses come first, five of each", () => {
  const [gained, lost] = changeLists(BOOK, STATE);
  const { queries, gains } = viewedDifferences(BOOK, STATE);
  same(gained.shown, queries.slice(0, 5));
  same(lost.shown, queries.filter((_, i) => gains[i] < 0).reverse().slice(0, 5));
  same([gained.ties, lost.ties], ["", ""]);
});

/** A book with these values of each run on every measure. @param {number[][]} runs */
function bookOf(runs) {
  const { facts } = sampleBook();
  const own = { ...facts, runs: runs.map((_, i) => `r${i}`), queries: runs[0].map((_, i) => `q${i}`), slices: [] };
  const values = facts.measures.flatMap(() => runs.flat());
  return new Book({ ...own, pairs: [], parts: [], summary: [] }, Float64Array.from(values), () => Promise.resolve([]));
}

Deno.test("ties among the largest changes are counted, and shown in the order of the queries", () => {
  const book = bookOf([[1, 0, 1, 0, 1, 1, 1, 1, 1], [0, 1, 0, 0, 0, 0, 0, 0, 0.5]]);
  const [gained, lost] = changeLists(book, { ...STATE, a: 0, b: 1 });
  same([gained.shown, gained.ties], [[1], ""]);
  same([lost.shown, lost.ties], [[0, 2, 4, 5, 6], "6 of 7 queries have −1.000; the first 5 are shown."]);
});

Deno.test("the worst queries of one run are those with the lowest values, or the highest if lower is better", () => {
  const book = bookOf([[0.5, 0, 1, 0, NaN, 0, 0, 0, 0, 0, 0, 0, 0, 0.25]]);
  const state = { ...STATE, a: 0, b: 0 };
  const [worst] = changeLists(book, state);
  same(worst.shown, [1, 3, 5, 6, 7, 8, 9, 10, 11, 12]);
  same([worst.title, worst.ties], ["From the lowest nDCG@10", ""]);
  const [most] = changeLists(book, { ...state, measure: 2 });
  same([most.title, most.shown.slice(0, 4)], ["From the highest NumWrongRet@10", [2, 0, 13, 1]]);
  same(most.ties, "10 of 13 queries have 0; the first 7 are shown.");
});

Deno.test("the ranks of the relevant documents say how far a query fails", () => {
  const detail = { docs: [], titles: [], texts: [], grades: [2, 0, 1, 1, null] };
  const ranking = { docs: [4, 1, 0], retrieved: 40, below: /** @type {[number, number][]} */ ([[2, 31]]), why: [] };
  same(rankWords({ ...detail, rankings: [ranking] }, 1), ["3 relevant documents; found at rank 3, 31"]);
  same(rankWords({ ...detail, rankings: [{ ...ranking, docs: [4], below: [] }] }, 2), [
    "1 relevant document; none found",
  ]);
});

Deno.test("ranks before and after are told in words", () => {
  same(rankChange(8, 4), "rank 8 → 4");
  same(rankChange(0, 3), "not found → rank 3");
  same(rankChange(2, 0), "rank 2 → not found");
});

Deno.test("the steps of a query lead from one value to the other, and reasons are the largest of them", async () => {
  for (let query = 0; query < 39; query++) {
    const detail = await BOOK.detail(query);
    const { steps, exact } = documentChanges(detail, STATE.a, STATE.b, 0, 1);
    const difference = BOOK.value(0, STATE.b, query) - BOOK.value(0, STATE.a, query);
    same([exact, Math.abs(steps.reduce((sum, { delta }) => sum + delta, 0) - difference) < 1e-9], [true, true]);
    const found = waterfallSteps(viewOf(query), detail, 1);
    if (!found) continue;
    same([found[0].to, found.at(-1)?.to], [BOOK.value(0, STATE.a, query), BOOK.value(0, STATE.b, query)]);
    same(found.slice(1, -1).every((step, i) => step.from === found[i].to), true);
    same(waterfallScene(viewOf(query), found, 600).label.includes("NaN"), false);
    const [reason] = changeReasons(detail, STATE, difference > 0, 1, false);
    const [largest] = steps.filter(({ delta }) => Math.sign(delta) === Math.sign(difference));
    if (difference) same(reason.place, largest.place);
  }
});

Deno.test("a measure that is no sum has reasons by grade and rank, and no waterfall", async () => {
  const detail = await BOOK.detail(3);
  same(documentChanges(detail, 0, 1, 1, 1).exact, false);
  same(waterfallSteps({ ...viewOf(3), measure: 1 }, detail, 1), null);
});

Deno.test("the ideal ranking has all gains, from the highest grade down", async () => {
  const detail = await BOOK.detail(0);
  const grades = idealOrder(detail).map((place) => detail.grades[place] ?? 0);
  same(grades, [...grades].sort((p, q) => q - p));
  same(grades.length, detail.grades.filter((grade) => (grade ?? 0) > 0).length);
});

Deno.test("words of the query are marked, common ones are not", () => {
  const words = wordsOf("Why do the onions make you CRY?");
  same([...words], ["onions", "make", "cry"]);
  const parts = splitWords("An onion makes you cry.", words);
  same(parts.filter(({ found }) => found).map(({ text }) => text), ["onion", "makes", "cry"]);
  same(parts.map(({ text }) => text).join(""), "An onion makes you cry.");
});

Deno.test("an area that was dragged over becomes a filter that leaves its queries", () => {
  const selection = createSelection(BOOK);
  const found = viewedDifferences(BOOK, STATE);
  const bars = differenceScene(BOOK, STATE, 800);
  const [first, fifth] = [bars.spots[0], bars.spots[4]];
  const q = bars.brush?.({ x: first.x, y: 60 }, { x: fifth.x, y: 200 }) ?? "";
  const rows = selection.of({ ...STATE, q }).rows;
  same(found.queries.slice(0, 5).every((query) => rows.includes(query)), true);
  same(
    rows.every((row) => BOOK.value(0, STATE.b, row) - BOOK.value(0, STATE.a, row) >= found.values[4] - 0.0001),
    true,
  );
  const dots = scatterScene(BOOK, STATE, 440);
  const spot = dots.spots[7];
  const near = dots.brush?.({ x: spot.x - 2, y: spot.y - 2 }, { x: spot.x + 2, y: spot.y + 2 }) ?? "";
  same(selection.of({ ...STATE, q: near }).rows.includes(spot.datum), true);
});

Deno.test("a bar of a histogram becomes a filter with as many queries as it counts", () => {
  const selection = createSelection(BOOK);
  const scene = spreadScene(BOOK, STATE, 600);
  const rows = (/** @type {number} */ datum) =>
    selection.of({ ...STATE, q: spreadFilter(BOOK, STATE, datum) }).rows.length;
  const counts = scene.spots.map(({ datum }) => Number(/^(\d+) quer/.exec(scene.tip(datum)[2])?.[1]));
  // Values that look like the end of a bar are in both bars.
  same(scene.spots.every(({ datum }, i) => rows(datum) >= counts[i] && rows(datum) <= counts[i] + 1), true);
  same(rangeFilter("diff", -0.25, 0.5), "diff>=-0.25 diff<=0.5");
});

Deno.test("active filters are told with what removes them", () => {
  same(activeFilters(STATE), []);
  const active = activeFilters({ ...STATE, q: "diff>0.1", only: "worse", slice: "" });
  same(active, [{ words: "(empty)", patch: { slice: null } }, { words: "only worse", patch: { only: "" } }, {
    words: "diff>0.1",
    patch: { q: "" },
  }]);
});

Deno.test("names that share both ends are told apart", () => {
  const names = [
    "sentence-transformers/all-MiniLM-L6-v2 (batch 16, 2024-11-03)",
    "sentence-transformers/all-MiniLM-L12-v2 (batch 16, 2024-11-03)",
    "bm25 with a long description of what it does and how it was tuned",
  ];
  const short = distinctNames(names);
  same(
    new Set(
      short.map((name) =>
        [...name].length <= 20 ? name : [...name].slice(0, 8).join("") + [...name].slice(-8).join("")
      ),
    ).size,
    3,
  );
});

Deno.test("wide letters count two", () => same([letterCount("abc"), letterCount("新システム")], [3, 10]));
