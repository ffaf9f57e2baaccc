/** The arithmetic of a measure for one query, with the runs side by side. Python formats the cells. */
import { bdi, h } from "../dom/dom.js";
import { integerText, valueText } from "../data/format.js";
import { docsOfRows } from "./moves.js";
import { expandableBody, gradeChip, noAnswer, runLabel, runsOfView } from "./parts.js";

/**
 * @typedef {import("../data/data.js").Arithmetic} Arithmetic
 * @typedef {import("../data/data.js").Detail} Detail
 * @typedef {import("../data/data.js").Ranking} Ranking
 * @typedef {import("./parts.js").QueryView} QueryView
 * @typedef {{rank: number, place: number, cells: string[]}} ArithmeticRow place: index of the document, -1 if unknown
 */

const ARITHMETIC_ROWS = 20;
const OWN_COLUMNS = ["rank", "document", "doc", "grade"];

/**
 * The rows of an arithmetic. Rank, grade and document get their own columns, in the style of the rankings.
 *
 * @param {Arithmetic} why @param {Ranking} ranking @param {(number | null)[]} grades
 * @returns {{headers: string[], rows: ArithmeticRow[], known: boolean, condensed: boolean}}
 *   known: whether the documents are known; condensed: whether ranks count judged documents only
 */
export function arithmeticTable(why, ranking, grades) {
  const found = docsOfRows(why.ranks, ranking, grades);
  const columns = why.headers.map((_, i) => i).filter((i) => !found || !OWN_COLUMNS.includes(why.headers[i]));
  const kept = found ? columns : columns.filter((i) => why.headers[i] !== "rank");
  return {
    headers: kept.map((i) => why.headers[i]),
    rows: why.ranks.map((rank, row) => ({
      rank,
      place: found ? found.places[row] : -1,
      cells: kept.map((i) => why.rows[row]?.[i] ?? ""),
    })),
    known: found !== null,
    condensed: found?.condensed ?? false,
  };
}

/** Split a closing line before its result: "4 / 5" and "= 0.8". @param {string} closing */
export function closingParts(closing) {
  const found = /^(.*?)\s*(= \S+)$/.exec(closing);
  return found ? { steps: found[1], result: found[2] } : { steps: "", result: closing };
}

/** @param {QueryView} view @param {Detail} detail */
export function arithmeticSection(view, detail) {
  const { measures } = view.book.facts;
  const measure = measures[view.measure];
  const select = h(
    "select",
    {
      class: "query-select",
      "data-key": "measure",
      "aria-label": "Measure",
      onchange: (/** @type {Event} */ event) =>
        view.choose({ measure: Number(/** @type {HTMLSelectElement} */ (event.target).value) }),
    },
    measures.map((m, i) => h("option", { value: i, selected: i === view.measure }, m.name)),
  );
  const runs = runsOfView(view);
  return h(
    "section",
    { class: "query-section", "aria-labelledby": "query-arithmetic" },
    h("div", { class: "query-line" }, h("h3", { id: "query-arithmetic" }, "Arithmetic"), select),
    measureWords(measure),
    h(
      "div",
      { class: `query-sides${runs.length > 1 ? " query-two" : ""}` },
      runs.map((run) => sideOf(view, detail, run)),
    ),
  );
}

/** The description and formula of a measure. @param {import("../data/data.js").Measure} measure */
function measureWords(measure) {
  const [first, ...rest] = measure.description.split(/\n\s*\n/).map((part) => part.replace(/\s+/g, " ").trim());
  return h(
    "div",
    { class: "query-about" },
    first && h("p", {}, withCode(first)),
    measure.formula && h("p", { class: "query-formula" }, h("bdi", {}, measure.name), " = ", measure.formula),
    rest.filter(Boolean).map((part) => h("p", { class: "query-note" }, withCode(part))),
  );
}

/** The arithmetic of one run. @param {QueryView} view @param {Detail} detail @param {number} run */
function sideOf(view, detail, run) {
  const { facts } = view.book;
  const ranking = detail.rankings[run];
  const why = ranking?.why[view.measure];
  const label = h("h4", { class: "query-side", id: `query-side-${run}` }, runLabel(view, run));
  if (!ranking || !why) {
    const value = view.book.value(view.measure, run, view.query);
    const words = ranking ? "No arithmetic is available for this measure." : noAnswer(facts.runs[run]);
    const text = Number.isNaN(value) ? "" : ` The value is ${valueText(value, facts.measures[view.measure])}.`;
    return h("div", {}, label, h("p", { class: "query-lead" }, words, text));
  }
  return h("div", {}, label, closingLine(why.closing), stepsOf(view, detail, ranking, why, `query-side-${run}`));
}

/** @param {string} closing */
export function closingLine(closing) {
  const { steps, result } = closingParts(closing);
  const long = closing.length > 40 ? " query-long" : "";
  return h("p", { class: `query-closing${long}` }, steps && [h("span", {}, steps), " "], h("strong", {}, result));
}

/** The rows of the arithmetic. @param {QueryView} view @param {Detail} detail @param {Ranking} ranking @param {Arithmetic} why @param {string} label */
function stepsOf(view, detail, ranking, why, label) {
  const { facts } = view.book;
  if (!why.ranks.length) return h("p", { class: "query-note" }, "No judged document contributes to the value.");
  const table = arithmeticTable(why, ranking, detail.grades);
  const rows = table.rows.map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "query-number" }, row.rank),
      row.place >= 0 && h("td", {}, gradeChip(detail.grades[row.place], facts)),
      row.place >= 0 && h("td", { class: "query-doc query-short" }, h("div", {}, shortDoc(detail, row.place))),
      row.cells.map((cell) => h("td", { class: "query-number" }, cell)),
    )
  );
  const { body, button } = expandableBody(rows, ARITHMETIC_ROWS);
  const head = h(
    "tr",
    {},
    h("th", { scope: "col", class: "query-number" }, "rank"),
    table.known && [h("th", { scope: "col" }, "grade"), h("th", { scope: "col" }, "document")],
    table.headers.map((header) => h("th", { scope: "col", class: "query-number" }, header)),
  );
  const ranks = table.condensed ? "; ranks count judged documents only" : "";
  const below = why.hidden ? `; ${integerText(why.hidden)} more below` : "";
  return h(
    "div",
    {},
    h(
      "div",
      { class: "query-scroll", role: "region", "aria-labelledby": label },
      h("table", { class: "query-table", "aria-labelledby": label }, h("thead", {}, head), body),
    ),
    button,
    h("p", { class: "query-note" }, `Rows are judged documents${ranks}${below}.`),
  );
}

/** A document on one line. @param {Detail} detail @param {number} place */
function shortDoc(detail, place) {
  const [id, title] = [detail.docs[place], detail.titles[place]];
  const name = title ? ["  ", bdi(title, { class: "query-note", title })] : [];
  return [bdi(id, { class: "query-id query-alone", title: id }), ...name];
}

/** Turn `code` in backticks into elements. @param {string} text */
function withCode(text) {
  return text.split("`").map((part, i) => i % 2 ? h("code", {}, part) : part);
}
