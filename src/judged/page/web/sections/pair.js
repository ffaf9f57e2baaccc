/** The comparison of the two selected runs in numbers. */
import { intervalOf, isTested, viewedPair } from "../charts/common.js";
import { bdi, h } from "../dom/dom.js";
import { between, integerText, numberText, percent, plural, pText, signedText, verdictTone } from "../data/format.js";
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
 * Tiles with the comparison of b and a on the selected measure, over all queries or one slice.
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
    return h("p", { class: "note" }, name(view.b), " and ", name(view.a), " were not compared.");
  }
  const mean = (/** @type {number} */ value) => meanCell(value, measure);
  const tone = verdictTone(pair.verdict);
  const notes = [pair.note, pair.needs].filter((text) => text !== "").map((text) =>
    `${text[0].toUpperCase()}${text.slice(1)}.`
  );
  return h(
    "div",
    {},
    h(
      "dl",
      { class: "tiles" },
      pairTile("verdict", pair.verdict, [name(view.b), " vs ", name(view.a), ` on ${measure.name}`], tone),
      pairTile(
        "mean difference",
        signedText(pair.difference),
        Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`],
      ),
      pairTile("means", `${mean(pair.mean_b)} · ${mean(pair.mean_a)}`, [name(view.b), " · ", name(view.a)]),
      pairTile("better · same · worse", [pair.wins, pair.ties, pair.losses].map(integerText).join(" · "), [
        `of ${plural(pair.queries, "query", "queries")}`,
      ]),
      isTested(pair)
        ? pairTile("corrected p", pText(pair.adjusted), [`uncorrected p ${pText(pair.p)}`])
        : pairTile("p", "–", ["not tested"]),
      pairTile("effect size", numberText(pair.d_z, 2), [
        h("abbr", { title: "mean of the differences divided by their standard deviation" }, "Cohen's d_z"),
        "; ",
        h(
          "abbr",
          { title: "share of queries on which the run is better, counting half of those that are the same" },
          "superiority",
        ),
        ` ${percent(pair.superiority)}, ties count half`,
      ]),
    ),
    notes.length > 0 && h("p", { class: "note" }, notes.join(" ")),
  );
}
