/** The queries that gained most and lost most, with the documents that moved; of one run, those with the worst values. */
import { viewedDifferences, viewedQueries } from "../charts/common.js";
import { integerText, numberText, plural, shorten, signedText } from "../data/format.js";
import { bdi, fill, h, wordNodes } from "../dom.js";
import { nameText } from "../kit/text.js";
import { documentChanges } from "../query/moves.js";
/** @import { Book, Detail, Ranking } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */
/** @import { Trail } from "../queries/queries.js" */

const CHANGES_SHOWN = 5;
const WORST_SHOWN = 10;
const REASONS_SHOWN = 2;

/** @typedef {{title: string, up: boolean, all: number[], shown: number[], ties: string}} Changes the queries of a list, and those that are shown */

/** Return the queries from the largest gain and from the largest loss; of one run, from the worst value. @param {Book} book @param {State} state @returns {Changes[]} */
export function changeLists(book, state) {
  const of = book.facts.measures[state.measure];
  const [before, after] = [book.column(state.measure, state.a), book.column(state.measure, state.b)];
  const single = book.facts.runs.length === 1;
  const sign = of.lower ? -1 : 1;
  const size = (/** @type {number} */ query) => single ? after[query] : after[query] - before[query];
  /** @param {string} title @param {boolean} up @param {(size: number) => boolean} kept @param {number} count */
  const list = (title, up, kept, count) => {
    const turn = up ? -sign : sign;
    const all = viewedQueries(book, state).filter((query) => kept(sign * size(query)));
    all.sort((x, y) => turn * (size(x) - size(y)) || x - y);
    const [shown, last] = [all.slice(0, count), size(all[count - 1])];
    const [tied, seen] = [all, shown].map((queries) => queries.filter((query) => size(query) === last).length);
    const value = single ? numberText(last, of.whole ? 0 : 3) : signedText(last, of.whole ? 0 : 3);
    const ties = tied > seen
      ? `${integerText(tied)} of ${plural(all.length, "query", "queries")} have ${value}; the first ${seen} are shown.`
      : "";
    return { title, up, all, shown, ties };
  };
  if (single) {
    return [list(`From the ${of.lower ? "highest" : "lowest"} ${of.name}`, false, Number.isFinite, WORST_SHOWN)];
  }
  const [gained, lost] = [(/** @type {number} */ gain) => gain > 0, (/** @type {number} */ gain) => gain < 0];
  return [list("Most improved", true, gained, CHANGES_SHOWN), list("Most hurt", false, lost, CHANGES_SHOWN)];
}

/** A change of rank: "rank 8 → 4". @param {number} before 0: not retrieved @param {number} after */
export function rankChange(before, after) {
  if (!before) return `not found → rank ${integerText(after)}`;
  return after ? `rank ${integerText(before)} → ${integerText(after)}` : `rank ${integerText(before)} → not found`;
}

/** The reason for a change: the documents that moved the value most. @param {Detail} detail @param {State} state @param {boolean} gained @param {number} level @param {boolean} lower @returns {{place: number, words: string}[]} */
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
    const [a, b] = wordNodes(book, [state.a, state.b]);
    const lists = changeLists(book, state).map(({ title, up, all, shown, ties }) =>
      h(
        "div.changes",
        h("h3", title),
        shown.length
          ? h("ol", { role: "list" }, shown.map((query) => changeItem(book, store, trail, query, up, all)))
          : h("p.note", up ? "No query gained." : "No query lost."),
        ties && h("p.note", ties),
      )
    );
    const slice = state.slice === null ? "" : ` in ${nameText(state.slice)}`;
    const of = ` on ${book.facts.measures[state.measure].name}${slice}, with the documents that moved the value most.`;
    const note = lists.length > 1 && h("p.changes-note.soft.size-13", "From ", a, " to ", b, of);
    fill(host, ...lists, note);
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

/** Say where the relevant documents of the first run are. @param {Detail} detail @param {number} level */
export function rankWords({ grades, rankings }, level) {
  const relevant = (/** @type {number} */ place) => (grades[place] ?? NaN) >= level;
  const { docs, below } = /** @type {Ranking} */ (rankings[0]);
  const ranks = docs.flatMap((place, i) => relevant(place) ? [i + 1] : []);
  ranks.push(...below.flatMap(([place, rank]) => relevant(place) ? [rank] : []));
  const all = plural(grades.filter((_, place) => relevant(place)).length, "relevant document");
  const few = ranks.slice(0, 5).map(integerText).join(", ") + (ranks.length > 5 ? " …" : "");
  return [`${all}; ${ranks.length ? `found at rank ${few}` : "none found"}`];
}

/** @param {Book} book @param {Detail} detail @param {State} state @param {boolean} up */
function reasonNodes(book, detail, state, up) {
  const missing = [...new Set([state.a, state.b])].filter((run) => !detail.rankings[run]);
  if (missing.length) {
    return missing.map((run) => h("span.change-reason", wordNodes(book, [run]), " has no ranking for this query"));
  }
  if (state.a === state.b) return rankWords(detail, book.facts.relevance);
  const { lower } = book.facts.measures[state.measure];
  return changeReasons(detail, state, up, book.facts.relevance, lower).map(({ place, words }) =>
    h(
      "span.change-reason",
      bdi(shorten(detail.titles[place] || detail.docs[place], 44), { title: detail.docs[place] }),
      ` (${words.replace(": ", "): ")}`,
    )
  );
}

/** @param {Book} book @param {Store} store @param {Trail} trail @param {number} query @param {boolean} up @param {number[]} all queries of the list */
function changeItem(book, store, trail, query, up, all) {
  const state = store.get();
  const { facts } = book;
  const of = facts.measures[state.measure];
  const places = of.whole ? 0 : 3;
  const [before, after] = [state.a, state.b].map((run) => book.value(state.measure, run, query));
  const id = facts.queries[query];
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (state.a === state.b) trail.follow({ order: () => all, words: "from the worst" });
    else trail.follow({ order: () => viewedDifferences(book, store.get()).queries, words: "by difference" });
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
      state.a === state.b ? h("strong", numberText(after, places)) : [
        `${numberText(before, places)} → ${numberText(after, places)} `,
        h("strong", { class: up ? "better" : "worse" }, signedText(after - before, places)),
      ],
    ),
    h("span.change-why.soft.size-13.anywhere"),
  );
}
