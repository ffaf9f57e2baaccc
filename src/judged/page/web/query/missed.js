/** Relevant documents of a query that are missing from a ranking. */
import { h } from "../dom/dom.js";
import { integerText, plural, shorten } from "../data/format.js";
import { missedDocs } from "./moves.js";
import { docName, expandableBody, gradeChip, runLabel, runsOfView } from "./parts.js";

/**
 * @typedef {import("../data/data.js").Detail} Detail
 * @typedef {import("../data/data.js").Ranking} Ranking
 * @typedef {import("./moves.js").Missed} Missed
 * @typedef {import("./parts.js").QueryView} QueryView
 */

const MISSED_ROWS = 10;

/** A name in a sentence. @param {string} name */
function listName(name) {
  return `\u2068${shorten(name, 30)}\u2069`;
}

/**
 * Describe the ranks that were searched, which are those on the page: "the 23 documents of bm25 and the first 100 of dense".
 *
 * @param {[name: string, ranking: Ranking][]} lists
 */
export function searchedWords(lists) {
  const [first, second] = lists.map(([, { docs, retrieved }]) => ({
    part: docs.length < retrieved ? "first " : "",
    count: docs.length,
  }));
  const found = `the ${first.part}${plural(first.count, "document")} of`;
  if (!second) return `${found} ${listName(lists[0][0])}`;
  if (first.part === second.part && first.count === second.count) return `${found} each list`;
  return `${found} ${listName(lists[0][0])} and the ${second.part}${integerText(second.count)} of ${
    listName(lists[1][0])
  }`;
}

/** Count the documents missing from one or both lists. @param {Missed[]} missed @param {[name: string, ranking: Ranking][]} lists */
export function missedWords(missed, lists) {
  const all = plural(missed.length, "relevant document");
  if (lists.length < 2) return `${all} missed. Searched: ${searchedWords(lists)}.`;
  const count = (/** @type {number} */ place) => missed.filter(({ by }) => by.length === 1 && by[0] === place).length;
  const kinds = [
    { count: missed.filter(({ by }) => by.length > 1).length, by: "by both" },
    ...lists.map(([name], i) => ({ count: count(i), by: `by ${listName(name)} only` })),
  ].filter((kind) => kind.count);
  const words = kinds.length > 1
    ? `: ${kinds.map((kind) => `${integerText(kind.count)} ${kind.by}`).join(", ")}`
    : ` ${kinds[0].by}`;
  return `${all} missed${words}. Searched: ${searchedWords(lists)}.`;
}

/** @param {QueryView} view @param {Detail} detail @param {number} level the lowest relevant grade */
export function missedSection(view, detail, level) {
  const runs = runsOfView(view);
  const missed = missedDocs(detail, runs, level);
  if (!missed.length) return null;
  const answered = runs.flatMap((run) => {
    const ranking = detail.rankings[run];
    return ranking ? [/** @type {[string, Ranking]} */ ([view.book.short[run], ranking])] : [];
  });
  const words = answered.length
    ? missedWords(missed, answered)
    : `${plural(missed.length, "relevant document")}; neither run has this query.`;
  const rows = missedGroups(missed).flatMap(({ title, docs }) => [
    ...(title
      ? [h("tr", { class: "query-group" }, h("th", { scope: "rowgroup", colspan: 2 + runs.length }, title))]
      : []),
    ...docs.map((doc) => missedRow(view, detail, runs, doc)),
  ]);
  const { body, button } = expandableBody(rows, MISSED_ROWS);
  const heads = runs.map((run) =>
    h(
      "th",
      { scope: "col", class: "query-number" },
      h("span", { class: "query-wide" }, "rank in "),
      runLabel(view, run),
    )
  );
  const head = h("tr", {}, h("th", { scope: "col" }, "grade"), h("th", { scope: "col" }, "document"), heads);
  return h(
    "section",
    { class: "query-section", "aria-labelledby": "query-missed" },
    h("h3", { id: "query-missed" }, "Missed relevant documents"),
    h("p", { class: "query-lead" }, words),
    h(
      "div",
      { class: "query-scroll" },
      h("table", { class: "query-table", "aria-labelledby": "query-missed" }, h("thead", {}, head), body),
    ),
    button,
  );
}

/**
 * Group the documents: those missed by one run first, because they distinguish the runs. Titles only if there are two groups.
 *
 * @param {Missed[]} missed
 */
function missedGroups(missed) {
  const [one, both] = [missed.filter(({ by }) => by.length < 2), missed.filter(({ by }) => by.length > 1)];
  if (!one.length || !both.length) return [{ title: "", docs: missed }];
  return [{ title: "missed by one run", docs: one }, { title: "missed by both runs", docs: both }];
}

/** @param {QueryView} view @param {Detail} detail @param {number[]} runs @param {Missed} doc */
function missedRow(view, detail, runs, doc) {
  const ranks = doc.ranks.map((rank, i) => {
    const absent = h("span", { class: "query-note" }, detail.rankings[runs[i]] ? "not retrieved" : "query missing");
    return h("td", { class: "query-number" }, rank === null ? absent : integerText(rank));
  });
  const name = h(
    "th",
    { scope: "row", class: "query-doc", title: detail.docs[doc.place] },
    h("div", { class: "query-clamp" }, docName(detail, doc.place)),
  );
  return h("tr", {}, h("td", { class: "query-grade" }, gradeChip(doc.grade, view.book.facts)), name, ranks);
}
