import { docsOfRows } from "../../src/judged/page/web/query/moves.js";
import { arithmeticTable } from "../../src/judged/page/web/query/tables.js";
import { same } from "./check.js";
import { sampleBook } from "./sample.js";

/** @param {number[]} docs @param {[number, number][]} [below] */
function ranking(docs, below = []) {
  return { docs, retrieved: 100, below, why: [] };
}

/** @param {string[]} headers @param {number[]} ranks @param {string[][]} rows */
function arithmetic(headers, ranks, rows) {
  return { headers, ranks, rows, closing: "", hidden: 0, parts: null };
}

Deno.test("rows stand for the documents at their ranks, on the page and below", () => {
  const grades = [2, null, 0, 1];
  same(docsOfRows([1, 3, 57], ranking([0, 1, 2], [[3, 57]]), grades), { places: [0, 2, 3], condensed: false });
});

Deno.test("rows of a measure that leaves unjudged documents out count judged ones", () => {
  const grades = [2, null, 0, 1];
  same(docsOfRows([1, 2, 3], ranking([0, 1, 2], [[3, 57]]), grades), { places: [0, 2, 3], condensed: true });
});

Deno.test("rows that fit no document of the page stand for none", () => {
  same(docsOfRows([1, 2, 9], ranking([0, 1, 2]), [2, null, 0]), null);
});

Deno.test("cells are shown as they came, and columns that the page has itself are not shown twice", () => {
  const why = arithmetic(["rank", "document", "grade", "gain", "sum"], [1, 3], [["1", "d0", "2", "2", "2"], [
    "3",
    "d2",
    "0",
    "0",
    "2.00",
  ]]);
  const table = arithmeticTable(why, ranking([0, 1, 2]), [2, null, 0]);
  same(table.headers, ["gain", "sum"]);
  same(table.rows, [{ rank: 1, place: 0, cells: ["2", "2"] }, { rank: 3, place: 2, cells: ["0", "2.00"] }]);
});

Deno.test("where the documents are not known, the cells that name them stay", () => {
  const why = arithmetic(["rank", "document", "gain"], [8], [["8", "d9", "1"]]);
  const table = arithmeticTable(why, ranking([0]), [2]);
  same(table.known, false);
  same(table.headers, ["document", "gain"]);
  same(table.rows, [{ rank: 8, place: -1, cells: ["d9", "1"] }]);
});

Deno.test("every arithmetic of the sample names judged documents", async () => {
  const book = sampleBook();
  for (const query of book.facts.queries.keys()) {
    const detail = await book.detail(query);
    for (const list of detail.rankings) {
      for (const why of list?.why ?? []) {
        const table = list && arithmeticTable(why, list, detail.grades);
        same(table?.rows.every((row) => detail.grades[row.place] !== null), true);
        same(table?.headers, ["part"]);
      }
    }
  }
});
