import { Book } from "../../src/judged/page/web/data/data.js";
import { createFilter, searchable } from "../../src/judged/page/web/table/filter.js";
import { same } from "./check.js";

const RUNS = ["bm25", "bm25-rm3.v2", "my run", "diff"];
const NDCG = [[0.1, 0.5, 0.3333333, NaN], [0.2, 0.5, 0.1, 0.4], [0.9, 0, 0.2, 1], [0.3, 0.3, 0.3, 0.3]];
const AP = [[1, 1, 0, 0], [0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0]];

/** @param {Record<string, any>} [facts] */
function bookOf(facts = {}) {
  return new Book(
    /** @type {any} */ ({
      runs: RUNS,
      measures: [{ name: "nDCG@10" }, { name: "AP(rel=2)" }],
      queries: ["q1", "q2", "q10", "<b>"],
      texts: ["Crème brûlée recipe", "flu season", "the cold season", null],
      relevant: [1, 2, 3, 4],
      pairs: [],
      parts: [],
      summary: [],
      ...facts,
    }),
    new Float64Array([...NDCG, ...AP].flat()),
    () => Promise.reject(new Error("no blocks")),
  );
}

/** The rows that a text leaves. @param {string} text @param {Book} [book] */
function left(text, book = bookOf()) {
  const { test } = createFilter(book).parse(text, { measure: 0, a: 0, b: 1 });
  return [0, 1, 2, 3].filter(test);
}

/** @param {string} text @param {Book} [book] */
function notes(text, book = bookOf()) {
  return createFilter(book).parse(text, { measure: 0, a: 0, b: 1 }).notes.map((note) =>
    note.replace(/[\u2068\u2069]/g, "")
  );
}

Deno.test("nothing typed leaves every query", () => {
  for (const text of ["", "   ", '""', '-""', '"']) same(left(text), [0, 1, 2, 3]);
});

Deno.test("words are found in the id and the text, whatever their case and accents", () => {
  same(left("q1"), [0, 2]);
  same(left("SEASON"), [1, 2]);
  same(left("creme BRULÉE"), [0]);
  same(left("season cold"), [2]);
  same(left('"season cold"'), []);
  same(left('"cold season"'), [2]);
  same(left('"cold sea'), [2]);
  same(left("<b>"), [3]);
  same(searchable("ÉCOLE ﬁne İ"), "ecole fine i");
});

Deno.test("a word with a minus is not there", () => {
  same(left("season -flu"), [2]);
  same(left('-"cold season" -creme'), [1, 3]);
  same(left("season -"), [1, 2]); // on the way to a word
});

Deno.test("a run is compared by the measure chosen", () => {
  same(left("bm25<0.2"), [0]);
  same(left("bm25 >= .5"), [1]);
  same(left("BM25≥0.5"), [1]);
  same(left("bm25-rm3.v2>0.3"), [1, 3]);
  same(left('"my run">0.3'), [0, 3]);
  same(left("my run>0.3"), [0, 3]);
  same(left("bm25<−1"), []);
  same(left("bm25>-1e0"), [0, 1, 2]);
});

Deno.test("equal is what is shown alike; what is missing is not unequal", () => {
  same(left("bm25=0.3333"), [2]);
  same(left("bm25<=0.3333"), [0, 2]);
  same(left("bm25!=0.3333"), [0, 1]);
  same(left("bm25==0.5"), [1]);
});

Deno.test("missing values can be asked for", () => {
  same(left("bm25=missing"), [3]);
  same(left("bm25=NaN"), [3]);
  same(left("bm25!=missing"), [0, 1, 2]);
});

Deno.test("another measure stands before the run, in the form of a function", () => {
  same(left("AP(rel=2)(bm25)=1"), [0, 1]);
  same(left('"AP(rel=2)"("my run")=.5'), [0, 1, 2, 3]);
  same(left("ap(rel=2)(DIFF)>0"), [2, 3]);
  same(left("AP(rel=2)(|diff|)>0"), [0, 1, 2, 3]);
});

Deno.test("runs are compared with each other", () => {
  same(left("bm25>bm25-rm3.v2"), [2]);
  same(left('"my run">bm25-rm3.v2'), [0, 2, 3]);
  same(left("bm25=bm25-rm3.v2"), [1]);
  same(left("AP(rel=2)(bm25)>nDCG@10(bm25)"), [0, 1]);
});

Deno.test("differences are b less a, and a run of that name stands in quotes", () => {
  same(left("diff>0.05"), [0]);
  same(left("diff<0"), [2]);
  same(left("|diff|>0.05"), [0, 2]);
  same(left('"diff"=0.3'), [0, 1, 2, 3]);
  same(left("diff=missing"), [3]);
});

Deno.test("relevant documents are counted, and several conditions all hold", () => {
  same(left("relevant<3"), [0, 1]);
  same(left("relevant>=2 season bm25<.4"), [2]);
  same(left("-relevant<3"), [2, 3]);
});

Deno.test("what is wrong is told, and searched for as words", () => {
  same(notes("bm25<0.2"), []);
  same(notes("bm25<"), ["Expected a number such as 0.2, a run or “missing” after “bm25<”."]);
  same(notes("bm25<0,2"), ["Expected a number such as 0.2, a run or “missing” after “bm25<”, got “0,2”."]);
  same(notes("bm25<missing"), ["Expected = or != before “missing”, got “<”."]);
  same(notes("denes<0.2"), []);
  same(left("x=1", bookOf({ texts: ["solve x=1", null, null, null] })), [0]);
  same(left("x = 1", bookOf({ texts: ["solve x = 1", null, null, null] })), [0]);
  same(notes('"x=1"'), []);
});

Deno.test("names that objects have are only names, and nothing typed can throw", () => {
  const book = bookOf({ runs: ["constructor", "__proto__", "a>b", "İx"] });
  same(left("constructor<0.2", book), [0]);
  same(left("__proto__>0.3", book), [1, 3]);
  same(left("a>b=1", book), [3]);
  same(left("toString<1", book), []);
  const letters = [
    '"',
    "<",
    "=",
    "-",
    "|",
    "diff",
    "(",
    ")",
    " ",
    "bm25",
    "AP(rel=2)",
    "0.2",
    "!",
    "İ",
    "\uD800",
    "missing",
  ];
  let seed = 7;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const filter = createFilter(bookOf());
  for (let i = 0; i < 5000; i++) {
    const text = Array.from({ length: 1 + Math.floor(next() * 9) }, () => letters[Math.floor(next() * letters.length)])
      .join("");
    const { test } = filter.parse(text, { measure: 0, a: 0, b: 1 });
    for (let row = 0; row < 4; row++) test(row);
  }
});
