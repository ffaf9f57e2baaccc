import { h } from "../dom/dom.js";

/**
 * The visible rows of a table: elements that are reused for other rows when it scrolls.
 *
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {(row: number) => string} text
 * @property {(row: number) => number | string} sortValue
 * @property {(row: number, old: Node | null) => Node} [cell] instead of the text; may update and return the previous node
 * @property {(row: number) => string} [tone] a class of one cell
 * @property {() => Node} [head] instead of the title
 * @property {"start" | "end"} [align]
 * @property {number} width minimum, in rem
 * @property {number} [grow] its share of the remaining space
 * @property {boolean} [rising] the first click sorts in ascending order
 * @property {string} [kind] a class of its cells
 * @property {boolean} [unprinted] left out on paper
 *
 * @typedef {{top: number, height: number, size: number, count: number}} TableView
 *   scroll position, visible height, height of a row, and number of rows
 * @typedef {{element: HTMLElement, cells: HTMLElement[]}} TableSlot
 * @typedef {{order: Int32Array, columns: Column[], active: number, current: number, size: number}} TableContent
 */

const SPARE_ROWS = 6;

/** Return the range of rows that are elements: the visible ones and some above and below. @param {TableView} view */
export function windowOf({ top, height, size, count }) {
  const from = Math.max(0, top);
  const end = Math.min(count, Math.ceil((from + height) / size) + SPARE_ROWS);
  return { first: Math.min(end, Math.max(0, Math.floor(from / size) - SPARE_ROWS)), end };
}

/** Return the smallest scroll that shows a row. @param {TableView} view @param {number} place */
export function scrollTarget({ top, height, size }, place) {
  const start = place * size;
  return start < top ? start : Math.max(top, start + size - height);
}

/**
 * Return the row that a key leads to; -1 for other keys.
 *
 * @param {string} key
 * @param {number} place
 * @param {number} count
 * @param {number} page
 */
export function placeByKey(key, place, count, page) {
  const steps = new Map([["ArrowDown", 1], ["ArrowUp", -1], ["PageDown", page], ["PageUp", -page]]);
  const step = key === "Home" ? -count : key === "End" ? count : steps.get(key);
  return step === undefined || !count ? -1 : Math.max(0, Math.min(count - 1, place + step));
}

/** The class of a cell of a column. @param {Column} column */
export function cellClass({ align = "start", kind = "", unprinted = false }) {
  return `table-cell table-${align} ${kind}${unprinted ? " table-unprinted" : ""}`;
}

/** @param {Column[]} columns @returns {TableSlot} */
function newSlot(columns) {
  const cells = columns.map((column, i) => h("div", { role: i ? "gridcell" : "rowheader", class: cellClass(column) }));
  return { element: h("div", { role: "row", class: "table-row" }, cells), cells };
}

/**
 * Update a cell in place, only if it differs, to keep scrolling smooth.
 *
 * @param {HTMLElement} cell
 * @param {Column} column
 * @param {number} row
 */
function paintCell(cell, column, row) {
  const kind = column.tone ? `${cellClass(column)} ${column.tone(row)}` : "";
  if (kind && cell.className !== kind) cell.className = kind;
  if (column.cell) {
    const node = column.cell(row, cell.firstChild);
    if (node !== cell.firstChild) cell.replaceChildren(node);
    return;
  }
  const text = column.text(row);
  if (cell.firstChild instanceof Text) cell.firstChild.data = text;
  else cell.textContent = text;
}

/** @param {TableSlot} slot @param {number} place @param {TableContent} content */
function paintSlot({ element, cells }, place, { order, columns, size }) {
  element.dataset.place = String(place);
  element.setAttribute("aria-rowindex", String(place + 2)); // row 1 is the header
  element.style.top = `${place * size}px`;
  columns.forEach((column, i) => paintCell(cells[i], column, order[place]));
}

/**
 * Set attributes only if they change, because writing them triggers style recalculation.
 *
 * @param {TableSlot} slot
 * @param {boolean} active
 * @param {boolean} current
 */
function markSlot({ element }, active, current) {
  if (element.tabIndex !== (active ? 0 : -1) || !element.hasAttribute("tabindex")) element.tabIndex = active ? 0 : -1;
  if (element.classList.contains("table-current") !== current) element.classList.toggle("table-current");
}

/** Milliseconds without scrolling before elements are reordered. */
const TABLE_REST = 200;

/** Create the scrolling part of a table. */
export function createTableBody() {
  const body = h("div", { role: "rowgroup", class: "table-body" });
  /** @type {Map<number, TableSlot>} by place in the order */
  const shown = new Map();
  let timer = 0;

  /** Remove and return the elements that are free for other rows. @param {Set<number>} needed */
  function releaseSlots(needed) {
    const found = [];
    for (const [place, slot] of shown) {
      if (needed.has(place)) continue;
      shown.delete(place);
      found.push(slot);
    }
    return found;
  }

  /**
   * Put the elements in the order of the rows, for screen readers. While scrolling they are left in place, because moving elements is
   * slow. The active one is not moved, because it would lose the focus.
   *
   * @param {number} active
   */
  function tidy(active) {
    const places = [...shown.keys()].sort((one, other) => one - other);
    const elements = places.map((place) => /** @type {TableSlot} */ (shown.get(place)).element);
    if (elements.every((element, i) => body.children[i] === element)) return;
    const pivot = shown.get(active)?.element ?? null;
    places.forEach((place, i) => {
      if (elements[i] !== pivot) body.insertBefore(elements[i], place < active ? pivot : null);
    });
  }

  return {
    element: body,

    /** Remove all elements, after a change of columns. */
    clear() {
      shown.clear();
      body.replaceChildren();
    },

    /** @param {number[]} places @param {TableContent} content @param {boolean} all whether visible rows changed, too */
    draw(places, content, all) {
      const spare = releaseSlots(new Set(places));
      for (const place of places) {
        const old = shown.get(place);
        const slot = old ?? spare.pop() ?? newSlot(content.columns);
        if (!slot.element.parentNode) body.append(slot.element);
        shown.set(place, slot);
        if (!old || all) paintSlot(slot, place, content);
        markSlot(slot, place === content.active, content.order[place] === content.current);
      }
      spare.forEach((slot) => slot.element.remove());
      body.style.height = `${content.order.length * content.size}px`;
      clearTimeout(timer);
      timer = setTimeout(tidy, TABLE_REST, content.active);
    },

    /** Reorder at once, before printing. */
    tidy,

    /** @param {number} place */
    elementAt: (place) => shown.get(place)?.element ?? null,

    /** @param {number} place */
    focus: (place) => shown.get(place)?.element.focus({ preventScroll: true }),

    /** Return the position of the row of an event, or -1. @param {Event} event */
    placeOf({ target }) {
      const element = target instanceof Element ? target.closest(".table-row") : null;
      return element instanceof HTMLElement && body.contains(element) ? Number(element.dataset.place) : -1;
    },
  };
}
