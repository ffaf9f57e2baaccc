/** The ideal ranking of a query, on demand: judged documents from the highest grade down. */
import { h } from "../dom/dom.js";
import { plural } from "../data/format.js";
import { cutoffOf, ranksOf, ranksShown } from "./moves.js";
import { docName, expandableBody, gradeChip, runLabel, runsOfView } from "./parts.js";

/**
 * @typedef {import("../data/data.js").Detail} Detail
 * @typedef {import("./parts.js").QueryView} QueryView
 */

/** Return the documents of the ideal ranking: those with a gain, in the order of the judgments for equal grades. @param {Detail} detail @returns {number[]} */
export function idealOrder({ docs, grades }) {
  const gain = (/** @type {number} */ place) => grades[place] ?? 0;
  return docs.map((_, place) => place).filter((place) => gain(place) > 0).sort((p, q) => gain(q) - gain(p) || p - q);
}

/** @param {QueryView} view @param {Detail} detail */
export function idealSection(view, detail) {
  const order = idealOrder(detail);
  if (!order.length) return null;
  const runs = runsOfView(view);
  const ranks = runs.map((run) => ranksOf(detail.rankings[run] ?? null));
  const few = ranksShown(cutoffOf(view.book.facts.measures[view.measure].name), order.length, false);
  const rows = order.map((place, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "query-number" }, i + 1),
      h("td", { class: "query-grade" }, gradeChip(detail.grades[place], view.book.facts)),
      h(
        "td",
        { class: "query-doc", title: detail.docs[place] },
        h("div", { class: "query-clamp" }, docName(detail, place)),
      ),
      ranks.map((by) => h("td", { class: "query-number" }, by.get(place) ?? "–")),
    )
  );
  const { body, button } = expandableBody(rows, few);
  const head = h(
    "tr",
    {},
    h("th", { scope: "col", class: "query-number" }, "ideal rank"),
    h("th", { scope: "col" }, "grade"),
    h("th", { scope: "col" }, "document"),
    runs.map((run) =>
      h(
        "th",
        { scope: "col", class: "query-number" },
        h("span", { class: "query-wide" }, "rank in "),
        runLabel(view, run),
      )
    ),
  );
  return h(
    "details",
    { class: "query-section query-ideal" },
    h("summary", {}, h("h3", { id: "query-ideal" }, "Ideal ranking")),
    h(
      "p",
      { class: "query-lead" },
      `The best possible order of the ${
        plural(order.length, "document")
      } with a grade above 0; equal grades may be in any order.`,
    ),
    h(
      "div",
      { class: "query-scroll" },
      h("table", { class: "query-table", "aria-labelledby": "query-ideal" }, h("thead", {}, head), body),
    ),
    button,
  );
}
