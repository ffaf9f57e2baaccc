/** The measures of the interactive ranking. They follow the definitions in Python; a test compares the two on generated rankings. */
import { numberText } from "../../src/judged/page/web/data/format.js";

/**
 * @typedef {{grades: number[], missed: number, k: number, gain: "linear" | "exp"}} Judged
 *   grades: of the documents, in the order of the ranking; missed: relevant documents of grade 1 that were not retrieved
 * @typedef {object} Measured
 * @property {string} name
 * @property {string} title the full name
 * @property {string} python the name for `judged.evaluate`
 * @property {string} formula
 * @property {number} value
 * @property {string[]} headers of the rows
 * @property {(number | boolean)[][]} rows one per rank that counts
 * @property {string} closing the last step: "3 / 4 = 0.75"
 * @property {number[]} [ideal] terms of the best possible ranking
 */

/** The top of the scale of grades. */
export const TOP_GRADE = 3;
const NONE = "0 (no relevant documents)";

/** Format a number with six digits, as Python's explanations do. @param {number} value */
function sixDigits(value) {
  const places = value ? 5 - Math.floor(Math.log10(value)) : 0;
  return String(Number(numberText(value, Math.max(places, 0))));
}

/** Return the value of a fraction, 0 if there is nothing to find, and the text of its division. @param {number} top @param {number} bottom */
function fraction(top, bottom) {
  if (!bottom) return { value: 0, closing: NONE };
  const value = top / bottom;
  return { value, closing: `${sixDigits(top)} / ${sixDigits(bottom)} = ${sixDigits(value)}` };
}

/** Whether a grade is relevant. @param {number} grade */
export function isRelevant(grade) {
  return grade >= 1;
}

/** Return the number of relevant documents, retrieved or not. @param {Judged} judged */
export function relevantCount({ grades, missed }) {
  return grades.filter(isRelevant).length + missed;
}

/** Return the number of relevant documents in the first k. @param {Judged} judged @param {number} k */
export function hitsAt({ grades }, k) {
  return grades.slice(0, k).filter(isRelevant).length;
}

/** Return the rank of the first relevant document, or infinity. @param {Judged} judged */
export function firstRelevant({ grades }) {
  const at = grades.findIndex(isRelevant);
  return at < 0 ? Infinity : at + 1;
}

/** Rows that count relevant documents. @param {Judged} judged @param {number} k */
function countingRows(judged, k) {
  const rows = judged.grades.map((grade, i) => [isRelevant(grade), hitsAt(judged, Math.min(k, i + 1))]);
  return rows.slice(0, Math.max(k, 0));
}

/** @param {Judged} judged @returns {Measured} */
function precision(judged) {
  const { k } = judged;
  return {
    name: `P@${k}`,
    title: "Precision",
    python: `P@${k}`,
    formula: "relevant documents in the first k / k",
    headers: ["relevant", "sum"],
    rows: countingRows(judged, k),
    ...fraction(hitsAt(judged, k), k),
  };
}

/** @param {Judged} judged @returns {Measured} */
function recall(judged) {
  const { k } = judged;
  return {
    name: `R@${k}`,
    title: "Recall",
    python: `R@${k}`,
    formula: "relevant documents in the first k / all relevant documents",
    headers: ["relevant", "sum"],
    rows: countingRows(judged, k),
    ...fraction(hitsAt(judged, k), relevantCount(judged)),
  };
}

/** @param {Judged} judged @returns {Measured} */
function fMeasure(judged) {
  const { k } = judged;
  const [p, r] = [precision(judged).value, recall(judged).value];
  return {
    name: `F1@${k}`,
    title: "F measure",
    python: `F1@${k}`,
    formula: "2 · P · R / (P + R)",
    headers: ["relevant", "sum"],
    rows: countingRows(judged, k),
    ...(p + r
      ? fraction(2 * p * r, p + r)
      : { value: 0, closing: relevantCount(judged) ? "0 (the denominator is 0)" : NONE }),
  };
}

/** @param {Judged} judged @returns {Measured} */
function rPrecision(judged) {
  const relevant = relevantCount(judged);
  return {
    name: "Rprec",
    title: "R-precision",
    python: "Rprec",
    formula: "relevant documents in the first R / R, the number of relevant documents",
    headers: ["relevant", "sum"],
    rows: countingRows(judged, relevant),
    ...fraction(hitsAt(judged, relevant), relevant),
  };
}

/** @param {Judged} judged @returns {Measured} */
function averagePrecision(judged) {
  let sum = 0;
  const rows = judged.grades.map((grade, i) => {
    const here = hitsAt(judged, i + 1) / (i + 1);
    const term = isRelevant(grade) ? here : 0;
    sum += term;
    return [isRelevant(grade), here, term, sum];
  });
  return {
    name: "AP",
    title: "Average precision",
    python: "AP",
    formula: "Σ precision at each relevant document / all relevant documents",
    headers: ["relevant", "precision", "term", "sum"],
    rows,
    ...fraction(sum, relevantCount(judged)),
  };
}

/** @param {Judged} judged @returns {Measured} */
function reciprocalRank(judged) {
  const rank = firstRelevant(judged);
  return {
    name: "RR",
    title: "Reciprocal rank",
    python: "RR",
    formula: "1 / rank of the first relevant document",
    headers: ["relevant"],
    rows: judged.grades.map((grade) => [isRelevant(grade)]),
    value: 1 / rank,
    closing: `1 / ${rank === Infinity ? "∞" : rank} = ${sixDigits(1 / rank)}`,
  };
}

/** Return the worth of a grade. @param {number} grade @param {"linear" | "exp"} gain */
function gainOf(grade, gain) {
  return gain === "exp" ? 2 ** grade - 1 : grade;
}

/** Terms of the discounted gain. @param {number[]} grades @param {"linear" | "exp"} gain */
function discounted(grades, gain) {
  let sum = 0;
  return grades.map((grade, i) => {
    const [worth, discount] = [gainOf(grade, gain), Math.log2(i + 2)];
    sum += worth / discount;
    return [worth, discount, worth / discount, sum];
  });
}

/** @param {Judged} judged @returns {Measured} */
function ndcg({ grades, missed, k, gain }) {
  const rows = discounted(grades.slice(0, k), gain);
  const best = [...grades, ...Array(missed).fill(1)].filter((grade) => grade > 0).sort((a, b) => b - a);
  const ideal = discounted(best.slice(0, k), gain);
  return {
    name: `nDCG@${k}`,
    title: "Normalised discounted cumulated gain",
    python: gain === "exp" ? `nDCG(gain='exp')@${k}` : `nDCG@${k}`,
    formula: `Σ of ${
      gain === "exp" ? "(2^grade − 1)" : "grade"
    } / log₂(rank + 1) to rank k / the same of the best order`,
    headers: ["gain", "discount", "gain/discount", "sum"],
    rows,
    ideal: ideal.map(([, , term]) => term),
    ...fraction(rows.at(-1)?.[3] ?? 0, ideal.at(-1)?.[3] ?? 0),
  };
}

/** @param {Judged} judged @returns {Measured} */
function err({ grades, k }) {
  let [goesOn, sum] = [1, 0];
  const rows = grades.slice(0, k).map((grade, i) => {
    const satisfied = gainOf(grade, "exp") / 2 ** TOP_GRADE;
    const stops = satisfied * goesOn;
    goesOn *= 1 - satisfied;
    sum += stops / (i + 1);
    return [satisfied, stops, stops / (i + 1), sum];
  });
  return {
    name: `ERR@${k}`,
    title: "Expected reciprocal rank",
    python: `ERR(max=${TOP_GRADE})@${k}`,
    formula: `Σ chance to stop here / rank; satisfied = (2^grade − 1) / ${2 ** TOP_GRADE}`,
    headers: ["satisfied", "stops here", "term", "sum"],
    rows,
    value: sum,
    closing: `= ${sixDigits(sum)}`,
  };
}

/** Compute every measure of a ranking. @param {Judged} judged @returns {Measured[]} */
export function measureAll(judged) {
  const all = [precision, recall, fMeasure, rPrecision, averagePrecision, reciprocalRank, ndcg, err];
  return all.map((measure) => measure(judged));
}
