/** The two runs that are looked at, in numbers: what the comparison found. */
import { viewedPair } from "./chart/common.js";
import { h, quoted } from "./dom.js";
import { between, counted, fixed, percent, pText, signed } from "./format.js";
import { meanCell } from "./summary.js";

/** @typedef {import("./data.js").Book} Book */

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
 * @param {import("./chart/common.js").View} view
 * @returns {HTMLElement}
 */
export function pairTiles(book, view) {
  const pair = viewedPair(book, view);
  const measure = book.facts.measures[view.measure];
  const [a, b] = [view.a, view.b].map((run) => book.facts.runs[run]);
  if (!pair) return h("p", { class: "note" }, quoted(b), " and ", quoted(a), " were not tested against each other.");
  const mean = (/** @type {number} */ value) => meanCell(value, measure);
  const level = percent(1 - book.facts.alpha);
  const tone = pair.verdict === "better" || pair.verdict === "worse" ? pair.verdict : "";
  return h(
    "div",
    {},
    h(
      "dl",
      { class: "tiles" },
      pairTile("verdict", pair.verdict, [quoted(b), " against ", quoted(a), `, by ${measure.name}`], tone),
      pairTile("difference of means", signed(pair.difference), [
        `${level} interval ${between(pair.low, pair.high, signed)}`,
      ]),
      pairTile("means", `${mean(pair.mean_b)} · ${mean(pair.mean_a)}`, [quoted(b), " · ", quoted(a)]),
      pairTile("won · tied · lost", `${pair.wins} · ${pair.ties} · ${pair.losses}`, [
        `of ${counted(pair.queries, "query", "queries")}`,
      ]),
      pairTile("corrected p", pText(pair.adjusted), [`p ${pText(pair.p)} before the correction`]),
      pairTile("effect size", fixed(pair.d_z, 2), [`d_z; chance to do better on a query ${percent(pair.superiority)}`]),
    ),
    pair.note !== "" && h("p", { class: "note" }, `${pair.note}.`),
  );
}
