import { defaultState } from "../../src/judged/page/web/data/state.js";
import {
  bestValue,
  chosenRows,
  columnKeys,
  createQueryColumns,
  largestDifference,
  layoutFor,
  outcomes,
  querySheet,
} from "../../src/judged/page/web/queries/columns.js";
import { createSelection, filterExamples, sliceSheet, sliceTest } from "../../src/judged/page/web/queries/queries.js";
import { createFilter } from "../../src/judged/page/web/table/filter.js";
import { same } from "./check.js";
import { sampleBook } from "./sample.js";

const BOOK = sampleBook();

/** Values of the first measure, run by run, written into a book. @param {number[][]} columns @param {boolean} [lower] */
function bookOf(columns, lower = false) {
  return sampleBook({
    queries: columns[0].length,
    change: (facts, values) => {
      facts.measures = facts.measures.map((measure, i) => i ? measure : { ...measure, lower });
      columns.forEach((column, run) => values.set(column, run * column.length));
    },
  });
}

Deno.test("better and worse follow the measure, and a missing value is neither", () => {
  const columns = [[0.1, 0.5, 0.5, NaN], [0.2, 0.4, 0.5, 1], [0, 0, 0, 0]];
  same(outcomes(bookOf(columns), { measure: 0, a: 0, b: 1 }), ["better", "worse", "same", "missing"]);
  same(outcomes(bookOf(columns, true), { measure: 0, a: 0, b: 1 }), ["worse", "better", "same", "missing"]);
});

Deno.test("rows are chosen by the filter and the outcome, and counted by the filter alone", () => {
  const kinds = /** @type {const} */ (["better", "worse", "better", "missing", "same"]);
  const { rows, counts } = chosenRows(5, (row) => row !== 2, [...kinds], "better");
  same(rows, [0]);
  same([...counts], [["", 4], ["better", 1], ["worse", 1], ["same", 1], ["missing", 1]]);
  same(chosenRows(5, () => true, [...kinds], "").rows, [0, 1, 2, 3, 4]);
});

Deno.test("the best of a row is marked, unless all are alike", () => {
  const columns = [[0.1, 0.5, NaN, NaN], [0.3, 0.5, 0.2, NaN], [0.3, 0.5, 0.4, NaN]].map((column) =>
    Float64Array.from(column)
  );
  same([0, 1, 2, 3].map((row) => bestValue(columns, row, false)), [0.3, NaN, 0.4, NaN]);
  same([0, 1, 2, 3].map((row) => bestValue(columns, row, true)), [0.1, NaN, 0.2, NaN]);
});

Deno.test("bars are as long as the largest difference allows", () => {
  same(largestDifference(Float64Array.from([0, 1, NaN]), Float64Array.from([0.5, 0.25, 1])), 0.75);
  same(largestDifference(Float64Array.from([NaN, 1]), Float64Array.from([0, Infinity])), 0);
});

Deno.test("all columns in their order where they fit; else what is compared comes first", () => {
  const compared = { measure: 0, a: 2, b: 1 };
  same(columnKeys(BOOK, compared, "wide"), [
    "id",
    "text",
    "run:bm25",
    "run:dense",
    "run:hybrid",
    "difference",
    "relevant",
  ]);
  same(columnKeys(BOOK, compared, "tight"), [
    "id",
    "text",
    "run:hybrid",
    "run:dense",
    "difference",
    "relevant",
    "run:bm25",
  ]);
  same(columnKeys(BOOK, compared, "phone"), ["id", "run:hybrid", "run:dense", "difference", "relevant", "run:bm25"]);
});

Deno.test("one run has nothing to differ from, and what was not given has no column", () => {
  const one = sampleBook({
    runs: ["only"],
    change: (facts) => {
      facts.texts = null;
      facts.relevant = null;
    },
  });
  for (const layout of /** @type {const} */ (["wide", "tight", "phone"])) {
    same(columnKeys(one, { measure: 0, a: 0, b: 0 }, layout), ["id", "run:only"]);
  }
});

Deno.test("the layout follows the room", () => {
  const wide = createQueryColumns(BOOK, () => "#")({ measure: 0, a: 0, b: 1 }, "wide", 72);
  same([22, 38, 45, 72].map((width) => layoutFor(wide, width)), ["phone", "phone", "tight", "wide"]);
});

Deno.test("on a phone, what is compared fills the room, and no more", () => {
  const sum = (/** @type {number} */ room) =>
    createQueryColumns(BOOK, () => "#")({ measure: 0, a: 0, b: 1 }, "phone", room).slice(0, 4)
      .reduce((total, column) => total + column.width, 0);
  same(sum(24).toFixed(6), "24.000000");
  same(sum(30).toFixed(6), "30.000000");
  same(sum(10) > 20 && sum(10) < 20.5, true); // a screen of 360 pixels
});

Deno.test("columns give texts and values to sort by", () => {
  const columns = createQueryColumns(BOOK, () => "#")({ measure: 2, a: 0, b: 1 }, "wide", 72);
  const [a, b] = [BOOK.value(2, 0, 3), BOOK.value(2, 1, 3)];
  const texts = new Map(columns.map((column) => [column.key, column.text(3)]));
  same(texts.get("id"), "q4");
  same(texts.get("run:bm25"), String(a));
  same(texts.get("difference"), `${b > a ? "+" : ""}${b - a}`.replace("-", "−"));
  same(columns.map((column) => !!column.rising), [true, true, false, false, false, false, false]);
  const id = columns[0];
  same([1, 9].map((row) => id.sortValue(row)), [1, 9]); // q2 before q10
});

Deno.test("the sheet holds every measure and run, in full, for the rows as they stand", () => {
  const { header, rows } = querySheet(BOOK, [39, 0], { a: 0, b: 1 });
  same(header.slice(0, 6), ["query", "text", "relevant", "slices", "nDCG@10(bm25)", "nDCG@10(dense)"]);
  same(header.length, 4 + 9 + 3);
  same(rows.map((row) => row[0]), ["q40", "q1"]);
  same(rows[1][5], BOOK.value(0, 1, 0));
  same(Number.isNaN(rows[0][6]), true);
});

Deno.test("the sheet holds the slices of each query, and the differences of the two runs by every measure", () => {
  const { header, rows } = querySheet(BOOK, [0, 1], { a: 0, b: 1 });
  same(rows.map((row) => row[3]), ["long", "short"]);
  same(header.at(-3), "nDCG@10(dense) - nDCG@10(bm25)");
  same(rows[0].at(-3), BOOK.value(0, 1, 0) - BOOK.value(0, 0, 0));
  const one = querySheet(sampleBook({ runs: ["only"] }), [0], { a: 0, b: 0 });
  same(one.header.slice(4), ["nDCG@10(only)", "RR@10(only)", "NumWrongRet@10(only)"]);
});

Deno.test("every example of a filter can be read, whatever the names", () => {
  const books = [
    BOOK,
    sampleBook({ runs: ["only"] }),
    sampleBook({ runs: ["my run", 'say "hi"', "-x", "a<b"] }),
    sampleBook({ runs: ["diff", "relevant", "missing", "nan"] }),
  ];
  for (const book of books) {
    for (let measure = 0; measure < 3; measure++) {
      const state = { ...defaultState(book), measure };
      for (const [text] of filterExamples(book, state)) same(createFilter(book).parse(text, state).notes, []);
    }
  }
});

Deno.test("a slice keeps its rows; none keeps all", () => {
  const rows = [0, 1, 2, 3];
  same(rows.filter(sliceTest(BOOK, "long")), [0, 3]);
  same(rows.filter(sliceTest(BOOK, null)), rows);
  same(rows.filter(sliceTest(BOOK, "")), rows);
  same(rows.filter(sliceTest(BOOK, "constructor")), rows);
  const empty = sampleBook({ change: (facts) => facts.slices = [{ label: "", rows: [2] }] });
  same([sliceTest(empty, ""), sliceTest(empty, null)].map((test) => rows.filter(test)), [[2], rows]);
});

Deno.test("a selection is what all filters leave, and null if there is none", () => {
  const selection = createSelection(BOOK);
  const state = { ...defaultState(BOOK), q: "", only: /** @type {const} */ (""), slice: null };
  same(selection.of(state).picked, null);
  const chosen = selection.of({ ...state, slice: "long", only: "better" });
  same(chosen.rows.every((row) => row % 3 === 0 && chosen.picked?.has(row)), true);
  same(selection.of({ ...state, slice: "long", only: "better" }) === chosen, true);
});

Deno.test("a selection is saved as a slice of all queries", () => {
  const { header, rows } = sliceSheet(BOOK, [BOOK.facts.queries[1]]);
  same(header, ["query", "slice"]);
  same(rows.filter(([, slice]) => slice === "selected"), [[BOOK.facts.queries[1], "selected"]]);
  same(rows.length, BOOK.facts.queries.length);
});
