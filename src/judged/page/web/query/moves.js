import { integerText } from "../data/format.js";

/**
 * What two rankings of one query do with the same documents. Plain functions: nothing here draws.
 *
 * @typedef {import("../data/data.js").Detail} Detail
 * @typedef {import("../data/data.js").Ranking} Ranking
 * @typedef {"up" | "down" | "same" | "only" | "unseen"} Direction
 *   from run a to run b. only: the other run did not retrieve it; unseen: not among its first documents, and more is not known
 * @typedef {{direction: Direction, twin: number, onPage: boolean}} Move
 *   of a document in one list: its rank in the other list (0: none), and whether that rank is on the page
 * @typedef {{place: number, grade: number, ranks: (number | null)[], by: number[]}} Missed
 *   a relevant document that a list lacks, its rank in each run (null: not retrieved), and which of the lists lack it
 */

const FEWEST_ROWS = 10;
const MOST_ROWS = 20;
const GRADE_STEPS = 4;

/**
 * The last rank that a measure looks at, by its name; 0 where it looks at all. What stands behind the @ of IPrec is a recall.
 *
 * @param {string} name
 */
export function cutoffOf(name) {
  const found = /^(?!IPrec\b).*@(\d+)$/.exec(name);
  return found ? Number(found[1]) : 0;
}

/** How many ranks are shown before the reader asks for all. @param {number} cutoff @param {number} longest @param {boolean} all */
export function ranksShown(cutoff, longest, all) {
  return all ? longest : Math.min(longest, Math.max(FEWEST_ROWS, Math.min(cutoff, MOST_ROWS)));
}

/**
 * The step of a grade on the scale of five colours, or null: unjudged and negative grades are off the scale.
 * A grade above 0 never looks like 0, even where 0 was not given.
 *
 * @param {number | null} grade @param {number[]} grades all that occur
 */
export function gradeStep(grade, grades) {
  if (grade === null || grade < 0) return null;
  const scale = [...new Set([0, ...grades.filter((other) => other >= 0), grade])].sort((x, y) => x - y);
  return grade === 0 ? 0 : Math.max(1, Math.round(GRADE_STEPS * scale.indexOf(grade) / (scale.length - 1)));
}

/** The rank of each document that a run is known to have retrieved. @param {Ranking | null} ranking @returns {Map<number, number>} */
export function ranksOf(ranking) {
  const ranks = new Map(ranking?.below ?? []);
  ranking?.docs.forEach((place, i) => ranks.set(place, i + 1));
  return ranks;
}

/**
 * Where each document of one list stands in the other.
 *
 * @param {Ranking} here @param {Ranking} there @param {(number | null)[]} grades @param {boolean} hereIsA
 * @returns {Move[]} one a rank
 */
export function movesOf(here, there, grades, hereIsA) {
  const twins = ranksOf(there);
  return here.docs.map((place, i) => {
    const twin = twins.get(place) ?? 0;
    if (!twin) {
      // Only judged documents are followed below the page.
      const known = grades[place] !== null || there.retrieved <= there.docs.length;
      return { direction: known ? "only" : "unseen", twin, onPage: false };
    }
    const rise = hereIsA ? i + 1 - twin : twin - i - 1;
    const direction = rise > 0 ? "up" : rise < 0 ? "down" : "same";
    return { direction, twin, onPage: twin <= there.docs.length };
  });
}

const MOVE_ARROWS = { up: "↑", down: "↓", same: "=", only: "", unseen: "" };

/**
 * A move in a few signs: an arrow, and where the document is in the other list.
 *
 * @param {Move} move @param {boolean} hereIsA @param {number} depth of the other list @param {string} other the name of its run, short
 */
export function moveHint(move, hereIsA, depth, other) {
  const arrow = MOVE_ARROWS[move.direction];
  if (move.direction === "only") return { arrow, words: `not in \u2068${other}\u2069` };
  if (move.direction === "unseen") return { arrow, words: `not in first ${integerText(depth)} there` };
  if (move.direction === "same") return { arrow, words: "same rank" };
  return { arrow, words: hereIsA ? `rank ${integerText(move.twin)} there` : `was ${integerText(move.twin)}` };
}

/** A move as a sentence, for a reader who listens. @param {Move} move @param {string} other the name of the other run */
export function moveSentence(move, other) {
  if (move.direction === "only") return `${other} does not have it`;
  if (move.direction === "unseen") return `not among the first documents of ${other}`;
  return `in ${other} at rank ${integerText(move.twin)}`;
}

/**
 * What a move means: a relevant document that rose in run b is good news. Others do not matter.
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
 * Relevant documents that a list lacks, down to the last rank of the page; the best first. A run that does not answer lacks
 * everything, so that it would hide what the other lacks: it is asked only where no run answers.
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
 * The queries before and after one, in the order of the table. From a query that the table does not show, the first is next.
 *
 * @param {number[]} order @param {number} query @returns {{place: number, before: number | null, after: number | null}} place from 1, or 0
 */
export function neighboursOf(order, query) {
  const i = order.indexOf(query);
  return { place: i + 1, before: order[i - 1] ?? null, after: order[i + 1] ?? null };
}

/**
 * The documents that the rows of an arithmetic stand for, or null where that cannot be told. Its ranks are those of the list; of a
 * measure that leaves unjudged documents out, they are ranks among the judged.
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
