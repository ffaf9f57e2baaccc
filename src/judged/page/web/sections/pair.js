/** The two runs that are looked at, in numbers: what the comparison found. */
import { intervalName, viewedPair } from "../charts/common.js";
import { bdi, h } from "../dom/dom.js";
import { between, integerText, numberText, percent, plural, pText, signedText } from "../data/format.js";
import { meanCell } from "./summary.js";

/** @typedef {import("../data/data.js").Book} Book */

/** @param {string} name @param {Node | string} value @param {(Node | string)[]} [below] @param {string} [tone] */
function pairTile(name, value, below = [], tone = "") {
  return h(
    "div",
    { class: "tile" },
    h("dt", {}, name),
    h("dd", { class: tone || null }, value, below.length > 0 && h("small", {}, below)),
  );
}

/**
 * What is known of b against a by the measure, over all queries or over a slice.
 *
 * @param {Book} book
 * @param {import("../charts/common.js").View} view
 * @returns {HTMLElement}
 */
export function pairTiles(book, view) {
  const pair = viewedPair(book, view);
  const measure = book.facts.measures[view.measure];
  const name = (/** @type {number} */ run) => bdi(book.short[run], { title: book.facts.runs[run] });
  if (!pair) {
    return h("p", { class: "note" }, name(view.b), " and ", name(view.a), " were not tested against each other.");
  }
  const mean = (/** @type {number} */ value) => meanCell(value, measure);
  const tone = pair.verdict === "better" || pair.verdict === "worse" ? pair.verdict : "";
  return h(
    "div",
    {},
    h(
      "dl",
      { class: "tiles" },
      pairTile("verdict", pair.verdict, [name(view.b), " against ", name(view.a), `, by ${measure.name}`], tone),
      pairTile("difference of means", signedText(pair.difference), [
        `${intervalName(1 - book.facts.alpha)} ${between(pair.low, pair.high, signedText)}`,
      ]),
      pairTile("means", `${mean(pair.mean_b)} · ${mean(pair.mean_a)}`, [name(view.b), " · ", name(view.a)]),
      pairTile("won · tied · lost", [pair.wins, pair.ties, pair.losses].map(integerText).join(" · "), [
        `of ${plural(pair.queries, "query", "queries")}`,
      ]),
      pairTile("corrected p", pText(pair.adjusted), [`p ${pText(pair.p)} before the correction`]),
      pairTile("effect size", numberText(pair.d_z, 2), [
        "in standard deviations (",
        h("abbr", { title: "the mean of the differences, divided by their standard deviation" }, "d_z"),
        `); ${percent(pair.superiority)} chance to do better on a query`,
      ]),
    ),
    pair.note !== "" && h("p", { class: "note" }, `${pair.note}.`),
  );
}
