/** Two rankings of one query side by side. */
import { integerText, plural, shorten, valueText } from "../data/format.js";
import { bdi, fill, h, runDot, toggleButton } from "../dom.js";
import { cutoffOf, moveHint, movesOf, moveTone, ranksShown } from "./moves.js";
import { docName, gradeChip, noAnswer, querySelect, runsOfView } from "./tables.js";
import { markedWords, wordsOf } from "./words.js";
/** @import { Detail, Ranking } from "../data/data.js" */
/** @import { Move } from "./moves.js" */
/** @import { QueryView } from "./tables.js" */

/**
 * @typedef {{side: "a" | "b", run: number, ranking: Ranking | null, moves: Move[] | null, list: HTMLElement, rows: HTMLElement[]}} Side
 *   one list; moves: null if there is no other list
 * @typedef {{view: QueryView, detail: Detail, level: number, cutoff: number, sides: Side[], grid: HTMLElement}} Lists
 */

const SHORT_TEXT = 80; // it fits two lines of a phone

/** @param {QueryView} view @param {Detail} detail @param {number} level the lowest relevant grade */
export function rankingsSection(view, detail, level) {
  const cutoff = cutoffOf(view.book.facts.measures[view.measure].name);
  const grid = h("div.query-lists");
  const lists = { view, detail, level, cutoff, sides: sidesOf(view, detail), grid };
  const { sides } = lists;
  grid.classList.toggle("query-two", sides.length > 1);
  grid.dataset.side = sides.length > 1 ? view.memory.side : "a";
  const longest = Math.max(0, ...sides.map((side) => side.ranking?.docs.length ?? 0));
  const few = ranksShown(cutoff, longest, false);
  fill(grid, sides.map((side) => sideHead(lists, side)), cutoffLine(lists, longest), sides.map((side) => side.list));
  const show = (/** @type {boolean} */ all) => {
    view.memory.all = all;
    showRanks(lists, ranksShown(cutoff, longest, all), longest);
    return all ? `Show the first ${few} ranks` : `Show all ${integerText(longest)} ranks`;
  };
  const fold = few < longest ? toggleButton(view.memory.all, show) : null;
  if (!fold) show(view.memory.all);
  const go = (/** @type {Side} */ side, /** @type {number} */ rank) => {
    if (rank > few && !view.memory.all) fold?.click();
    goTo(lists, side.side === "a" ? "b" : "a", rank);
  };
  grid.addEventListener("click", (event) => handleClick(lists, event, go));
  lightTwins(grid);
  return h(
    "section.query-section",
    { "aria-labelledby": "query-rankings" },
    h("h3", { id: "query-rankings" }, sides.length > 1 ? "Rankings" : "Ranking"),
    sides.length > 1 && tabsOf(lists),
    grid,
    fold,
    h("div.query-sides.query-two", sides.map((side) => sideFoot(view, side))),
  );
}

/** @param {QueryView} view @param {Detail} detail @returns {Side[]} */
function sidesOf(view, detail) {
  const runs = runsOfView(view);
  const rankings = runs.map((run) => detail.rankings[run] ?? null);
  return runs.map((run, i) => {
    const [here, there] = [rankings[i], rankings[1 - i] ?? null];
    const side = /** @type {"a" | "b"} */ (i ? "b" : "a");
    const moves = here && there ? movesOf(here, there, detail.grades, i === 0) : null;
    const label = `Ranking of ${view.book.facts.runs[run]}`;
    const list = here
      ? h("ol.query-list", { role: "list", "aria-label": label, "data-side": side })
      : h("p.query-lead.soft", { "data-side": side }, noAnswer(view.book.facts.runs[run]));
    return { side, run, ranking: here, moves, list, rows: [] };
  });
}

/** The head of a list: a select for the run, and its value. @param {Lists} lists @param {Side} side */
function sideHead({ view }, { side, run }) {
  const { facts } = view.book;
  const measure = facts.measures[view.measure];
  const value = valueText(view.book.value(view.measure, run, view.query), measure);
  const name = facts.runs.length > 1
    ? runSelect(view, side)
    : bdi(facts.runs[run], { class: "query-doctitle semibold" });
  return h(
    "div.query-listhead.row",
    { "data-side": side },
    runDot(view.book, run, view),
    name,
    h("span.query-value.bold", h("span.query-note.soft.size-12", bdi(measure.name)), " ", value),
  );
}

/** @param {QueryView} view @param {"a" | "b"} side */
function runSelect(view, side) {
  const label = `Run on the ${side === "a" ? "left" : "right"}`;
  return querySelect(label, `run-${side}`, view.book.facts.runs, view[side], (run) => view.choose({ [side]: run }));
}

/** Tabs for phones, where one list is visible at a time. @param {Lists} lists */
function tabsOf(lists) {
  const { view, sides } = lists;
  const buttons = sides.map((side) =>
    h(
      "button.query-tab.row.fill.soft",
      {
        "data-side": side.side,
        "aria-pressed": String(view.memory.side === side.side),
        onclick: () => turnTo(lists, side.side),
      },
      runDot(view.book, side.run, view),
      bdi(view.book.facts.runs[side.run], { class: "clip" }),
    )
  );
  return h("div.query-tabs.box", { role: "group", "aria-label": "List" }, buttons);
}

/** @param {Lists} lists @param {"a" | "b"} side */
function turnTo({ view, grid }, side) {
  view.memory.side = side;
  grid.dataset.side = side;
  for (const tab of grid.parentElement?.querySelectorAll(".query-tab") ?? []) {
    tab.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (tab).dataset.side === side));
  }
}

/** Return the grid row of a rank, after the head and the cutoff line. @param {Lists} lists @param {number} rank */
function gridRow({ cutoff }, rank) {
  return rank + 1 + Number(cutoff > 0 && rank > cutoff);
}

/** A line at the cutoff of the measure. @param {Lists} lists @param {number} longest */
function cutoffLine(lists, longest) {
  if (!lists.cutoff || lists.cutoff >= longest) return null;
  const { name } = lists.view.book.facts.measures[lists.view.measure];
  const line = h("p.query-cutoff.row.soft.size-12", h("span", "cutoff of ", bdi(name)));
  line.style.gridRow = String(lists.cutoff + 2);
  return line;
}

/** Show rows down to a rank, creating them on first use. @param {Lists} lists @param {number} last @param {number} longest */
function showRanks(lists, last, longest) {
  for (const side of lists.sides) {
    const wanted = Math.min(last, side.ranking?.docs.length ?? 0);
    while (side.rows.length < wanted) side.rows.push(rankedRow(lists, side, side.rows.length + 1));
    if (side.ranking) side.list.append(...side.rows);
    else side.list.style.gridRow = `2 / span ${Math.max(1, last)}`;
    side.rows.forEach((row, i) => row.hidden = i >= last);
  }
  const line = /** @type {HTMLElement | null} */ (lists.grid.querySelector(".query-cutoff"));
  if (line) line.hidden = lists.cutoff >= last && last < longest;
}

/** @param {Lists} lists @param {Side} side @param {number} rank */
function rankedRow(lists, side, rank) {
  const { detail, view } = lists;
  const words = wordsOf(view.book.facts.texts?.[view.query] ?? "");
  const place = /** @type {Ranking} */ (side.ranking).docs[rank - 1];
  const text = detail.texts[place];
  const more = h("button.query-quiet.query-more.size-12", { "aria-expanded": "false" }, "more");
  const row = h(
    "li.query-row",
    { "data-place": place, "data-rank": rank, "data-side": side.side },
    h("span.query-rank.soft.end", h("span.unseen", "rank "), rank),
    gradeChip(detail.grades[place], view.book.facts),
    h("p.clamp.query-doc", docName(detail, place, (title) => markedWords(title, words))),
    side.moves && hintOf(lists, side, side.moves[rank - 1], place),
    h(
      "div.query-main",
      text && h("p.clamp.query-text.fill.soft.size-13", { dir: "auto" }, markedWords(text, words)),
      (text ?? "").length + (detail.titles[place] ?? "").length > SHORT_TEXT && more,
    ),
  );
  row.style.gridRow = String(gridRow(lists, rank));
  return row;
}

/** The rank of the document in the other list, as text. @param {Lists} lists @param {Side} side @param {Move} move @param {number} place */
function hintOf({ view, detail, level, sides }, side, move, place) {
  const hereIsA = side.side === "a";
  const other = sides[hereIsA ? 1 : 0];
  const name = shorten(view.book.short[other.run], 16);
  const { arrow, words } = moveHint(move, other.ranking?.docs.length ?? 0, name);
  const tone = moveTone(move, detail.grades[place], level, hereIsA);
  const seen = [arrow && h("span", { "aria-hidden": "true" }, `${arrow} `), words];
  const told = tone === "better" || tone === "worse";
  const look = `query-hint ${told ? `bold ${tone}` : "soft"}`;
  if (!move.onPage) return h("span", { class: look }, seen);
  return h("button", { class: look, "data-twin": move.twin }, seen);
}

/** Handle a click: a hint leads to the same document in the other list, a text expands. @param {Lists} lists @param {Event} event @param {(side: Side, rank: number) => void} go */
function handleClick(lists, event, go) {
  const target = /** @type {Element} */ (event.target);
  const row = /** @type {HTMLElement | null} */ (target.closest(".query-row"));
  if (!row) return;
  const hint = /** @type {HTMLElement | null} */ (target.closest("[data-twin]"));
  const side = lists.sides.find((one) => one.side === row.dataset.side);
  if (hint && side) return go(side, Number(hint.dataset.twin));
  const more = row.querySelector(".query-more");
  const selecting = document.getSelection()?.isCollapsed === false;
  if (!(more instanceof HTMLElement) || selecting || !target.closest(".query-main, .query-doc")) return;
  const open = row.classList.toggle("query-unfolded");
  more.setAttribute("aria-expanded", String(open));
  fill(more, open ? "less" : "more");
}

/** @param {Lists} lists @param {"a" | "b"} side @param {number} rank */
function goTo(lists, side, rank) {
  turnTo(lists, side);
  const row = lists.sides.find((one) => one.side === side)?.rows[rank - 1];
  const hint = row?.querySelector("[data-twin]");
  if (hint instanceof HTMLElement) hint.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "center" });
}

/** State how much of a ranking is on the page. @param {QueryView} view @param {Side} side */
function sideFoot(view, { run, ranking }) {
  if (!ranking) return h("p");
  const held = ranking.docs.length;
  const words = held < ranking.retrieved ? `; this page contains the first ${integerText(held)}` : "";
  const count = plural(ranking.retrieved, "document");
  return h("p.query-note.soft.size-12", bdi(shorten(view.book.facts.runs[run], 60)), ` retrieved ${count}${words}.`);
}

/** Highlight the hovered or focused document in both lists. @param {HTMLElement} grid */
function lightTwins(grid) {
  /** @type {string | undefined} */
  let lit;
  const light = (/** @type {string | undefined} */ place) => {
    if (place === lit) return;
    lit = place;
    for (const old of grid.querySelectorAll(".query-lit")) old.classList.remove("query-lit");
    for (const twin of place === undefined ? [] : grid.querySelectorAll(`[data-place="${place}"]`)) {
      twin.classList.add("query-lit");
    }
  };
  const under = (/** @type {Event} */ event) => {
    const row = event.target instanceof Element ? event.target.closest(".query-row") : null;
    light(row instanceof HTMLElement ? row.dataset.place : undefined);
  };
  // Only pointer moves count: rows that scroll under a resting pointer are ignored.
  grid.addEventListener("pointermove", under);
  grid.addEventListener("focusin", under);
  grid.addEventListener("pointerleave", () => light(undefined));
  grid.addEventListener("focusout", () => light(undefined));
}
