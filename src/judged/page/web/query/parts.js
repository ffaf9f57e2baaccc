/** Components of the query dialog: grade chips, document names, the table of values. */
import { integerText, signedValue, valueText } from "../data/format.js";
import { bdi, fill, h } from "../dom/dom.js";
import { runDot } from "../dom/dot.js";
import { gradeStep } from "./moves.js";
import { measureHint } from "../sections/summary.js";

/**
 * @typedef {import("../data/data.js").Book} Book
 * @typedef {import("../data/data.js").Detail} Detail
 * @typedef {import("../data/data.js").Facts} Facts
 * @typedef {object} QueryView the content of the dialog
 * @property {Book} book
 * @property {number} query
 * @property {number} measure
 * @property {number} a
 * @property {number} b a run, or -1 if there is only one
 * @property {{all: boolean, side: "a" | "b", runs: boolean}} memory
 *   expanded state: all ranks, the list visible on a phone, the values of all runs
 * @property {(patch: {measure?: number, a?: number, b?: number}) => void} choose
 */

/** The runs of a view. @param {QueryView} view */
export function runsOfView(view) {
  return view.b < 0 ? [view.a] : [view.a, view.b];
}

/** The name of a run after a dot in its colour. @param {QueryView} view @param {number} run */
export function runLabel(view, run) {
  const { facts, short } = view.book;
  return h("span", { class: "query-name" }, runDot(view.book, run, view), bdi(short[run], { title: facts.runs[run] }));
}

/** @param {string} run */
export function noAnswer(run) {
  return h("span", {}, bdi(run), " has no ranking for this query.");
}

/** Format a grade. @param {number} grade */
function gradeText(grade) {
  return String(grade).replace("-", "−");
}

/** Make all chips as wide as the longest grade, so that columns align. @param {HTMLElement} root @param {Facts} facts */
export function alignChips(root, facts) {
  root.style.setProperty("--query-signs", String(Math.max(1, ...facts.grades.map((grade) => gradeText(grade).length))));
}

/** A grade as a chip; unjudged documents have an outline only. @param {number | null} grade @param {Facts} facts */
export function gradeChip(grade, facts) {
  const step = gradeStep(grade, facts.grades);
  const look = grade === null ? "query-unjudged" : step === null ? "query-negative" : `query-grade${step}`;
  const said = h("span", { class: "unseen" }, grade === null ? "unjudged" : "grade ");
  const seen = grade === null ? h("span", { "aria-hidden": "true" }, "–") : gradeText(grade);
  return h("span", { class: `query-chip ${look}`, title: grade === null ? "unjudged" : `grade ${grade}` }, said, seen);
}

/**
 * The title and id of a document, or its id only.
 *
 * @param {Detail} detail @param {number} place @param {(title: string) => (string | Node)[]} [marked] marks words of the title
 */
export function docName(detail, place, marked = (title) => [title]) {
  const [id, title] = [detail.docs[place], detail.titles[place]];
  if (!title) return [bdi(id, { class: "query-id query-alone" })];
  return [h("bdi", { class: "query-doctitle" }, marked(title)), " ", bdi(id, { class: "query-id" })];
}

/** A button that looks like text. @param {Record<string, any>} properties @param {...(string | Node)} children */
export function quietButton(properties, ...children) {
  return /** @type {HTMLButtonElement} */ (h(
    "button",
    { type: "button", class: "query-quiet", ...properties },
    children,
  ));
}

/** The values of every measure for the runs shown, expandable to all runs. @param {QueryView} view */
export function valuesTable(view) {
  const { facts } = view.book;
  const shown = runsOfView(view);
  const others = facts.runs.map((_, run) => run).filter((run) => !shown.includes(run));
  const more = h("tbody", { id: "query-others" }, others.map((run) => valuesRow(view, run)));
  more.hidden = !view.memory.runs;
  const table = h(
    "table",
    { class: "query-values" },
    h("caption", { class: "unseen" }, "Values of all measures for this query"),
    h("thead", {}, h("tr", {}, h("td", {}), facts.measures.map((_, m) => measureHeader(view, m)))),
    h("tbody", {}, shown.map((run) => valuesRow(view, run)), view.b >= 0 && differenceRow(view)),
    others.length > 0 && more,
  );
  const scroll = h("div", { class: "query-scroll", role: "region", "aria-label": "Values by run" }, table);
  if (!others.length) return [scroll];
  const label = () =>
    more.hidden ? `Show all ${integerText(facts.runs.length)} runs` : `Show only ${shown.length} runs`;
  const toggle = quietButton({ "aria-controls": "query-others", "aria-expanded": String(view.memory.runs) }, label());
  toggle.addEventListener("click", () => {
    more.hidden = view.memory.runs;
    view.memory.runs = !view.memory.runs;
    toggle.setAttribute("aria-expanded", String(view.memory.runs));
    fill(toggle, label());
  });
  return [scroll, toggle];
}

/** @param {QueryView} view @param {number} m */
function measureHeader(view, m) {
  const measure = view.book.facts.measures[m];
  const chosen = m === view.measure;
  const properties = {
    class: "query-quiet query-measure",
    "aria-pressed": String(chosen),
    "data-key": `measure-${m}`,
    title: measureHint(measure),
    onclick: () => view.choose({ measure: m }),
  };
  const note = measure.lower && h("span", { class: "query-note" }, "lower is better");
  return h(
    "th",
    { scope: "col", class: chosen && "query-chosen" },
    quietButton(properties, bdi(measure.name)),
    note,
  );
}

/** @param {QueryView} view @param {number} run */
function valuesRow(view, run) {
  const { book, measure, query } = view;
  const cells = book.facts.measures.map((m, i) =>
    h("td", { class: i === measure && "query-chosen" }, valueText(book.value(i, run, query), m))
  );
  return h("tr", {}, h("th", { scope: "row" }, runLabel(view, run)), cells);
}

/** @param {QueryView} view */
function differenceRow({ book, measure, query, a, b }) {
  const cells = book.facts.measures.map((m, i) => {
    const difference = book.value(i, b, query) - book.value(i, a, query);
    const gain = m.lower ? -difference : difference;
    const tone = gain > 0 ? "better" : gain < 0 ? "worse" : "same";
    const words = gain > 0 ? "better" : gain < 0 ? "worse" : "";
    const said = words && h("span", { class: "unseen" }, ` ${words}`);
    return h("td", { class: `${tone}${i === measure ? " query-chosen" : ""}` }, signedValue(difference, m), said);
  });
  return h("tr", { class: "query-difference" }, h("th", { scope: "row" }, "difference"), cells);
}

/** A table body that shows a few rows, and a button that shows the rest. @param {HTMLElement[]} rows @param {number} few */
export function expandableBody(rows, few) {
  const body = h("tbody", {}, rows.slice(0, few));
  if (rows.length <= few) return { body, button: null };
  const button = quietButton({
    onclick: () => {
      body.append(...rows.slice(few));
      const first = /** @type {HTMLElement} */ (rows[few]);
      first.tabIndex = -1; // the button disappears, so the focus moves to the first new row
      first.focus({ preventScroll: true });
      button.remove();
    },
  }, `Show all ${integerText(rows.length)} rows`);
  return { body, button };
}
