/** The dialog for one query: values, rankings side by side, missed documents and arithmetic. */
import { integerText, plural } from "../data/format.js";
import { bdi, fill, h, isOutside, keepFocus, withoutDetail } from "../dom.js";
import { neighboursOf } from "./moves.js";
import { rankingsSection } from "./rankings.js";
import { alignChips, arithmeticSection, idealSection, missedSection, valuesTable } from "./tables.js";
import { changesSection } from "./waterfall.js";
/** @import { Book, Detail } from "../data/data.js" */
/** @import { Store } from "../data/state.js" */
/** @import { Way } from "../queries/queries.js" */
/** @import { QueryView } from "./tables.js" */

/**
 * @typedef {object} QueryOptions
 * @property {() => Way} way the order of the queries in the chart or table that the reader came from
 * @property {() => void} [left] called when the dialog closes
 * @property {(query: number) => HTMLElement | null | undefined} [origin]
 *   the element to focus when the dialog closes, if the previously focused one is gone
 */

/** Mount a dialog that is open while the state names a query. @param {Book} book @param {Store} store @param {QueryOptions} options */
export function mountQuery(book, store, options) {
  const panel = new QueryPanel(book, store, options);
  document.body.append(panel.dialog);
  store.subscribe(() => panel.update());
  panel.update();
}

class QueryPanel {
  /** @param {Book} book @param {Store} store @param {QueryOptions} options */
  constructor(book, store, options) {
    this.book = book;
    this.store = store;
    this.options = options;
    this.places = new Map(book.facts.queries.map((id, i) => [id, i]));
    /** @type {QueryView["memory"]} */
    this.memory = { all: false, side: "a", runs: false };
    /** The drawn state, to skip unnecessary redraws; `query` is -1 while the dialog is closed. */
    this.drawn = { query: -1, measure: -1, a: -1, b: -1 };
    this.turn = 0;
    /** @type {HTMLElement | null} */
    this.opener = null;
    this.title = h("h2", { id: "query-title", tabindex: -1 });
    this.meta = h("span");
    this.what = h("div.query-what", this.title, h("p.query-meta.soft", this.meta));
    this.values = h("section.query-section", { "aria-label": "Values" });
    this.body = h("div.query-detail");
    this.status = h("p.unseen", { role: "status" });
    this.place = h("span.query-place.soft");
    this.before = this.stepButton("←", "Previous query", -1);
    this.after = this.stepButton("→", "Next query", 1);
    this.dialog = this.makeDialog();
    alignChips(this.dialog, book.facts);
  }

  makeDialog() {
    const properties = { "aria-label": "Close", title: "Close (Esc)", onclick: () => this.leave() };
    const close = h("button.quiet.icon", properties, "×");
    const dialog = /** @type {HTMLDialogElement} */ (h(
      "dialog.query-panel.size-14",
      { "aria-labelledby": "query-title" },
      h("header.query-head", this.what, h("div.query-bar.row", this.before, this.place, this.after, close)),
      h("div.query-body", this.values, this.body),
      this.status,
    ));
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    // The browser may close the dialog itself: update the state.
    dialog.addEventListener("close", () => !dialog.open && this.drawn.query >= 0 && this.leave());
    dialog.addEventListener("keydown", (event) => this.handleKey(event));
    dialog.addEventListener("click", (event) => isOutside(dialog, event) && this.leave());
    return dialog;
  }

  /** @param {string} sign @param {string} label @param {1 | -1} step */
  stepButton(sign, label, step) {
    const onclick = () => this.go(step);
    return h("button.quiet.icon", { "aria-label": label, title: `${label} (${sign})`, onclick }, sign);
  }

  leave() {
    this.store.close({ query: "" });
  }

  /** Go to the previous or next query. @param {1 | -1} step */
  go(step) {
    const { before, after } = neighboursOf(this.options.way().order(), this.drawn.query);
    const query = step < 0 ? before : after;
    if (query !== null) this.store.set({ query: this.book.facts.queries[query] });
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    const target = event.target instanceof Element ? event.target : null;
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented);
    // Arrow keys move the cursor in a field and scroll a wide table.
    const scrolls = target?.matches(".query-scroll") && target.scrollWidth > target.clientWidth;
    if (!step || !plain || scrolls || target?.closest("input, select, textarea")) return;
    event.preventDefault();
    this.go(step);
  }

  /** Follow the state. */
  update() {
    const { query: id, measure, a, b } = this.store.get();
    const query = this.places.get(id) ?? -1;
    const second = b === a || this.book.facts.runs[b] === undefined ? -1 : b;
    const next = { query, measure, a, b: second };
    const before = this.drawn;
    this.drawn = next;
    if (query < 0) return this.close(before.query);
    if (!this.dialog.open) this.open();
    const moved = query !== before.query;
    if (moved) this.drawHead(query);
    this.drawPlace(query, moved);
    if (moved || before.measure !== measure || before.a !== a || before.b !== second) this.draw(next, moved);
  }

  open() {
    const active = document.activeElement;
    this.opener = active instanceof HTMLElement && active !== document.body ? active : null;
    this.memory = { all: false, side: "a", runs: false };
    document.documentElement.classList.add("query-open");
    this.dialog.showModal();
    this.title.focus({ preventScroll: true });
  }

  /** @param {number} last the query that was open */
  close(last) {
    this.turn++;
    if (last < 0) return;
    this.dialog.close();
    document.documentElement.classList.remove("query-open");
    this.options.left?.();
    fill(this.status);
    const back = this.opener?.isConnected ? this.opener : this.options.origin?.(last);
    back?.focus();
  }

  /** @param {number} query */
  drawHead(query) {
    const { queries, texts, relevant } = this.book.facts;
    const text = texts?.[query];
    fill(
      this.title,
      bdi(queries[query], { class: text ? "query-id" : "query-id query-alone", title: queries[query] }),
      text ? [" ", bdi(text, { class: "query-words", title: text })] : null,
    );
    const none = relevant?.[query] === 0 && `; such a query ${this.book.facts.empty}`;
    fill(this.meta, relevant ? plural(relevant[query], "relevant document") : null, none);
    this.meta.classList.toggle("query-warned", Boolean(none));
    this.dialog.scrollTop = 0;
  }

  /** Show the position of the query in the current order, which may depend on the measure. @param {number} query @param {boolean} moved */
  drawPlace(query, moved) {
    const way = this.options.way();
    const order = way.order();
    const { place, before, after } = neighboursOf(order, query);
    const words = place ? `${integerText(place)} of ${integerText(order.length)}` : "";
    fill(this.place, words, words && h("small.size-12", way.words));
    // Not `disabled`, which would take the focus from the button at the last query.
    this.before.setAttribute("aria-disabled", String(before === null));
    this.after.setAttribute("aria-disabled", String(after === null));
    if (!moved) return;
    const id = this.book.facts.queries[query];
    fill(this.status, words ? `Query ${id}, ${words} ${way.words}` : `Query ${id}`);
  }

  /** @param {{query: number, measure: number, a: number, b: number}} what @param {boolean} moved */
  async draw(what, moved) {
    const turn = ++this.turn;
    const view = { ...what, book: this.book, memory: this.memory, choose: this.store.set.bind(this.store) };
    keepFocus(this.dialog, () => fill(this.values, h("h3", "Values"), valuesTable(view)));
    if (!this.book.facts.depth) return fill(this.body, withoutDetail());
    if (moved) fill(this.body, h("p.query-lead.soft", "Loading …"));
    try {
      const detail = await this.book.detail(what.query);
      // The reader may have opened another query meanwhile.
      if (turn === this.turn) keepFocus(this.dialog, () => this.drawDetail(view, detail));
    } catch (error) {
      if (turn === this.turn) {
        fill(this.body, h("p.query-lead.soft", { role: "alert" }, `Cannot read the rankings of this query: ${error}`));
      }
    }
  }

  /** @param {QueryView} view @param {Detail} detail */
  drawDetail(view, detail) {
    const level = this.book.facts.relevance;
    fill(
      this.body,
      changesSection(view, detail, level),
      rankingsSection(view, detail, level),
      idealSection(view, detail),
      missedSection(view, detail, level),
      arithmeticSection(view, detail),
    );
  }
}
