import { placeByKey } from "../../src/judged/page/web/dom.js";
import { naturalRanks, scrollTarget, sortRows, windowOf } from "../../src/judged/page/web/table/table.js";
import { same } from "./check.js";

/** Texts in the natural order. @param {string[]} texts */
function inOrder(texts) {
  const ranks = naturalRanks(texts);
  return texts.map((_, i) => i).sort((i, j) => ranks[i] - ranks[j]).map((i) => texts[i]);
}

Deno.test("numbers inside names count as numbers", () => {
  same(inOrder(["q10", "q2", "q1", "q02", "q", "Q3", "qa", "q-1"]), ["Q3", "q", "q-1", "q1", "q02", "q2", "q10", "qa"]);
  same(inOrder(["1.10", "1.9", "1", "01", "0"]), ["0", "01", "1", "1.9", "1.10"]);
  same(inOrder(["q9b2", "q9a10", "q9a9"]), ["q9a9", "q9a10", "q9b2"]);
  const long = "9".repeat(400);
  same(inOrder([`1${long}`, long]), [long, `1${long}`]);
});

Deno.test("equal texts share a rank, an empty one has none", () => {
  same([...naturalRanks(["q10", "q2", "", "q2"])].map((rank) => Number.isNaN(rank) ? "none" : rank), [2, 0, "none", 0]);
  same(naturalRanks(["\u202Ea", "__proto__", "x".repeat(1000), "\uD800"]).some(Number.isNaN), false);
});

Deno.test("sorting keeps the order of equals, both ways", () => {
  const values = [2, 1, 2, 1];
  same([...sortRows([0, 1, 2, 3], (row) => values[row], false)], [1, 3, 0, 2]);
  same([...sortRows([0, 1, 2, 3], (row) => values[row], true)], [0, 2, 1, 3]);
  same([...sortRows([3, 2, 1, 0], (row) => values[row], true)], [2, 0, 3, 1]);
});

Deno.test("what is missing comes last, both ways", () => {
  const values = [NaN, 3, 1, NaN, Infinity, -Infinity];
  const rows = values.map((_, row) => row);
  same([...sortRows(rows, (row) => values[row], false)], [5, 2, 1, 4, 0, 3]);
  same([...sortRows(rows, (row) => values[row], true)], [4, 1, 2, 5, 0, 3]);
  const names = ["", "q10", "q9"];
  same([...sortRows([0, 1, 2], (row) => names[row], false)], [2, 1, 0]);
  same([...sortRows([0, 1, 2], (row) => names[row], true)], [1, 2, 0]);
});

Deno.test("sorting takes any list of rows, and leaves it alone", () => {
  const rows = Int32Array.from([4, 2, 9]);
  same([...sortRows(rows, (row) => row, false)], [2, 4, 9]);
  same([...rows], [4, 2, 9]);
  same(sortRows([], () => NaN, true).length, 0);
});

Deno.test("only rows near the view are elements, and never more than there are", () => {
  const view = { height: 320, size: 32, count: 10_000 };
  same(windowOf({ ...view, top: 0 }), { first: 0, end: 16 });
  same(windowOf({ ...view, top: 3200 }), { first: 94, end: 116 });
  same(windowOf({ ...view, top: 3216 }), { first: 94, end: 117 });
  same(windowOf({ ...view, top: 319_680 }), { first: 9984, end: 10_000 });
  same(windowOf({ ...view, top: -50 }), { first: 0, end: 16 });
  same(windowOf({ ...view, top: 1e9, count: 5 }), { first: 5, end: 5 });
  same(windowOf({ ...view, top: 0, count: 0 }), { first: 0, end: 0 });
});

Deno.test("a row comes into view by as little scrolling as possible", () => {
  const view = { top: 320, height: 320, size: 32, count: 100 };
  same(scrollTarget(view, 12), 320);
  same(scrollTarget(view, 9), 288);
  same(scrollTarget(view, 20), 352);
  same(scrollTarget(view, 0), 0);
});

Deno.test("keys lead from row to row, and stop at the ends", () => {
  const key = (/** @type {string} */ name, /** @type {number} */ place) => placeByKey(name, place, 100, 9);
  same(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"].map((name) => key(name, 50)), [
    51,
    49,
    59,
    41,
    0,
    99,
  ]);
  same(["ArrowDown", "PageDown", "End"].map((name) => key(name, 99)), [99, 99, 99]);
  same(["ArrowUp", "PageUp", "Home"].map((name) => key(name, 0)), [0, 0, 0]);
  same([key("a", 5), key("constructor", 5), placeByKey("ArrowDown", 0, 0, 9)], [-1, -1, -1]);
});
