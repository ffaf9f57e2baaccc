import { integerText } from "../data/format.js";
/** @import { Detail, Ranking } from "../data/data.js" */

/**
 * Compare two rankings of one query. Pure functions.
 *
 * @typedef {"up" | "down" | "same" | "only" | "unseen"} Direction
 *   from run a to run b. only: not retrieved by the other run; unseen: not in the part of the other ranking on this page
 * @typedef {{direction: Direction, twin: number, onPage: boolean}} Move
 *   a document's rank in the other list (0: none), and whether that rank is on the page
 * @typedef {{place: number, grade: number, ranks: (number | null)[], by: number[]}} Missed
 *   a relevant document that is missing from a list, its rank in each run (null: not retrieved), and the lists it is missing from
 */

const FEWEST_ROWS = 10;
const MOST_ROWS = 20;
const GRADE_STEPS = 4;

/** Return the cutoff in a measure's name; 0 if there is none. The number after the @ of IPrec is a recall level. @param {string} name */
export function cutoffOf(name) {
  const found = /^(?!IPrec\b).*@(\d+)$/.exec(name);
  return found ? Number(found[1]) : 0;
}

/** Return the number of ranks shown before the list is expanded. @param {number} cutoff @param {number} longest @param {boolean} all */
export function ranksShown(cutoff, longest, all) {
  return all ? longest : Math.min(longest, Math.max(FEWEST_ROWS, Math.min(cutoff, MOST_ROWS)));
}

/** Return the step of a grade on the scale of five colours; null for unjudged and negative grades. A grade above 0 never has the colour of 0. @param {number | null} grade @param {number[]} grades all grades in the judgments */
export function gradeStep(grade, grades) {
  if (grade === null || grade < 0) return null;
  const scale = [...new Set([0, ...grades.filter((other) => other >= 0), grade])].sort((x, y) => x - y);
  return grade === 0 ? 0 : Math.max(1, Math.round(GRADE_STEPS * scale.indexOf(grade) / (scale.length - 1)));
}

/** Return the known ranks of retrieved documents. @param {Ranking | null} ranking @returns {Map<number, number>} */
export function ranksOf(ranking) {
  const ranks = new Map(ranking?.below ?? []);
  ranking?.docs.forEach((place, i) => ranks.set(place, i + 1));
  return ranks;
}

/** Return the move of each document from one list to the other. @param {Ranking} here @param {Ranking} there @param {(number | null)[]} grades @param {boolean} hereIsA @returns {Move[]} one per rank */
export function movesOf(here, there, grades, hereIsA) {
  const twins = ranksOf(there);
  return here.docs.map((place, i) => {
    const twin = twins.get(place) ?? 0;
    if (!twin) {
      // Below the page only judged documents are known.
      const known = grades[place] !== null || there.retrieved <= there.docs.length;
      return { direction: known ? "only" : "unseen", twin, onPage: false };
    }
    const rise = hereIsA ? i + 1 - twin : twin - i - 1;
    const direction = rise > 0 ? "up" : rise < 0 ? "down" : "same";
    return { direction, twin, onPage: twin <= there.docs.length };
  });
}

const MOVE_ARROWS = { up: "↑", down: "↓", same: "=", only: "", unseen: "" };

/** A move as an arrow and a few words. @param {Move} move @param {number} depth of the other list @param {string} other short name of its run */
export function moveHint({ direction, twin }, depth, other) {
  const top = `not in the top ${integerText(depth)}`;
  const place = direction === "only" ? "not" : direction === "unseen" ? top : `rank ${integerText(twin)}`;
  return { arrow: MOVE_ARROWS[direction], words: `${place} in \u2068${other}\u2069` };
}

/**
 * Classify a move: better if a relevant document is ranked higher in run b. Other documents do not matter.
 *
 * @param {Move} move @param {number | null} grade @param {number} level the lowest relevant grade @param {boolean} hereIsA
 * @returns {"better" | "worse" | "same" | "faint"}
 */
export function moveTone(move, grade, level, hereIsA) {
  if (grade === null || !(grade >= level)) return "faint";
  if (move.direction === "only") return hereIsA ? "worse" : "better";
  return move.direction === "up" ? "better" : move.direction === "down" ? "worse" : "same";
}

/**
 * Return the relevant documents missing from a list down to the last rank on the page, highest grade first. A run without
 * the query misses everything, which would hide what the other run misses, so it is ignored if the other has the query.
 *
 * @param {Detail} detail @param {number[]} runs @param {number} level the lowest relevant grade @returns {Missed[]}
 */
export function missedDocs(detail, runs, level) {
  const lists = runs.map((run) => detail.rankings[run]);
  const ranks = lists.map(ranksOf);
  const answered = lists.flatMap((list) => list ? [new Set(list.docs)] : []);
  const lacking = (/** @type {number} */ place) => answered.flatMap((docs, i) => docs.has(place) ? [] : [i]);
  const found = detail.docs.flatMap((_, place) => {
    const grade = detail.grades[place];
    if (grade === null || !(grade >= level)) return [];
    const by = lacking(place);
    if (answered.length && !by.length) return [];
    return [{ place, grade, ranks: ranks.map((rank) => rank.get(place) ?? null), by }];
  });
  const best = (/** @type {Missed} */ doc) => Math.min(...doc.ranks.map((rank) => rank ?? Infinity));
  return found.sort((x, y) => y.grade - x.grade || (best(x) < best(y) ? -1 : best(x) > best(y) ? 1 : 0));
}

/**
 * Return the previous and next query in an order. The query after one that is not in the order is the first.
 *
 * @param {number[]} order @param {number} query @returns {{place: number, before: number | null, after: number | null}} place: from 1; 0 if not in the order
 */
export function neighboursOf(order, query) {
  const i = order.indexOf(query);
  return { place: i + 1, before: order[i - 1] ?? null, after: order[i + 1] ?? null };
}

/**
 * Return the documents of the rows of an arithmetic, or null if unknown. Ranks are those of the list, or, for measures that
 * ignore unjudged documents, ranks among judged documents.
 *
 * @param {number[]} rows ranks of the arithmetic @param {Ranking} ranking @param {(number | null)[]} grades
 * @returns {{places: number[], condensed: boolean} | null}
 */
export function docsOfRows(rows, ranking, grades) {
  const at = new Map([...ranksOf(ranking)].map(([place, rank]) => [rank, place]));
  const whole = rows.map((rank) => at.get(rank) ?? -1);
  const known = (/** @type {number[]} */ places) => places.every((place) => place >= 0 && grades[place] !== null);
  if (known(whole)) return { places: whole, condensed: false };
  const judged = [...at.keys()].sort((x, y) => x - y).map((rank) => at.get(rank) ?? -1)
    .filter((place) => grades[place] !== null);
  const places = rows.map((rank) => judged[rank - 1] ?? -1);
  return known(places) ? { places, condensed: true } : null;
}

// ── The documents behind the difference of one query. Pure functions ──

/** @typedef {{place: number, before: number, after: number, delta: number}} DocumentChange a document, its rank in each run (0: not retrieved), and what it adds to the difference */

/** Return what each document adds to a value: exact shares where the measure is a sum. @param {Ranking | null} ranking @param {number} measure @param {(number | null)[]} grades @returns {Map<number, number> | null} by document */
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
