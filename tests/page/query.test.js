import {
  cutoffOf,
  gradeStep,
  missedDocs,
  moveHint,
  movesOf,
  moveTone,
  neighboursOf,
  ranksOf,
  ranksShown,
} from "../../src/judged/page/web/query/moves.js";
import { missedWords } from "../../src/judged/page/web/query/tables.js";
import { same } from "./check.js";
/** @import { Detail } from "../../src/judged/page/web/data/data.js" */
/** @import { Move } from "../../src/judged/page/web/query/moves.js" */

/** @param {number[]} docs @param {[number, number][]} [below] @param {number} [retrieved] */
function list(docs, below = [], retrieved = docs.length + below.length) {
  return { docs, retrieved, below, why: [] };
}

/** @param {string} text */
const bare = (text) => text.replace(/[\u2068\u2069]/g, "");

/** @param {(number | null)[]} grades @param {Detail["rankings"]} rankings @returns {Detail} */
function detailWith(grades, rankings) {
  const nothing = grades.map(() => null);
  return { docs: grades.map((_, i) => `d${i}`), grades, titles: nothing, texts: nothing, rankings };
}

Deno.test("the cutoff of a measure stands at the end of its name, but that of IPrec is a recall", () => {
  same(cutoffOf("nDCG@10"), 10);
  same(cutoffOf("P(level=2)@5"), 5);
  same(cutoffOf("nDCG(gain='exp')@1000"), 1000);
  same(cutoffOf("AP"), 0);
  same(cutoffOf("IPrec@1"), 0);
  same(cutoffOf("IPrec@0.1"), 0);
});

Deno.test("ten ranks are shown, up to twenty where the measure looks that far, and never more than there are", () => {
  same(ranksShown(0, 100, false), 10);
  same(ranksShown(5, 100, false), 10);
  same(ranksShown(20, 100, false), 20);
  same(ranksShown(1000, 100, false), 20);
  same(ranksShown(10, 7, false), 7);
  same(ranksShown(10, 100, true), 100);
  same(ranksShown(10, 0, false), 0);
});

Deno.test("grades spread over five colours, the lowest on the first and the highest on the last", () => {
  same([0, 1, 2, 3, 4].map((grade) => gradeStep(grade, [0, 1, 2, 3, 4])), [0, 1, 2, 3, 4]);
  same([0, 1].map((grade) => gradeStep(grade, [0, 1])), [0, 4]);
  same([0, 1, 2, 3].map((grade) => gradeStep(grade, [-2, 0, 1, 2, 3])), [0, 1, 3, 4]);
  same(gradeStep(0.01, [0, ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100)]), 1);
});

Deno.test("a positive grade never looks like 0, and what is not on the scale has no colour", () => {
  same(gradeStep(1, [1]), 4);
  same([1, 2].map((grade) => gradeStep(grade, [1, 2])), [2, 4]);
  same(gradeStep(0, [0]), 0);
  same(gradeStep(null, [0, 1]), null);
  same(gradeStep(-1, [-1, 0, 1]), null);
});

Deno.test("a ranking knows the ranks on the page, and those of judged documents below", () => {
  same([...ranksOf(list([4, 2], [[7, 31]]))], [[7, 31], [4, 1], [2, 2]]);
  same(ranksOf(null).size, 0);
});

Deno.test("up means nearer to the top in run b, seen from either list", () => {
  const [a, b] = [list([0, 1, 2]), list([2, 1, 3])];
  const grades = [0, 0, 0, 0];
  same(movesOf(a, b, grades, true).map((move) => move.direction), ["only", "same", "up"]);
  same(movesOf(b, a, grades, false).map((move) => move.direction), ["up", "same", "only"]);
  same(movesOf(a, b, grades, true)[2], { direction: "up", twin: 1, onPage: true });
  same(movesOf(b, a, grades, false)[0], { direction: "up", twin: 3, onPage: true });
});

Deno.test("a judged document below the page has a rank; an unjudged one may have one that nobody knows", () => {
  const [a, b] = [list([0, 1, 2]), list([3, 4], [[0, 57]], 1000)];
  const moves = movesOf(a, b, [1, 0, null, 0, 0], true);
  same(moves[0], { direction: "down", twin: 57, onPage: false });
  same(moves[1].direction, "only");
  same(moves[2].direction, "unseen");
  same(movesOf(a, list([3, 4]), [1, 0, null, 0, 0], true)[2].direction, "only");
});

Deno.test("hints say where a document is in the other list", () => {
  /** @param {"up" | "down" | "same" | "only" | "unseen"} direction @param {number} twin */
  const move = (direction, twin, onPage = true) => ({ direction, twin, onPage });
  /** @param {Move} of */
  const text = (of) => {
    const { arrow, words } = moveHint(of, 100, "dense");
    return `${arrow} ${bare(words)}`.trim();
  };
  same(text(move("up", 7)), "↑ rank 7 in dense");
  same(text(move("down", 1057, false)), "↓ rank 1,057 in dense");
  same(text(move("same", 4)), "= rank 4 in dense");
  same(text(move("only", 0, false)), "not in dense");
  same(text(move("unseen", 0, false)), "not in the top 100 in dense");
});

Deno.test("only moves of relevant documents are good or bad news", () => {
  const up = { direction: /** @type {const} */ ("up"), twin: 1, onPage: true };
  const only = { direction: /** @type {const} */ ("only"), twin: 0, onPage: false };
  same(moveTone(up, 2, 1, true), "better");
  same(moveTone({ ...up, direction: "down" }, 2, 1, true), "worse");
  same(moveTone({ ...up, direction: "same" }, 2, 1, true), "same");
  same(moveTone(up, 0, 1, true), "faint");
  same(moveTone(up, null, 1, true), "faint");
  same(moveTone(up, 1, 2, true), "faint");
  same(moveTone(only, 1, 1, true), "worse");
  same(moveTone(only, 1, 1, false), "better");
});

Deno.test("relevant documents that a list lacks come with their ranks, the best first", () => {
  const grades = [1, 3, 0, 2, 3, null];
  const detail = detailWith(grades, [list([0, 1], [[3, 40]]), list([1, 0, 3])]);
  same(missedDocs(detail, [0, 1], 1), [{ place: 4, grade: 3, ranks: [null, null], by: [0, 1] }, {
    place: 3,
    grade: 2,
    ranks: [40, 3],
    by: [0],
  }]);
  same(missedDocs(detail, [1], 1).map((doc) => doc.place), [4]);
  const equal = detailWith([1, 1, 1], [list([], [[0, 90], [2, 30]]), list([])]);
  same(missedDocs(equal, [0, 1], 1).map((doc) => doc.place), [2, 0, 1]);
  same(missedDocs(detail, [0, 1], 3).map((doc) => doc.place), [4]);
});

Deno.test("a run that does not answer does not make every document missed", () => {
  const detail = detailWith([1, 1], [list([0]), null]);
  same(missedDocs(detail, [0, 1], 1), [{ place: 1, grade: 1, ranks: [null, null], by: [0] }]);
  same(missedDocs(detailWith([1, 1], [null, null]), [0, 1], 1).length, 2);
});

Deno.test("missed by both is told from missed by one", () => {
  const lists =
    /** @type {[string, ReturnType<typeof list>][]} */ ([["bm25", list([0, 2])], ["dense", list([0, 1, 2])]]);
  const doc = (/** @type {number[]} */ ...by) => ({ place: 0, grade: 1, ranks: [null, null], by });
  const words = (/** @type {ReturnType<typeof doc>[]} */ docs) => bare(missedWords(docs, lists));
  const where = "Documents searched: 2 of bm25, 3 of dense.";
  same(words([doc(0, 1), doc(0, 1), doc(0)]), `3 relevant documents missed: 2 by both, 1 by bm25. ${where}`);
  same(words([doc(1)]), `1 relevant document missed: 1 by dense. ${where}`);
});

Deno.test("neighbours follow the order of the table, without a way round its ends", () => {
  same(neighboursOf([5, 2, 9], 2), { place: 2, before: 5, after: 9 });
  same(neighboursOf([5, 2, 9], 5), { place: 1, before: null, after: 2 });
  same(neighboursOf([5, 2, 9], 9), { place: 3, before: 2, after: null });
  same(neighboursOf([5, 2, 9], 7), { place: 0, before: null, after: 5 });
  same(neighboursOf([], 7), { place: 0, before: null, after: null });
});
