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
import { linearScale } from "../kit/scale.js";
import { crisp, emptyScene, intervalMarks } from "../kit/scene.js";
import { toSvg } from "../kit/svg.js";
/** @import { Book, Measure, Pair } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */
/** @import { Selection } from "../queries/queries.js" */

const ANSWER_PLACES = 3;
const STRIP_WIDTH = 240;
const STRIP_HEIGHT = 30;

/** @type {Record<string, {sign: string, tone: string}>} */
const CHIP_SIGNS = {
  better: { sign: "✓", tone: "better" },
  "wins more queries": { sign: "✓", tone: "better" },
  worse: { sign: "✗", tone: "worse" },
  "loses more queries": { sign: "✗", tone: "worse" },
  equal: { sign: "=", tone: "" },
  identical: { sign: "=", tone: "" },
};

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

/** @param {string} title @param {(Node | string | false | null)[]} content @param {string} [kind] */
function cardCell(title, content, kind = "") {
  return h("div", { class: `cell ${kind}` }, h("dt", title), h("dd", content));
}

/** @param {...(Node | string)} words */
const cellLine = (...words) => h("p.cell-line.soft.size-14", words);

// ── two runs ──────────────────────────────────────────────────────────────────────────────────────

/** @param {Book} book @param {Store} store @param {() => void} showQueries */
function pairCells(book, store, showQueries) {
  const state = store.get();
  const pair = viewedPair(book, { ...state, slice: null });
  if (!pair) return [];
  return [
    muchCell(book, state, pair),
    cardCell("How certain?", [
      h("p.cell-value", pair.sure.short),
      ...pair.sure.long.map((line) => cellLine(line)),
    ], "sure"),
    whereCell(pair, store, showQueries),
    whyCell(book, state),
  ];
}

/** @param {Book} book @param {State} state @param {Pair} pair */
function muchCell(book, { measure, a, b }, pair) {
  const of = book.facts.measures[measure];
  const [text, mean] = [signedText, numberText].map((format) => (/** @type {number} */ value) =>
    format(value, ANSWER_PLACES)
  );
  const share = pair.relative[0] === null ? "" : ` (${signedPercent(pair.relative[0])})`;
  const known = !Number.isNaN(pair.low);
  const tone = verdictTone(pair.verdict);
  return cardCell("By how much?", [
    h(
      "p",
      { class: `cell-value ${tone}` },
      text(pair.difference),
      " ",
      h("span.cell-unit", bdi(of.name), aboutButton(of)),
    ),
    h(
      "p.cell-line.soft.size-14",
      ...wordNodes(book, [a, ` ${mean(pair.mean_a)} → `, b, ` ${mean(pair.mean_b)}${share}`]),
      of.lower && "; lower is better",
    ),
    known && differenceStrip(pair, tone || "soft", `${book.facts.runs[b]} minus ${book.facts.runs[a]}`),
    known && cellLine(`${text(pair.low)} to ${text(pair.high)}: ${book.facts.intervals.all}`),
  ], "much");
}

/** The difference and its interval against 0. @param {Pair} pair @param {string} colour @param {string} what */
function differenceStrip({ low, high, difference }, colour, what) {
  const [least, most] = [Math.min(0, low), Math.max(0, high)];
  const room = 0.06 * (most - least) || 1;
  const x = linearScale([least - room, most + room], [0, STRIP_WIDTH]);
  const scene = emptyScene(STRIP_WIDTH, STRIP_HEIGHT, "");
  const zero = crisp(x.at(0));
  scene.marks.push(
    { kind: "line", x1: 0, x2: STRIP_WIDTH, y1: 12.5, y2: 12.5, stroke: "faint", width: 1 },
    { kind: "line", x1: zero, x2: zero, y1: 3, y2: 20, stroke: "ink", width: 1 },
    {
      kind: "text",
      x: Math.max(6, Math.min(STRIP_WIDTH - 6, zero)),
      y: 29,
      text: "0",
      size: 10,
      fill: "soft",
      anchor: "middle",
    },
    ...intervalMarks({
      low: x.at(low),
      high: x.at(high),
      at: x.at(difference),
      y: 12.5,
      colour,
      hollow: colour === "soft",
    }),
  );
  const svg = toSvg(scene);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Interval of the difference, ${what}, against 0`);
  svg.setAttribute("class", "strip");
  return svg;
}

/** Won, same and lost queries, as one bar; a click filters. @param {Pair} pair @param {Store} store @param {() => void} showQueries */
function whereCell(pair, store, showQueries) {
  /** @type {[State["only"], string, number][]} */
  const counts = [["better", "better", pair.wins], ["same", "same", pair.ties], ["worse", "worse", pair.losses]];
  const { only } = store.get();
  const bar = h(
    "div.share",
    { "aria-hidden": "true" },
    counts.map(([kind, , count]) => {
      const part = h("span", { class: kind });
      part.style.flexGrow = String(count);
      return part;
    }),
  );
  const buttons = counts.map(([kind, word, count]) =>
    h(
      "button",
      {
        class: `count ${kind}`,
        "aria-pressed": String(only === kind),
        "data-chip": `only-${kind}`,
        title: `Show the queries that are ${word}`,
        onclick: () => {
          store.set({ only: store.get().only === kind ? "" : kind });
          if (store.get().only) showQueries();
        },
      },
      h("strong", integerText(count)),
      ` ${word}`,
    )
  );
  return cardCell("Where?", [
    h("p.cell-value.counts", buttons),
    bar,
    cellLine(`of ${plural(pair.queries, "query", "queries")}; select a count to see its queries`),
  ], "where");
}

/** Relevant documents found by one run and missed by the other. @param {Book} book @param {State} state */
function whyCell(book, { measure, a, b }) {
  const { reach } = book.facts.measures[measure];
  const tops = book.facts.tops[String(reach)];
  if (!tops) return null;
  const [before, after] = [tops.means[a], tops.means[b]].map((mean) => numberText(mean, 2));
  const [found, lost] = [tops.found[b][a], tops.found[a][b]];
  return cardCell("Why?", [
    h("p.cell-value", `${before} → ${after}`),
    cellLine(`relevant documents in the top ${integerText(reach)}, per query`),
    found || lost
      ? h(
        "p.cell-line.soft.size-14",
        `${integerText(found)} found that `,
        ...wordNodes(book, [a]),
        ` missed; ${integerText(lost)} lost`,
      )
      : cellLine("the same relevant documents"),
  ], "why");
}

/** The verdict on each measure; a click chooses the measure. @param {Book} book @param {Store} store */
function measureChips(book, store) {
  const state = store.get();
  const several = book.facts.runs.length > 1;
  const list = book.facts.measures.map((of, measure) => {
    const pair = several ? viewedPair(book, { ...state, measure, slice: null }) : null;
    const { sign, tone } = CHIP_SIGNS[pair?.verdict ?? ""] ?? { sign: several ? "≈" : "", tone: "" };
    const value = several ? "" : numberText(book.facts.summary[measure][0].mean, Math.min(3, of.places));
    const words = pair ? `${of.name}: ${pair.verdict}, ${signedText(pair.difference, ANSWER_PLACES)}` : of.name;
    return h(
      "li",
      h(
        "button.chip",
        {
          "aria-pressed": String(measure === state.measure),
          "data-chip": `measure-${measure}`,
          title: words,
          onclick: () => store.set({ measure }),
        },
        bdi(of.name),
        sign && h("span", { class: `chip-sign ${tone}`, "aria-hidden": "true" }, sign),
        pair && h("span.unseen", ` ${pair.verdict}`),
        value && h("span.soft", ` ${value}`),
      ),
    );
  });
  const key = several && h("li.chips-key.soft.size-13", "✓ better · = equal · ≈ not clear · ✗ worse");
  return [
    h(
      "span.chips-title.soft.size-13",
      { id: "chips-title" },
      several && book.facts.runs.length > 2
        ? wordNodes(book, [state.b, " compared with ", state.a, ":"])
        : "By measure",
    ),
    h("ul.row.wrap", { "aria-labelledby": "chips-title" }, list, key),
  ];
}

// ── one run ───────────────────────────────────────────────────────────────────────────────────────

/** @param {Book} book @param {State} state */
function singleCells(book, { measure }) {
  const of = book.facts.measures[measure];
  const { mean, low, high, queries } = book.facts.summary[measure][0];
  const places = of.whole ? 0 : ANSWER_PLACES;
  const tops = book.facts.tops[String(of.reach)];
  const values = [...book.column(measure, 0)].filter(Number.isFinite);
  const [zeros, ones] = [0, 1].map((end) => values.filter((value) => value === end).length);
  const least = [...values].sort((x, y) => x - y);
  const relevant = book.facts.relevant;
  const all = relevant ? relevant.reduce((sum, count) => sum + count, 0) / relevant.length : NaN;
  return [
    cardCell("How good?", [
      h("p.cell-value", numberText(mean, places), " ", h("span.cell-unit", bdi(of.name), aboutButton(of))),
      of.lower && cellLine("lower is better"),
    ]),
    cardCell("How certain?", [
      h(
        "p.cell-value",
        Number.isNaN(low) ? "No interval" : `${numberText(low, places)} to ${numberText(high, places)}`,
      ),
      cellLine(
        `${Number.isNaN(low) ? "" : `${percent(book.facts.level)} interval `}over ${
          plural(queries, "query", "queries")
        }`,
      ),
    ]),
    cardCell(
      "Where?",
      of.unit
        ? [
          h("p.cell-value", `${integerText(zeros)} at 0, ${integerText(ones)} at 1`),
          cellLine(`of ${plural(values.length, "query", "queries")}; the table of queries begins with the worst`),
        ]
        : [
          h("p.cell-value", `${valueText(least[0] ?? NaN, of)} to ${valueText(least.at(-1) ?? NaN, of)}`),
          cellLine(`over ${plural(values.length, "query", "queries")}`),
        ],
    ),
    tops
      ? cardCell("Why?", [
        h("p.cell-value", numberText(tops.means[0], 2)),
        cellLine(
          `relevant documents in the top ${integerText(of.reach)}, per query; ${
            numberText(all, 2)
          } are judged relevant`,
        ),
      ])
      : null,
  ];
}

// ── A short explanation of a measure, from its declaration ──

/** The lines of an explanation: intuition, definition, formula, direction. @param {Measure} measure */
export function aboutLines({ intuition, description, formula, lower, unit, paper }) {
  const definition = plainWords(description.split(/\n\s*\n/)[0]);
  const range = unit ? "Values are between 0 and 1; " : "";
  const direction = lower ? "lower is better." : "higher is better.";
  return {
    lead: plainWords(intuition) || definition,
    definition: intuition ? definition : "",
    formula: plainWords(formula),
    range: range ? range + direction : direction[0].toUpperCase() + direction.slice(1),
    paper,
  };
}

/** @param {Measure} measure */
function openAbout(measure) {
  const { lead, definition, formula, range, paper } = aboutLines(measure);
  openDialog(
    bdi(measure.name),
    h("p", lead),
    definition && h("p", definition),
    formula && h("p.about-formula.mono.size-14", bdi(measure.name), " = ", formula),
    h("p.soft.size-14", range, paper && ` ${paper}.`),
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
        const button = h(
          "button.filter-chip.chip.clip",
          { "aria-label": `Remove the filter ${words}`, title: "Remove this filter" },
          bdi(shorten(words, 48)),
          " ×",
        );
        button.addEventListener("click", () => store.set(patch));
        return button;
      }),
    ).hidden = !active.length;
  };
  store.subscribe((_, changed) =>
    ["q", "only", "slice", "measure", "a", "b"].some((key) => changed.includes(/** @type {keyof State} */ (key))) &&
    draw()
  );
  draw();
}
