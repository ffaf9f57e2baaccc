/** The logic of the judging page: what is kept, what comes next, what is read and written. */
import {
  chooseRecords,
  fileRecords,
  fitsQrels,
  jsonLines,
  JudgmentStore,
  laterJudgment,
  parseJudgment,
  parseRecords,
  qrelsBytes,
} from "../../src/judged/page/web/label/judgments.js";
import {
  gradeCounts,
  gradeKeys,
  importText,
  nextUnjudged,
  readFacts,
  Session,
} from "../../src/judged/page/web/label/session.js";
import { same } from "./check.js";

const WORK = readFacts({
  title: "t",
  version: "1",
  key: "k",
  scale: [[0, "No", ""], [1, "Yes", "it does"]],
  queries: [["q1", "first"], ["q 2", "second"]],
  items: [[0, "a"], [0, "b"], [1, "a"], [1, "c"]],
  judges: [["ann", [1, 0, 3, 2]]],
  block: 50,
});
const ANN = WORK.judges[0];

/** A storage with room for a number of entries. */
function shelf(room = Infinity) {
  /** @type {Map<string, string>} */
  const map = new Map();
  return {
    map,
    room,
    getItem(/** @type {string} */ key) {
      return map.get(key) ?? null;
    },
    setItem(/** @type {string} */ key, /** @type {string} */ value) {
      if (!map.has(key) && map.size >= this.room) throw new DOMException("full", "QuotaExceededError");
      map.set(key, value);
    },
  };
}

/** @param {ReturnType<typeof shelf> | null} keeper @param {() => number} [now] */
function storeOn(keeper, now = () => 1000) {
  return new JudgmentStore({ prefix: "p/", order: [0, 1, 2], grades: [0, 1], keeper, now });
}

/** @param {ReturnType<typeof shelf>} [keeper] */
function sessionOn(keeper = shelf()) {
  let time = 0;
  const textOf = () => Promise.resolve({ title: "", text: "x", cut: false });
  return new Session(WORK, textOf, ANN, keeper, () => time += 1000);
}

Deno.test("a grade of one digit has its digit as key, other scales their places", () => {
  same(gradeKeys([0, 1, 2, 3]), ["0", "1", "2", "3"]);
  same(gradeKeys([-1, 0, 10]), ["1", "2", "3"]);
  same(gradeKeys([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]).at(-1), "0");
});

Deno.test("the next document without a grade is looked for to the end, then from the start", () => {
  const judged = new Set([5, 7]);
  same(nextUnjudged([5, 6, 7, 8], 1, (item) => judged.has(item)), 3);
  same(nextUnjudged([5, 6, 7, 8], 3, (item) => judged.has(item)), 1);
  same(nextUnjudged([5, 7], 0, (item) => judged.has(item)), -1);
});

Deno.test("the later of two judgments is kept, in whatever order they arrive", () => {
  const early = { grade: 1, note: "", time: "2026-01-01T00:00:00.000Z" };
  const late = { grade: 0, note: "", time: "2026-01-01T00:00:00.001Z" };
  same(laterJudgment(early, late), late);
  same(laterJudgment(late, early), late);
  same(laterJudgment(undefined, early), early);
  const twin = { ...early, grade: 0 };
  same(laterJudgment(early, twin), laterJudgment(twin, early));
  same(laterJudgment(early, { ...late, time: "" }), early);
});

Deno.test("a full storage loses nothing: judgments stay in memory, are counted, and are written when there is room", () => {
  const keeper = shelf(1);
  const store = storeOn(keeper);
  store.put(0, { grade: 1 });
  store.put(1, { grade: 0 });
  store.put(2, { grade: 1 });
  same([[...store.unsaved], store.count], [[1, 2], 3]);
  same(store.retry(), false);
  keeper.room = 3;
  store.put(0, { grade: 0 });
  same([store.unsaved.size, storeOn(keeper).count], [0, 3]);
});

Deno.test("without a storage everything is in memory and counted", () => {
  const store = storeOn(null);
  store.put(0, { grade: 1 });
  same([store.unsaved.size, store.count], [1, 1]);
});

Deno.test("two tabs on one storage never overwrite each other, and the later judgment of a document counts in both", () => {
  const keeper = shelf();
  let time = 0;
  const [a, b] = [storeOn(keeper, () => ++time), storeOn(keeper, () => ++time)];
  a.put(0, { grade: 0 });
  b.put(1, { grade: 1 });
  a.heard("p/1");
  b.heard("p/0");
  same([a.count, b.count, keeper.map.size], [2, 2, 2]);
  b.put(0, { grade: 1 });
  a.heard("p/0");
  same([a.grade(0), b.grade(0)], [1, 1]);
  a.put(2, { grade: 1 });
  b.put(2, { note: "written before b heard of the grade" });
  same(b.grade(2), 1);
});

Deno.test("an older judgment that another tab wrote is replaced by mine", () => {
  const keeper = shelf();
  const store = storeOn(keeper);
  store.put(0, { grade: 1 });
  keeper.map.set("p/0", JSON.stringify({ grade: 0, note: "", time: "1969-01-01T00:00:00.000Z" }));
  store.heard("p/0");
  same([store.grade(0), parseJudgment(keeper.getItem("p/0"))?.grade], [1, 1]);
});

Deno.test("a storage that was emptied is filled again, and keys of others are ignored", () => {
  const keeper = shelf();
  const store = storeOn(keeper);
  store.put(0, { grade: 1 });
  keeper.map.clear();
  store.heard("other/0");
  same(keeper.map.size, 0);
  store.heard(null);
  same(storeOn(keeper).grade(0), 1);
});

Deno.test("a judgment is later than the one it replaces even if the clock was set back", () => {
  const keeper = shelf();
  let time = 5000;
  const store = storeOn(keeper, () => time);
  store.put(0, { grade: 1 });
  time = 1000;
  store.put(0, { grade: 0 });
  same([store.grade(0), storeOn(keeper).grade(0), store.judgments.get(0)?.time], [0, 0, new Date(5001).toISOString()]);
});

Deno.test("what is no judgment in the storage is ignored", () => {
  for (const text of [null, "", "{", "null", '{"grade":"1","time":""}', '{"grade":1}']) same(parseJudgment(text), null);
  const keeper = shelf();
  keeper.map.set("p/0", '{"grade":7,"note":"","time":"2026-01-01T00:00:00.000Z"}');
  same(storeOn(keeper).count, 0);
});

Deno.test("a grade leads to the next document without one; at the end there is none", () => {
  const session = sessionOn();
  session.give(1);
  session.go(0);
  session.give(0);
  same([session.at, session.store.grade(1)], [1, 0]);
  [1, 1, 1].forEach((grade) => session.give(grade));
  same([session.at, session.item, session.store.count], [4, null, 4]);
  session.give(0);
  same(session.store.count, 4);
});

Deno.test("undo takes back one judgment after another, and keeps notes", () => {
  const session = sessionOn();
  session.store.put(1, { note: "hm" });
  session.give(1);
  session.go(0);
  session.give(0);
  session.undo();
  same([session.at, session.store.grade(1), session.store.note(1)], [0, 1, "hm"]);
  session.undo();
  same([session.store.grade(1), session.store.note(1), session.undo()], [null, "hm", false]);
});

Deno.test("a session begins at the first document without a grade", () => {
  const keeper = shelf();
  sessionOn(keeper).give(1);
  same(sessionOn(keeper).at, 1);
  const done = sessionOn(keeper);
  for (let i = 0; i < 3; i++) done.give(0);
  same(sessionOn(keeper).item, null);
});

Deno.test("queries are skipped forth and back", () => {
  const session = sessionOn();
  session.goQuery(1);
  same(session.at, 2);
  session.go(3);
  session.goQuery(-1);
  same(session.at, 2);
  session.goQuery(-1);
  same(session.at, 0);
  session.goQuery(-1);
  same(session.at, 0);
});

Deno.test("documents without a grade are not exported", () => {
  const session = sessionOn();
  session.store.put(0, { note: "later" });
  session.give(1);
  session.undo();
  same(session.records(), []);
});

Deno.test("records of others, of other documents and off the scale are left out and counted", () => {
  const record = { query: "q1", doc: "a", grade: 1, judge: "ann", time: "", note: "" };
  const found = chooseRecords(WORK, ANN, [record, { ...record, judge: "" }, { ...record, judge: "bob" }, {
    ...record,
    doc: "z",
  }, { ...record, grade: 7 }]);
  same([found.accepted.length, found.others, found.unknown, found.offScale], [2, 1, 1, 1]);
  same(
    importText(found, 5, 1),
    "5 judgments read, 1 document changed. Left out: 1 judgment of other judges, 1 of documents that are not yours on this page, 1 with a grade that is not on the scale.",
  );
});

Deno.test("qrels are read and written; an id with a blank does not fit", () => {
  const records = fileRecords(WORK, "ann", new Map([[0, { grade: 1, note: "", time: "" }]]));
  const text = new TextDecoder().decode(qrelsBytes(records));
  same(text, "q1 0 a 1\n");
  same(parseRecords(text), [{ query: "q1", doc: "a", grade: 1, judge: "", time: "", note: "" }]);
  same([fitsQrels(records), fitsQrels([{ ...records[0], query: "q 2" }])], [true, false]);
});

Deno.test("bytes of an id that are not UTF-8 are written as they were", () => {
  const record = { query: "é", doc: "\udcff😀", grade: 0, judge: "", time: "", note: "" };
  same([...qrelsBytes([record])], [...new TextEncoder().encode("é 0 "), 0xff, ...new TextEncoder().encode("😀 0\n")]);
  same(parseRecords(jsonLines([record]))[0].doc, record.doc);
});

Deno.test("a line that is no judgment is named, and nothing of its file is taken", () => {
  for (
    const bad of [
      "{",
      "q1 0 a",
      "q1 0 a high",
      '{"query": "q1", "doc": "a"}',
      '{"query": null, "doc": "a", "grade": 1}',
    ]
  ) {
    let message = "";
    try {
      parseRecords(`q1 0 a 1\n\n${bad}\n`);
    } catch (error) {
      message = /** @type {Error} */ (error).message;
    }
    same(message, "line 3 is no judgment");
  }
  same(parseRecords("\ufeffq1 0 a 1\r\n").length, 1);
});

Deno.test("grades are counted", () => {
  same(gradeCounts([0, 1, 2], [0, null, 2, 2]), [1, 0, 2]);
});
