/** The table of runs by measures: means, intervals and significance marks, sortable by any column. */
import { meanText } from "../charts/common.js";
import { between, plainWords } from "../data/format.js";
import { bdi, byId, fill, h, runDot, wordNodes } from "../dom.js";
import { aboutButton } from "./answer.js";
/** @import { Book, Measure, Summary } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */

/** @typedef {{column: number, down: boolean}} SummaryOrder a measure, or -1 for the input order of the runs */

const DETAILED_RUNS = 8;
const BOARD_RUNS = 8;

/** Sort the runs; missing means come last. @param {Book} book @param {SummaryOrder} order @returns {number[]} */
function summaryOrder(book, { column, down }) {
  const runs = book.facts.runs.map((_, run) => run);
  if (column < 0) return down ? runs.reverse() : runs;
  const mean = (/** @type {number} */ run) => book.facts.summary[column][run].mean;
  return runs.sort((x, y) => {
    if (Number.isNaN(mean(x)) || Number.isNaN(mean(y))) {
      return Number(Number.isNaN(mean(x))) - Number(Number.isNaN(mean(y)));
    }
    return (down ? mean(y) - mean(x) : mean(x) - mean(y)) || x - y;
  });
}

/** The ranking of three or more runs by the chosen measure, on the first screen. @param {Book} book @param {Store} store */
export function mountBoard(book, store) {
  const { measures, runs, summary } = book.facts;
  if (runs.length < 3) return;
  store.follow(["measure", "a", "b"], () => {
    const { measure, ...pair } = store.get();
    const all = summaryOrder(book, { column: measure, down: !measures[measure].lower }).map((run, i) => {
      const { mean, against } = summary[measure][run];
      const verdict = against[1] && h("span.soft.size-13", ` ${against[1]}`);
      const value = h("strong", meanText(mean, measures[measure]));
      return h("li", `${i + 1}. `, runDot(book, run, pair), " ", ...wordNodes(book, [run]), " ", value, verdict);
    });
    const more = all.length - BOARD_RUNS;
    fill(byId("board"), all.slice(0, BOARD_RUNS), more > 0 && h("li.soft", `${more} more in the table of results`));
  });
}

/** Mount the table. A click on a measure sorts by it and selects it. @param {HTMLElement} host @param {Book} book @param {Store} store */
export function mountSummary(host, book, store) {
  const { measure } = store.get();
  /** @type {SummaryOrder} */
  const order = { column: measure, down: !book.facts.measures[measure].lower };
  const sortBy = (/** @type {number} */ column) => {
    const first = column >= 0 && !book.facts.measures[column].lower;
    order.down = order.column === column ? !order.down : first;
    order.column = column;
    if (column >= 0) store.set({ measure: column });
    draw();
    /** @type {HTMLElement | null} */ (host.querySelector(`[data-column="${column}"]`))?.focus();
  };
  const draw = () => fill(host, summaryTable(book, order, store.get(), sortBy));
  store.subscribe(({ measure }, changed) => {
    if (changed.includes("measure") && order.column !== measure) {
      order.column = measure;
      order.down = !book.facts.measures[measure].lower;
    }
  });
  store.follow(["measure", "a", "b"], draw);
}

/** @param {Book} book @param {SummaryOrder} order @param {State} state @param {(column: number) => void} sortBy */
function summaryTable(book, order, state, sortBy) {
  const { baseline, measures, runs } = book.facts;
  const chosen = state.measure;
  const nameOf = (/** @type {number} */ run) => bdi(runs[run], { class: "run-name", title: runs[run] });
  const head = (/** @type {string} */ title, /** @type {number} */ column, /** @type {string} */ hint) =>
    h(
      "th",
      {
        scope: "col",
        class: column >= 0 && column === chosen && "chosen",
        "aria-sort": order.column === column ? (order.down ? "descending" : "ascending") : null,
      },
      h("button.sorter", { "data-column": column, title: hint, onclick: () => sortBy(column) }, title),
      column >= 0 && aboutButton(measures[column]),
    );
  const columns = measures.map((m, i) => head(m.name, i, measureHint(m)));
  const rows = summaryOrder(book, order).map((run) =>
    h(
      "tr",
      h(
        "th",
        { scope: "row" },
        runDot(book, run, state),
        " ",
        nameOf(run),
        run === baseline && h("small", " baseline"),
      ),
      ...measures.map((measure, i) => summaryCell(book.facts.summary[i][run], measure, i === chosen, runs.length)),
    )
  );
  return h(
    "table.summary",
    h("caption.unseen", "Runs by measures: mean over queries, difference and significance marks"),
    h("thead", h("tr", head("run", -1, "input order"), ...columns)),
    h("tbody", rows),
  );
}

/** Describe a measure in a tooltip. @param {Measure} measure */
export function measureHint({ name, description, formula }) {
  const first = plainWords(description.split(/\n\s*\n/)[0]);
  return formula ? `${first} ${name} = ${plainWords(formula)}`.trim() : first;
}

/**
 * The mean; below it the interval of a single run, or the difference to the baseline or first of several, with its interval and verdict.
 *
 * Of many runs, only the chosen measure has the difference, without the verdict, which the chart below shows.
 *
 * @param {Summary} one @param {Measure} measure @param {boolean} chosen @param {number} runs
 */
function summaryCell(one, measure, chosen, runs) {
  const mean = meanText(one.mean, measure);
  const own = Number.isNaN(one.low) ? "" : between(one.low, one.high, (value) => meanText(value, measure));
  const below = runs === 1 ? [own] : runs <= DETAILED_RUNS ? one.against : chosen ? one.against.slice(0, 1) : [];
  return h(
    "td",
    { class: chosen && "chosen" },
    one.best ? h("strong", mean) : mean,
    h("span.sign.soft.size-13", one.sign),
    ...below.map((text) => h("span.ends.soft.size-12", text)),
  );
}
