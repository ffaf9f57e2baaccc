/** Components of the query dialog: grade chips, document names, the table of values. */
import { gainTone, integerText, plural, signedValue, valueText } from "../data/format.js";
import { bdi, h, runDot, selectOf, toggleButton, watchEdges } from "../dom.js";
import { nameText } from "../kit/text.js";
import { measureHint } from "../sections/summary.js";
import { cutoffOf, docsOfRows, gradeStep, missedDocs, ranksOf, ranksShown } from "./moves.js";
/** @import { Arithmetic, Book, Detail, Facts, Measure, Ranking } from "../data/data.js" */
/** @import { Missed } from "./moves.js" */

/**
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
  return h("span.query-name", runDot(view.book, run, view), bdi(short[run], { class: "clip", title: facts.runs[run] }));
}

/** @param {string} run */
export const noAnswer = (run) => h("span", bdi(run), " has no ranking for this query.");

/** @param {number} grade */
const gradeText = (grade) => String(grade).replace("-", "−");

/** Make all chips as wide as the longest grade, so that columns align. @param {HTMLElement} root @param {Facts} facts */
export function alignChips(root, facts) {
  root.style.setProperty("--query-signs", String(Math.max(1, ...facts.grades.map((grade) => gradeText(grade).length))));
}

/** A grade as a chip; unjudged documents have an outline only. @param {number | null} grade @param {Facts} facts */
export function gradeChip(grade, facts) {
  const step = gradeStep(grade, facts.grades);
  const look = grade === null ? "query-unjudged" : step === null ? "query-negative" : `grade${step}`;
  const said = h("span.unseen", grade === null ? "unjudged" : "grade ");
  const seen = grade === null ? h("span", { "aria-hidden": "true" }, "–") : gradeText(grade);
  return h(
    "span",
    { class: `query-chip size-12 bold nowrap ${look}`, title: grade === null ? "unjudged" : `grade ${grade}` },
    said,
    seen,
  );
}

/** The title and id of a document, or its id only. @param {Detail} detail @param {number} place @param {(title: string) => (string | Node)[]} [marked] marks words of the title */
export function docName(detail, place, marked = (title) => [title]) {
  const [id, title] = [detail.docs[place], detail.titles[place]];
  if (!title) return [bdi(id, { class: "query-id query-alone" })];
  return [h("bdi.query-doctitle.semibold", marked(title)), " ", bdi(id, { class: "query-id" })];
}

/** The values of every measure for the runs shown, expandable to all runs. @param {QueryView} view */
export function valuesTable(view) {
  const { facts } = view.book;
  const shown = runsOfView(view);
  const others = facts.runs.map((_, run) => run).filter((run) => !shown.includes(run));
  const more = h("tbody", { id: "query-others" }, others.map((run) => valuesRow(view, run)));
  const table = h(
    "table.query-values",
    h("caption.unseen", "Values of all measures for this query"),
    h("thead", h("tr", h("td"), facts.measures.map((_, m) => measureHeader(view, m)))),
    h("tbody", shown.map((run) => valuesRow(view, run)), view.b >= 0 && differenceRow(view)),
    others.length > 0 && more,
  );
  const scroll = scrollBox({ role: "region", "aria-label": "Values by run" }, table);
  if (!others.length) return [scroll];
  const toggle = toggleButton(view.memory.runs, (open) => {
    more.hidden = !open;
    view.memory.runs = open;
    return open ? `Show only ${shown.length} runs` : `Show all ${integerText(facts.runs.length)} runs`;
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
  const note = measure.lower && h("span.query-note.soft.size-12", "lower is better");
  const button = h("button.query-quiet", properties, bdi(measure.name));
  return h("th", { scope: "col", class: chosen && "query-chosen" }, button, note);
}

/** @param {QueryView} view @param {number} run */
function valuesRow(view, run) {
  const { book, measure, query } = view;
  const cells = book.facts.measures.map((m, i) =>
    h("td", { class: i === measure && "query-chosen" }, valueText(book.value(i, run, query), m))
  );
  return h("tr", h("th", { scope: "row" }, runLabel(view, run)), cells);
}

/** @param {QueryView} view */
function differenceRow({ book, measure, query, a, b }) {
  const cells = book.facts.measures.map((m, i) => {
    const difference = book.value(i, b, query) - book.value(i, a, query);
    const tone = gainTone(m.lower ? -difference : difference);
    const said = difference ? h("span.unseen", ` ${tone}`) : null;
    return h("td", { class: `${tone}${i === measure ? " query-chosen" : ""}` }, signedValue(difference, m), said);
  });
  return h("tr.query-difference", h("th", { scope: "row" }, "difference"), cells);
}

/** A box that scrolls sideways. @param {Record<string, string>} properties @param {HTMLElement} table */
function scrollBox(properties, table) {
  const box = h("div.query-scroll", { tabindex: 0, ...properties }, table);
  watchEdges(box);
  return box;
}

/** @typedef {[content: string | Node[], kind?: string]} Head of a column: its content, and "number" if it has numbers */

/** @type {Head[]} */
const DOCUMENT_HEADS = [["grade"], ["document"]];

/** @param {string} text @returns {Head} */
const numberHead = (text) => [text, ".query-number"];

/** Heads of the ranks in each run. @param {QueryView} view @returns {Head[]} */
function rankHeads(view) {
  return runsOfView(view).map((run) => [[h("span.query-wide", "rank in "), runLabel(view, run)], ".query-number"]);
}

/** A table that shows a few rows, and a button that shows the rest. @param {string} label id of its label @param {Head[]} heads @param {HTMLElement[]} rows @param {number} few */
function docTable(label, heads, rows, few) {
  const body = h("tbody", rows.slice(0, few));
  const head = h("tr", heads.map(([content, kind = ""]) => h(`th${kind}`, { scope: "col" }, content)));
  const table = h("table.query-table", { "aria-labelledby": label }, h("thead", head), body);
  const onclick = () => {
    body.append(...rows.slice(few));
    rows[few].tabIndex = -1; // the button disappears, so the focus moves to the first new row
    rows[few].focus({ preventScroll: true });
    button.remove();
  };
  const button = h("button.query-quiet", { onclick }, `Show all ${integerText(rows.length)} rows`);
  return [scrollBox({ role: "group", "aria-labelledby": label }, table), rows.length > few && button];
}

// ── Relevant documents of a query that are missing from a ranking ──

const MISSED_ROWS = 10;

/** Count the documents missing from one or both lists, and the ranks on the page that were searched. @param {Missed[]} missed @param {[name: string, ranking: Ranking][]} lists */
export function missedWords(missed, lists) {
  const kinds = [
    { count: missed.filter(({ by }) => by.length > 1).length, by: "both" },
    ...lists.map(([name], i) => ({ count: missed.filter(({ by }) => by.join() === String(i)).length, by: name })),
  ].filter(({ count }) => count);
  const counts = kinds.map(({ count, by }) => `${integerText(count)} by ${nameText(by, 30)}`);
  const searched = lists.map(([name, { docs }]) => `${integerText(docs.length)} of ${nameText(name, 30)}`);
  const all = plural(missed.length, "relevant document");
  return `${all} missed: ${counts.join(", ")}. Documents searched: ${searched.join(", ")}.`;
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
  const headed = { scope: "rowgroup", colspan: 2 + runs.length };
  const rows = missedGroups(missed).flatMap(({ title, docs }) => {
    const found = docs.map((doc) => missedRow(view, detail, runs, doc));
    return title ? [h("tr.query-group", h("th", headed, title)), ...found] : found;
  });
  return h(
    "section.query-section",
    { "aria-labelledby": "query-missed" },
    h("h3", { id: "query-missed" }, "Missed relevant documents"),
    h("p.query-lead.soft", words),
    docTable("query-missed", [...DOCUMENT_HEADS, ...rankHeads(view)], rows, MISSED_ROWS),
  );
}

/** Group the documents: those missed by one run first, because they distinguish the runs. Titles only if there are two groups. @param {Missed[]} missed */
function missedGroups(missed) {
  const [one, both] = [missed.filter(({ by }) => by.length < 2), missed.filter(({ by }) => by.length > 1)];
  if (!one.length || !both.length) return [{ title: "", docs: missed }];
  return [{ title: "missed by one run", docs: one }, { title: "missed by both runs", docs: both }];
}

/** @param {QueryView} view @param {Detail} detail @param {number[]} runs @param {Missed} doc */
function missedRow(view, detail, runs, doc) {
  const ranks = doc.ranks.map((rank, i) => {
    const absent = h("span.query-note.soft.size-12", detail.rankings[runs[i]] ? "not retrieved" : "query missing");
    return h("td.query-number", rank === null ? absent : integerText(rank));
  });
  const about = { scope: "row", title: detail.docs[doc.place] };
  const name = h("th.query-doc.anywhere", about, h("div.clamp", docName(detail, doc.place)));
  return h("tr", h("td.query-grade", gradeChip(doc.grade, view.book.facts)), name, ranks);
}

// ── The ideal ranking of a query, on demand: judged documents from the highest grade down ──

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
      h("th.query-number", { scope: "row" }, i + 1),
      h("td.query-grade", gradeChip(detail.grades[place], view.book.facts)),
      h("td.query-doc.anywhere", { title: detail.docs[place] }, h("div.clamp", docName(detail, place))),
      ranks.map((by) => h("td.query-number", by.get(place) ?? "–")),
    )
  );
  const count = plural(order.length, "document");
  const heads = [numberHead("ideal rank"), ...DOCUMENT_HEADS, ...rankHeads(view)];
  return h(
    "details.query-section.query-ideal",
    h("summary", h("h3", { id: "query-ideal" }, "Ideal ranking")),
    h(
      "p.query-lead.soft",
      `The best possible order of the ${count} with a grade above 0; equal grades may be in any order.`,
    ),
    docTable("query-ideal", heads, rows, few),
  );
}

// ── The arithmetic of a measure for one query, with the runs side by side. Python formats the cells ──

/** @typedef {{rank: number, place: number, cells: string[]}} ArithmeticRow place: index of the document, -1 if unknown */

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

/** A select that keeps the focus when the dialog is drawn again. @param {string} label @param {string} key @param {string[]} names @param {number} now @param {(place: number) => void} choose */
export function querySelect(label, key, names, now, choose) {
  return selectOf("select.query-select.semibold", { "data-key": key, "aria-label": label }, names, now, choose);
}

/** @param {QueryView} view @param {Detail} detail */
export function arithmeticSection(view, detail) {
  const { measures } = view.book.facts;
  const measure = measures[view.measure];
  const names = measures.map(({ name }) => name);
  const select = querySelect("Measure", "measure", names, view.measure, (chosen) => view.choose({ measure: chosen }));
  const runs = runsOfView(view);
  return h(
    "section.query-section",
    { "aria-labelledby": "query-arithmetic" },
    h("div.query-line.row", h("h3", { id: "query-arithmetic" }, "Arithmetic"), select),
    measureWords(measure),
    h("div.query-sides", { class: runs.length > 1 && "query-two" }, runs.map((run) => sideOf(view, detail, run))),
  );
}

/** The description and formula of a measure. @param {Measure} measure */
function measureWords(measure) {
  const [first, ...rest] = measure.description.split(/\n\s*\n/).map((part) => part.replace(/\s+/g, " ").trim());
  return h(
    "div.query-about",
    first && h("p", withCode(first)),
    measure.formula && h("p.query-formula.mono.anywhere.size-13", h("bdi", measure.name), " = ", measure.formula),
    rest.filter(Boolean).map((part) => h("p.query-note.soft.size-12", withCode(part))),
  );
}

/** The arithmetic of one run. @param {QueryView} view @param {Detail} detail @param {number} run */
function sideOf(view, detail, run) {
  const { facts } = view.book;
  const ranking = detail.rankings[run];
  const why = ranking?.why[view.measure];
  const label = h("h4.query-side.size-14.semibold", { id: `query-side-${run}` }, runLabel(view, run));
  if (!ranking || !why) {
    const value = view.book.value(view.measure, run, view.query);
    const words = ranking ? "No arithmetic is available for this measure." : noAnswer(facts.runs[run]);
    const text = Number.isNaN(value) ? "" : ` The value is ${valueText(value, facts.measures[view.measure])}.`;
    return h("div", label, h("p.query-lead.soft", words, text));
  }
  return h("div", label, closingLine(why.closing), stepsOf(view, detail, ranking, why, `query-side-${run}`));
}

/** A closing line, its result set apart: "4 / 5" and "= 0.8". @param {string} closing */
export function closingLine(closing) {
  const [, steps, result] = /^(.*?)\s*(= \S+)$/.exec(closing) ?? ["", "", closing];
  const long = closing.length > 40 ? " query-long" : "";
  return h(
    "p",
    { class: `query-closing anywhere${long}` },
    steps && [h("span.soft", steps), " "],
    h("strong.bold", result),
  );
}

/** The rows of the arithmetic. @param {QueryView} view @param {Detail} detail @param {Ranking} ranking @param {Arithmetic} why @param {string} label */
function stepsOf(view, detail, ranking, why, label) {
  const { facts } = view.book;
  if (!why.ranks.length) return h("p.query-note.soft.size-12", "No judged document contributes to the value.");
  const table = arithmeticTable(why, ranking, detail.grades);
  const rows = table.rows.map((row) =>
    h(
      "tr",
      h("th.query-number", { scope: "row" }, row.rank),
      row.place >= 0 && h("td", gradeChip(detail.grades[row.place], facts)),
      row.place >= 0 && h("td.query-doc.query-short.anywhere", h("div.clip", shortDoc(detail, row.place))),
      row.cells.map((cell) => h("td.query-number", cell)),
    )
  );
  const heads = [numberHead("rank"), ...(table.known ? DOCUMENT_HEADS : []), ...table.headers.map(numberHead)];
  const ranks = table.condensed ? "; ranks count judged documents only" : "";
  const below = why.hidden ? `; ${integerText(why.hidden)} more below` : "";
  const note = h("p.query-note.soft.size-12", `Rows are judged documents${ranks}${below}.`);
  return h("div", docTable(label, heads, rows, ARITHMETIC_ROWS), note);
}

/** A document on one line. @param {Detail} detail @param {number} place */
function shortDoc(detail, place) {
  const [id, title] = [detail.docs[place], detail.titles[place]];
  const name = title ? ["  ", bdi(title, { class: "query-note size-12 soft", title })] : [];
  return [bdi(id, { class: "query-id query-alone", title: id }), ...name];
}

/** Turn `code` in backticks into elements. @param {string} text */
function withCode(text) {
  return text.split("`").map((part, i) => i % 2 ? h("code", part) : part);
}
