import { measureAll } from "../../docs/interactive/measures.js";
import { judgedOf, moved, sorted, STARTS, Story } from "../../docs/interactive/state.js";
import { changeWords, effectsOf } from "../../docs/interactive/words.js";
import { same } from "./check.js";
/** @import { State } from "../../docs/interactive/state.js" */

/** @typedef {State} State @typedef {import("../../docs/interactive/state.js").Change} Change */

/** @param {State} before @param {State} after @param {Change} change */
function effects(before, after, change) {
  return effectsOf(before, after, change, measureAll(judgedOf(before)), measureAll(judgedOf(after)));
}

/** Every single step from a ranking. @param {State} state @returns {[State, Change][]} */
function steps(state) {
  /** @type {[State, Change][]} */
  const all = [];
  state.docs.forEach(({ id, grade }, from) => {
    state.docs.forEach((_, to) => {
      if (from === to) return;
      all.push([{ ...state, docs: moved(state.docs, from, to) }, { kind: "move", id, from: from + 1, to: to + 1 }]);
    });
    for (const to of [0, 1, 2, 3].filter((each) => each !== grade)) {
      const docs = state.docs.map((doc) => doc.id === id ? { id, grade: to } : doc);
      all.push([{ ...state, docs }, { kind: "grade", id, from: grade, to }]);
    }
  });
  for (let k = 1; k <= 12; k++) all.push([{ ...state, k }, { kind: "cutoff", from: state.k, to: k }]);
  for (const missed of [0, 1, 12]) all.push([{ ...state, missed }, { kind: "missed", from: state.missed, to: missed }]);
  return all;
}

Deno.test("the first step of the notes' example is told as on the page", () => {
  const { state } = STARTS[0];
  /** @type {Change} */
  const change = { kind: "move", id: "5", from: 3, to: 2 };
  const after = { ...state, docs: moved(state.docs, 2, 1) };
  same(changeWords(after, change), "Document 5 (grade 1) moved up from rank 3 to 2.");
  const told = Object.fromEntries(effects(state, after, change).map(({ name, words }) => [name, words]));
  same(told["AP"], "AP rose by 0.083 because a relevant document moved from rank 3 to 2.");
  same(told["RR"], "RR did not change.");
});

Deno.test("every difference after every step has a reason, and no reason counts nothing", () => {
  for (const { state } of STARTS) {
    for (const [after, change] of steps(state)) {
      for (const { words, difference } of effects(state, after, change)) {
        same(difference === 0 || / because \S/.test(words), true);
        same(/\b0 (relevant|better) documents? moved|undefined|NaN/.test(words), false);
        same(difference > 0, / rose by /.test(words));
      }
    }
  }
});

Deno.test("a step that changes nothing is not remembered, and undo takes one step back", () => {
  const story = new Story(STARTS[0].state);
  const best = sorted(story.state.docs, true);
  same(story.step({ docs: best }, { kind: "order", words: "" }), true);
  same(story.step({ docs: sorted(best, true) }, { kind: "order", words: "" }), false);
  same(story.undo(), true);
  same(story.state, STARTS[0].state);
  same(story.undo(), false);
});

Deno.test("the best order has the highest values, the worst the lowest, of every measure", () => {
  for (const { state } of STARTS) {
    const [best, own, worst] = [sorted(state.docs, true), state.docs, sorted(state.docs, false)]
      .map((docs) => measureAll(judgedOf({ ...state, docs })));
    own.forEach(({ value }, i) => same(worst[i].value <= value && value <= best[i].value, true));
  }
});
