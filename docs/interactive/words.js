/** What a step did to each measure, in words. */
import { numberText, plural } from "../../src/judged/page/web/data/format.js";
import { firstRelevant, hitsAt, isRelevant, relevantCount } from "./measures.js";
import { judgedOf } from "./state.js";
/** @import { Judged, Measured } from "./measures.js" */
/** @import { Change, State } from "./state.js" */

/**
 * @typedef {{name: string, difference: number, words: string}} Effect
 */

const TINY = 5e-13; // smaller differences are rounding
const SHOWN_PLACES = 3;

/** Return the difference of two values, 0 if it is only rounding. @param {number} before @param {number} after */
export function differenceOf(before, after) {
  return Math.abs(after - before) < TINY ? 0 : after - before;
}

/** Say what happened. @param {State} state @param {Change} change */
export function changeWords({ docs, missed, gain }, change) {
  if (change.kind === "move") {
    const grade = docs[change.to - 1].grade;
    const what = isRelevant(grade) ? `grade ${grade}` : "not relevant";
    return `Document ${change.id} (${what}) moved ${
      change.to < change.from ? "up" : "down"
    } from rank ${change.from} to ${change.to}.`;
  }
  if (change.kind === "grade") return `The grade of document ${change.id} changed from ${change.from} to ${change.to}.`;
  if (change.kind === "cutoff") return `The cutoff k changed from ${change.from} to ${change.to}.`;
  if (change.kind === "missed") {
    return `Now ${plural(missed, "relevant document")} ${missed === 1 ? "is" : "are"} not retrieved.`;
  }
  if (change.kind === "gain") return `Gains are now ${gain === "exp" ? "2^grade − 1" : "the grades"}.`;
  return change.words;
}

/** Say what a step did to each measure. @param {State} before @param {State} after @param {Change} change @param {Measured[]} old @param {Measured[]} now @returns {Effect[]} */
export function effectsOf(before, after, change, old, now) {
  return now.map((measured, i) => {
    const difference = differenceOf(old[i].value, measured.value);
    if (!difference) return { name: measured.name, difference, words: `${measured.name} did not change.` };
    const verb = difference > 0 ? "rose" : "fell";
    const size = numberText(Math.abs(difference), SHOWN_PLACES);
    const why = reason(measured, before, after, change, difference);
    return {
      name: measured.name,
      difference,
      words: `${measured.name} ${verb} by ${/[1-9]/.test(size) ? size : "less than 0.001"}${why && ` because ${why}`}.`,
    };
  });
}

/** The reason of a difference. @param {Measured} measured @param {State} before @param {State} after @param {Change} change @param {number} difference @returns {string} */
function reason({ title }, before, after, change, difference) {
  const [old, now] = [judgedOf(before), judgedOf(after)];
  if (title === "Reciprocal rank") return firstWords(firstRelevant(now), firstRelevant(old));
  if (change.kind === "missed") return `there are now ${plural(relevantCount(now), "relevant document")} in all`;
  if (change.kind === "gain") return "the grades are worth something else";
  if (["Precision", "Recall", "F measure", "R-precision"].includes(title)) {
    return countWords(title, old, now);
  }
  if (change.kind === "move") return moveWords(title, after, change, difference);
  if (change.kind === "cutoff") return `the first ${after.k} ranks count instead of ${before.k}`;
  if (change.kind === "grade") return gradeWords(title, after, change, difference);
  return "";
}

/** @param {number} now @param {number} old */
function firstWords(now, old) {
  if (now === Infinity) return "there is no relevant document any more";
  if (old === Infinity) return `the first relevant document is at rank ${now}`;
  return `the first relevant document is at rank ${now} instead of ${old}`;
}

/** The reason of a measure that counts. @param {string} title @param {Judged} old @param {Judged} now */
function countWords(title, old, now) {
  const all = [relevantCount(old), relevantCount(now)];
  const depth = title === "R-precision" ? all : [old.k, now.k];
  const hits = [hitsAt(old, depth[0]), hitsAt(now, depth[1])];
  const found = `the first ${depth[1]} ${depth[1] === 1 ? "rank has" : "ranks have"} ${
    plural(hits[1], "relevant document")
  }`;
  const instead = depth[0] === depth[1] ? ` instead of ${hits[0]}` : "";
  const total = title !== "Precision" && all[0] !== all[1]
    ? `there are ${all[1]} relevant documents in all instead of ${all[0]}`
    : "";
  if (total && hits[0] === hits[1]) return total;
  return `${found}${instead}${total && ` and ${total}`}`;
}

/** The reason of a move: the document itself, or those that it passed. @param {string} title @param {State} after @param {{id: string, from: number, to: number}} change @param {number} difference */
function moveWords(title, { docs }, { from, to }, difference) {
  const up = to < from;
  const doc = docs[to - 1];
  if ((difference > 0) === up) {
    const what = title === "Average precision" ? "a relevant document" : `a document of grade ${doc.grade}`;
    return `${what} moved from rank ${from} to ${to}`;
  }
  const passed = up ? docs.slice(to, from) : docs.slice(from - 1, to - 1);
  const better = passed.filter(({ grade }) => grade > doc.grade && isRelevant(grade)).length;
  const kind = title === "Average precision" || !isRelevant(doc.grade) ? "relevant document" : "better document";
  return `${plural(better, kind)} moved ${up ? "down" : "up"} by one rank`;
}

/** The reason of a new grade. @param {string} title @param {State} after @param {{id: string, from: number, to: number}} change @param {number} difference */
function gradeWords(title, after, { id, from, to }, difference) {
  const rank = after.docs.findIndex((doc) => doc.id === id) + 1;
  const all = relevantCount(judgedOf(after));
  if (title === "Expected reciprocal rank") {
    return `the document at rank ${rank} satisfies ${to > from ? "more" : "fewer"} readers`;
  }
  if ((difference > 0) === (to > from)) return `the document at rank ${rank} is worth ${to > from ? "more" : "less"}`;
  if (title === "Average precision") {
    return to > from
      ? `there are ${all} relevant documents now, one of them only at rank ${rank}`
      : `a relevant document at rank ${rank} less has to be found`;
  }
  return `the best possible order ${to > from ? "gains" : "loses"} more than this one`;
}
