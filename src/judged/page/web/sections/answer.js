/** The answer on the first screen: a headline, by how much, how certain, where and why; other measures as chips. */
import { viewedPair } from "../charts/common.js";
import {
  integerText,
  numberText,
  percent,
  plainWords,
  plural,
  shorten,
  signedPercent,
  signedText,
  sliceName,
  valueText,
  verdictTone,
} from "../data/format.js";
import { announce, bdi, byId, fill, h, openDialog, wordNodes } from "../dom.js";
/** @import { Book, Measure, Pair } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */
/** @import { Selection } from "../queries/queries.js" */

const ANSWER_PLACES = 3;

const CHIP_SIGNS = { better: "✓", worse: "✗", "": "≈" };

/** Return the headline and the lines below it. @param {Book} book @param {State} state */
export function headlineOf(book, { measure, a, b }) {
  const { verdicts, runs } = book.facts;
  const { words, more, pair } = verdicts[measure];
  if (!pair || (pair[0] === a && pair[1] === b)) return { words, more };
  const chosen = viewedPair(book, { measure, a, b });
  if (!chosen) return { words, more };
  return { words: chosen.headlines[0], more: runs.length > 2 ? [["All runs: ", ...words]] : [] };
}

/** Mount the card. A click on a count shows its queries. @param {Book} book @param {Store} store @param {() => void} showQueries */
export function mountAnswer(book, store, showQueries) {
  const draw = () => {
    const state = store.get();
    const { words, more } = headlineOf(book, state);
    fill(byId("verdict"), wordNodes(book, words));
    fill(byId("more"), more.map((line) => h("li", wordNodes(book, line))));
    fill(byId("card"), book.facts.runs.length > 1 ? pairCells(book, store, showQueries) : singleCells(book, state));
    fill(byId("chips"), measureChips(book, store)).hidden = book.facts.measures.length < 2;
  };
  store.subscribe((_, changed) => {
    if (!["measure", "a", "b", "only"].some((key) => changed.includes(/** @type {keyof State} */ (key)))) return;
    const held = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.chip;
    draw();
    if (held !== undefined) {
      /** @type {HTMLElement | null} */ (document.querySelector(`[data-chip="${held}"]`))?.focus();
    }
    if (!changed.includes("only")) announce(byId("verdict").textContent ?? "");
  });
  draw();
}

/** @param {string} title @param {...(Node | string | false | null)} content */
function cardCell(title, ...content) {
  return h("div.cell", h("dt", title), h("dd", content));
}

/** @param {...(Node | string | false)} words */
const cellLine = (...words) => h("p.cell-line.soft.size-14", words);

/** @param {string} value @param {Measure} [unit] @param {string} [tone] */
function cellValue(value, unit, tone = "") {
  return h(
    "p.cell-value",
    { class: tone },
    value,
    unit && [" ", h("span.cell-unit", bdi(unit.name), aboutButton(unit))],
  );
}

// ── two runs ──────────────────────────────────────────────────────────────────────────────────────

/** @param {Book} book @param {Store} store @param {() => void} showQueries */
function pairCells(book, store, showQueries) {
  const state = store.get();
  const pair = viewedPair(book, { ...state, slice: null });
  if (!pair) return [];
  const { short, long } = pair.sure;
  return [
    muchCell(book, state, pair),
    cardCell("How certain?", cellValue(short), ...long.map((line) => cellLine(line))),
    whereCell(pair, store, showQueries),
    whyCell(book, state),
  ];
}

/** @param {Book} book @param {State} state @param {Pair} pair */
function muchCell(book, { measure, a, b }, pair) {
  const of = book.facts.measures[measure];
  const text = (/** @type {number} */ value) => signedText(value, ANSWER_PLACES);
  const [before, after] = [pair.mean_a, pair.mean_b].map((mean) => numberText(mean, ANSWER_PLACES));
  const share = pair.relative[0] === null ? "" : ` (${signedPercent(pair.relative[0])})`;
  const known = !Number.isNaN(pair.low);
  return cardCell(
    "By how much?",
    cellValue(text(pair.difference), of, verdictTone(pair.verdict)),
    cellLine(...wordNodes(book, [a, ` ${before} → `, b, ` ${after}${share}`]), of.lower && "; lower is better"),
    known && cellLine(`${text(pair.low)} to ${text(pair.high)}: ${book.facts.intervals.all}`),
  );
}

/** Won, same and lost queries, as one bar; a click filters. @param {Pair} pair @param {Store} store @param {() => void} showQueries */
function whereCell(pair, store, showQueries) {
  /** @type {[State["only"] & string, number][]} */
  const counts = [["better", pair.wins], ["same", pair.ties], ["worse", pair.losses]];
  const { only } = store.get();
  const parts = counts.map(([kind, count]) => {
    const part = h("span", { class: kind });
    part.style.flexGrow = String(count);
    return part;
  });
  const choose = (/** @type {State["only"]} */ kind) => {
    store.set({ only: store.get().only === kind ? "" : kind });
    if (store.get().only) showQueries();
  };
  const buttons = counts.map(([kind, count]) => {
    const properties = {
      class: kind,
      "aria-pressed": String(only === kind),
      "data-chip": `only-${kind}`,
      title: `Show the queries that are ${kind}`,
      onclick: () => choose(kind),
    };
    return h("button.count", properties, h("strong", integerText(count)), ` ${kind}`);
  });
  return cardCell(
    "Where?",
    h("p.cell-value.counts", buttons),
    h("div.share", { "aria-hidden": "true" }, parts),
    cellLine(`of ${plural(pair.queries, "query", "queries")}; select a count to see its queries`),
  );
}

/** Relevant documents found by one run and missed by the other. @param {Book} book @param {State} state */
function whyCell(book, { measure, a, b }) {
  const { reach } = book.facts.measures[measure];
  const tops = book.facts.tops[String(reach)];
  if (!tops) return null;
  const [before, after] = [tops.means[a], tops.means[b]].map((mean) => numberText(mean, 2));
  const [found, lost] = [tops.found[b][a], tops.found[a][b]];
  const words = [`${integerText(found)} found that `, a, ` missed; ${integerText(lost)} lost`];
  return cardCell(
    "Why?",
    cellValue(`${before} → ${after}`),
    cellLine(foundWords(book, reach, [a, b])),
    found || lost ? cellLine(...wordNodes(book, words)) : cellLine("the same relevant documents"),
  );
}

/** Say which relevant documents are counted; of a whole ranking also those in its top 10. @param {Book} book @param {number} reach @param {number[]} runs */
function foundWords({ facts: { tops } }, reach, runs) {
  const top = runs.map((run) => numberText(tops["10"].means[run], 2)).join(" → ");
  if (!reach) return `relevant documents found, per query; ${top} in the top 10`;
  return `relevant documents ${reach > 1 ? `in the top ${integerText(reach)}` : "at rank 1"}, per query`;
}

/** The verdict on each measure; a click chooses the measure. @param {Book} book @param {Store} store */
function measureChips(book, store) {
  const state = store.get();
  const several = book.facts.runs.length > 1;
  const list = book.facts.measures.map((of, measure) => {
    const pair = several ? viewedPair(book, { ...state, measure, slice: null }) : null;
    const tone = pair ? verdictTone(pair.verdict) : "";
    const even = pair?.verdict === "equal" || pair?.verdict === "identical";
    const apart = pair?.verdict === "not comparable";
    const sign = even ? "=" : several && (apart ? "–" : CHIP_SIGNS[tone]);
    const value = several ? "" : numberText(book.facts.summary[measure][0].mean, Math.min(3, of.places));
    const words = pair ? `${of.name}: ${pair.verdict}, ${signedText(pair.difference, ANSWER_PLACES)}` : of.name;
    const properties = {
      "aria-pressed": String(measure === state.measure),
      "data-chip": `measure-${measure}`,
      title: words,
      onclick: () => store.set({ measure }),
    };
    const mark = sign && h("span.chip-sign", { class: tone, "aria-hidden": "true" }, sign);
    const said = pair ? h("span.unseen", ` ${pair.verdict}`) : value && h("span.soft", ` ${value}`);
    return h("li", h("button.chip", properties, bdi(of.name), mark, said));
  });
  const key = several && h("li.chips-key.soft.size-13", "✓ better · = equal · ≈ not clear · ✗ worse");
  const title = book.facts.runs.length > 2 ? wordNodes(book, [state.b, " compared with ", state.a, ":"]) : "By measure";
  return [
    h("span.soft.size-13", { id: "chips-title" }, title),
    h("ul.row.wrap", { "aria-labelledby": "chips-title" }, list, key),
  ];
}

// ── one run ───────────────────────────────────────────────────────────────────────────────────────

/** @param {Book} book @param {State} state */
function singleCells(book, { measure }) {
  const of = book.facts.measures[measure];
  const { mean, low, high, queries } = book.facts.summary[measure][0];
  const text = (/** @type {number} */ value) => numberText(value, of.whole ? 0 : ANSWER_PLACES);
  const tops = book.facts.tops[String(of.reach)];
  const values = [...book.column(measure, 0)].filter(Number.isFinite).sort((x, y) => x - y);
  const [zeros, ones] = [0, 1].map((end) => integerText(values.filter((value) => value === end).length));
  const [least, most] = [values[0] ?? NaN, values.at(-1) ?? NaN].map((value) => valueText(value, of));
  const { relevant, level } = book.facts;
  const all = relevant ? relevant.reduce((sum, count) => sum + count, 0) / relevant.length : NaN;
  const known = !Number.isNaN(low);
  const over = `over ${plural(queries, "query", "queries")}`;
  const count = plural(values.length, "query", "queries");
  return [
    cardCell("How good?", cellValue(text(mean), of), of.lower && cellLine("lower is better")),
    cardCell(
      "How certain?",
      cellValue(known ? `${text(low)} to ${text(high)}` : "No interval"),
      cellLine(known ? `${percent(level)} interval ${over}` : over),
    ),
    of.unit
      ? cardCell(
        "Where?",
        cellValue(`${zeros} at 0, ${ones} at 1`),
        cellLine(`of ${count}; the table of queries begins with the worst`),
      )
      : cardCell("Where?", cellValue(`${least} to ${most}`), cellLine(`over ${count}`)),
    tops && cardCell(
      "Why?",
      cellValue(numberText(tops.means[0], 2)),
      cellLine(`${foundWords(book, of.reach, [0])}; ${numberText(all, 2)} are judged relevant`),
    ),
  ];
}

// ── A short explanation of a measure, from its declaration ──

/** The intuition, definition, formula and direction of a measure. @param {Measure} measure */
function openAbout({ name, intuition, description, formula, lower, unit, paper }) {
  const definition = plainWords(description.split(/\n\s*\n/)[0]);
  const direction = `${lower ? "Lower" : "Higher"} is better${unit ? "; values are between 0 and 1" : ""}.`;
  openDialog(
    bdi(name),
    intuition && h("p", plainWords(intuition)),
    h("p", definition),
    formula && h("p.about-formula.mono.size-14", bdi(name), " = ", plainWords(formula)),
    h("p.soft.size-14", direction, paper && ` ${paper}.`),
  );
}

/** A button that explains a measure. @param {Measure} measure */
export function aboutButton(measure) {
  const button = h("button.explain.soft.size-12.semibold", {
    "aria-label": `About ${measure.name}`,
    title: `What is ${measure.name}?`,
  }, "?");
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    openAbout(measure);
  });
  return button;
}

// ── The active filters as chips in the bar, each with a button that removes it ──

/** Return the filters that are set, and what removes each. @param {State} state @returns {{words: string, patch: Partial<State>}[]} */
export function activeFilters({ q, only, slice }) {
  const names = { better: "better", worse: "worse", same: "same", missing: "no value", "": "" };
  return [
    ...(slice === null ? [] : [{ words: sliceName(slice), patch: /** @type {Partial<State>} */ ({ slice: null }) }]),
    ...(only ? [{ words: `only ${names[only]}`, patch: /** @type {Partial<State>} */ ({ only: "" }) }] : []),
    ...(q.trim() ? [{ words: q.trim(), patch: { q: "" } }] : []),
  ];
}

/** @param {Book} book @param {Store} store @param {Selection} selection */
export function mountFilters(book, store, selection) {
  const line = byId("filters");
  const draw = () => {
    const state = store.get();
    const active = activeFilters(state);
    const left = active.length ? selection.of(state).rows.length : 0;
    fill(
      line,
      h(
        "span.filters-count.semibold",
        `${integerText(left)} of ${plural(book.facts.queries.length, "query", "queries")}:`,
      ),
      active.map(({ words, patch }) => {
        const properties = { "aria-label": `Remove the filter ${words}`, onclick: () => store.set(patch) };
        return h("button.filter-chip.chip.clip", properties, bdi(shorten(words, 48)), " ×");
      }),
    ).hidden = !active.length;
  };
  store.follow(["q", "only", "slice", "measure", "a", "b"], draw);
}
