/** The documents behind the difference of one query. Pure functions. */
import { docsOfRows, ranksOf } from "./moves.js";

/**
 * @typedef {import("../data/data.js").Detail} Detail
 * @typedef {import("../data/data.js").Ranking} Ranking
 * @typedef {{place: number, before: number, after: number, delta: number}} DocumentChange
 *   a document, its rank in each run (0: not retrieved), and what it adds to the difference
 */

/**
 * Return what each document adds to a value: exact shares where the measure is a sum.
 *
 * @param {Ranking | null} ranking @param {number} measure @param {(number | null)[]} grades @returns {Map<number, number> | null} by document
 */
function sharesOf(ranking, measure, grades) {
  const why = ranking?.why[measure];
  if (!ranking || !why) return new Map();
  if (!why.parts) return null;
  const found = docsOfRows(why.ranks, ranking, grades);
  if (!found) return null;
  return new Map(found.places.flatMap((place, i) => (why.parts?.[i] ? [[place, why.parts[i]]] : [])));
}

/**
 * Return the documents that make the difference b - a, largest first. If the measure is no sum, these are the relevant documents that
 * moved, those of the highest grade and the best rank first, with `exact` false.
 *
 * @param {Detail} detail @param {number} a @param {number} b @param {number} measure @param {number} level the lowest relevant grade
 * @returns {{steps: DocumentChange[], exact: boolean}}
 */
export function documentChanges(detail, a, b, measure, level) {
  const [first, second] = [detail.rankings[a], detail.rankings[b]];
  const [before, after] = [first, second].map(ranksOf);
  const [left, right] = [first, second].map((ranking) => sharesOf(ranking, measure, detail.grades));
  const exact = left !== null && right !== null;
  const places = exact
    ? [...new Set([...left.keys(), ...right.keys()])]
    : detail.docs.map((_, place) => place).filter((place) => (detail.grades[place] ?? -1) >= level);
  const weight = (/** @type {number | undefined} */ rank, /** @type {number} */ place) =>
    rank ? (detail.grades[place] ?? 0) / rank : 0;
  const steps = places.map((place) => ({
    place,
    before: before.get(place) ?? 0,
    after: after.get(place) ?? 0,
    delta: exact
      ? (right.get(place) ?? 0) - (left.get(place) ?? 0)
      : weight(after.get(place), place) - weight(before.get(place), place),
  })).filter(({ delta }) => Math.abs(delta) > 1e-9);
  return { steps: steps.sort((p, q) => Math.abs(q.delta) - Math.abs(p.delta)), exact };
}
