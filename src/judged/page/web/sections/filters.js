/** The active filters as chips in the bar, each with a button that removes it. */
import { integerText, plural, shorten, sliceName } from "../data/format.js";
import { bdi, byId, fill, h } from "../dom/dom.js";

/** @typedef {import("../data/state.js").State} State */

/** Return the filters that are set, and what removes each. @param {State} state @returns {{words: string, patch: Partial<State>}[]} */
export function activeFilters({ q, only, slice }) {
  const names = { better: "better", worse: "worse", same: "same", missing: "no value", "": "" };
  return [
    ...(slice === null ? [] : [{ words: sliceName(slice), patch: /** @type {Partial<State>} */ ({ slice: null }) }]),
    ...(only ? [{ words: `only ${names[only]}`, patch: /** @type {Partial<State>} */ ({ only: "" }) }] : []),
    ...(q.trim() ? [{ words: q.trim(), patch: { q: "" } }] : []),
  ];
}

/**
 * @param {import("../data/data.js").Book} book @param {import("../data/state.js").Store} store
 * @param {import("../queries/selection.js").Selection} selection
 */
export function mountFilters(book, store, selection) {
  const line = byId("filters");
  const draw = () => {
    const state = store.get();
    const active = activeFilters(state);
    const left = active.length ? selection.of(state).rows.length : 0;
    fill(
      line,
      h(
        "span",
        { class: "filters-count" },
        `${integerText(left)} of ${plural(book.facts.queries.length, "query", "queries")}:`,
      ),
      active.map(({ words, patch }) => {
        const button = h(
          "button",
          {
            type: "button",
            class: "filter-chip",
            "aria-label": `Remove the filter ${words}`,
            title: "Remove this filter",
          },
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
