/** The queries that gained most and lost most, with the documents that moved. */
import { viewedDifferences } from "../charts/common.js";
import { integerText, numberText, shorten, signedText } from "../data/format.js";
import { bdi, fill, h, wordNodes } from "../dom.js";
import { nameText } from "../kit/text.js";
import { documentChanges } from "../query/moves.js";
/** @import { Book, Detail } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */
/** @import { Trail } from "../queries/queries.js" */

const CHANGES_SHOWN = 5;
const REASONS_SHOWN = 2;

/** Return the queries with the largest gains and losses. @param {Book} book @param {State} state */
export function largestChanges(book, state) {
  const { queries, gains } = viewedDifferences(book, state);
  const gained = queries.filter((_, i) => gains[i] > 0).slice(0, CHANGES_SHOWN);
  const lost = queries.filter((_, i) => gains[i] < 0).slice(-CHANGES_SHOWN).reverse();
  return { gained, lost };
}

/** A change of rank: "rank 8 → 4". @param {number} before 0: not retrieved @param {number} after */
export function rankChange(before, after) {
  if (!before) return `not found → rank ${integerText(after)}`;
  return after ? `rank ${integerText(before)} → ${integerText(after)}` : `rank ${integerText(before)} → not found`;
}

/**
 * The reason for a change: the documents that moved the value most.
 *
 * @param {Detail} detail @param {State} state @param {boolean} gained @param {number} level @param {boolean} lower
 * @returns {{place: number, words: string}[]}
 */
export function changeReasons(detail, { measure, a, b }, gained, level, lower) {
  const { steps } = documentChanges(detail, a, b, measure, level);
  const sign = gained !== lower ? 1 : -1;
  const known = steps.filter(({ delta }) => sign * delta > 0);
  return known.slice(0, REASONS_SHOWN).map(({ place, before, after }) => ({
    place,
    words: `grade ${detail.grades[place] ?? "–"}: ${rankChange(before, after)}`,
  }));
}

/** @param {HTMLElement} host @param {Book} book @param {Store} store @param {Trail} trail */
export function mountChanges(host, book, store, trail) {
  let [turn, seen, explained] = [0, false, -1];
  const draw = () => {
    turn++;
    const state = store.get();
    const { gained, lost } = largestChanges(book, state);
    const [a, b] = wordNodes(book, [state.a, state.b]);
    const list = (/** @type {string} */ title, /** @type {number[]} */ queries, /** @type {boolean} */ up) =>
      h(
        "div.changes",
        h("h3", title),
        queries.length
          ? h("ol", { role: "list" }, queries.map((query) => changeItem(book, store, trail, query, up)))
          : h("p.note", up ? "No query gained." : "No query lost."),
      );
    const slice = state.slice === null ? "" : ` in ${nameText(state.slice)}`;
    const of = ` on ${book.facts.measures[state.measure].name}${slice}, with the documents that moved the value most.`;
    const note = h("p.changes-note.soft.size-13", "From ", a, " to ", b, of);
    fill(host, list("Most improved", gained, true), list("Most hurt", lost, false), note);
    explainItems();
  };
  /** Rankings are decoded when the lists are on show. */
  const explainItems = async () => {
    const [now, state] = [turn, store.get()];
    if (!book.facts.depth || !seen || explained === now) return;
    explained = now;
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (host.querySelectorAll("[data-query]"))) {
      const detail = await book.detail(Number(item.dataset.query));
      if (now !== turn) return;
      const place = /** @type {HTMLElement} */ (item.querySelector(".change-why"));
      fill(place, reasonNodes(book, detail, state, item.dataset.up === "yes"));
    }
  };
  store.follow(["measure", "a", "b", "slice"], draw);
  const observer = new IntersectionObserver((entries) => {
    seen = entries.at(-1)?.isIntersecting ?? false;
    explainItems();
  });
  observer.observe(host);
}

/** @param {Book} book @param {Detail} detail @param {State} state @param {boolean} up */
function reasonNodes(book, detail, state, up) {
  const missing = [state.a, state.b].filter((run) => !detail.rankings[run]);
  if (missing.length) {
    return missing.map((run) => h("span.change-reason", wordNodes(book, [run]), " has no ranking for this query"));
  }
  const { lower } = book.facts.measures[state.measure];
  return changeReasons(detail, state, up, book.facts.relevance, lower).map(({ place, words }) =>
    h(
      "span.change-reason",
      bdi(shorten(detail.titles[place] || detail.docs[place], 44), { title: detail.docs[place] }),
      ` (${words.replace(": ", "): ")}`,
    )
  );
}

/** @param {Book} book @param {Store} store @param {Trail} trail @param {number} query @param {boolean} up */
function changeItem(book, store, trail, query, up) {
  const state = store.get();
  const { facts } = book;
  const of = facts.measures[state.measure];
  const places = of.whole ? 0 : 3;
  const [before, after] = [state.a, state.b].map((run) => book.value(state.measure, run, query));
  const id = facts.queries[query];
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    trail.follow({ order: () => viewedDifferences(book, store.get()).queries, words: "by difference" });
    store.set({ query: id }, { push: true });
  };
  const text = facts.texts?.[query];
  return h(
    "li",
    { "data-query": query, "data-up": up ? "yes" : "no" },
    h(
      "a.change-query",
      { href: store.link({ query: id }), onclick: open },
      text ? bdi(shorten(text, 90), { title: id }) : ["Query ", bdi(shorten(id, 60), { title: id })],
    ),
    h(
      "span.change-values.soft.size-14.nowrap",
      `${numberText(before, places)} → ${numberText(after, places)} `,
      h("strong", { class: up ? "better" : "worse" }, signedText(after - before, places)),
    ),
    h("span.change-why.soft.size-13.anywhere"),
  );
}
