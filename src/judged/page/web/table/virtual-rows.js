import { h } from "../dom/dom.js";

/**
 * The rows of a table that are in view: elements that show other rows when it scrolls.
 *
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {(row: number) => string} text
 * @property {(row: number) => number | string} sortValue
 * @property {(row: number, old: Node | null) => Node} [cell] instead of the text; it may change and give back the node that it gave before
 * @property {(row: number) => string} [tone] a class of one cell
 * @property {() => Node} [head] instead of the title
 * @property {"start" | "end"} [align]
 * @property {number} width the least, in rem
 * @property {number} [grow] its share of the room that is left
 * @property {boolean} [rising] the first click sorts from low to high
 * @property {string} [kind] a class of its cells
 *
 * @typedef {{top: number, height: number, size: number, count: number}} TableView
 *   where it is scrolled to, the height of what is seen, the height of a row, and how many rows there are
 * @typedef {{element: HTMLElement, cells: HTMLElement[]}} TableSlot
 * @typedef {{order: Int32Array, columns: Column[], active: number, current: number, size: number}} TableContent
 */

const SPARE_ROWS = 6;

/** The rows that are elements, from the first to before the end: those in view, and some above and below. @param {TableView} view */
export function windowOf({ top, height, size, count }) {
  const from = Math.max(0, top);
  const end = Math.min(count, Math.ceil((from + height) / size) + SPARE_ROWS);
  return { first: Math.min(end, Math.max(0, Math.floor(from / size) - SPARE_ROWS)), end };
}

/** Where to scroll to see a row, as little as possible. @param {TableView} view @param {number} place */
export function scrollTarget({ top, height, size }, place) {
  const start = place * size;
  return start < top ? start : Math.max(top, start + size - height);
}

/**
 * Where a key leads from a row; -1 for keys that lead nowhere.
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
export function cellClass({ align = "start", kind = "" }) {
  return `table-cell table-${align} ${kind}`;
}

/** @param {Column[]} columns @returns {TableSlot} */
function newSlot(columns) {
  const cells = columns.map((column, i) => h("div", { role: i ? "gridcell" : "rowheader", class: cellClass(column) }));
  return { element: h("div", { role: "row", class: "table-row" }, cells), cells };
}

/**
 * Cells are changed in place, and only where they differ: that is what makes scrolling smooth.
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
  element.setAttribute("aria-rowindex", String(place + 2)); // the first is the row of headers
  element.style.top = `${place * size}px`;
  columns.forEach((column, i) => paintCell(cells[i], column, order[place]));
}

/**
 * Attributes that do not change are not written: the browser would look for their effects.
 *
 * @param {TableSlot} slot
 * @param {boolean} active
 * @param {boolean} current
 */
function markSlot({ element }, active, current) {
  if (element.tabIndex !== (active ? 0 : -1) || !element.hasAttribute("tabindex")) element.tabIndex = active ? 0 : -1;
  if (element.classList.contains("table-current") !== current) element.classList.toggle("table-current");
}

/** How long the table rests before its elements are put in order, in milliseconds. */
const TABLE_REST = 200;

/** The part of a table that scrolls. */
export function createTableBody() {
  const body = h("div", { role: "rowgroup", class: "table-body" });
  /** @type {Map<number, TableSlot>} by place in the order */
  const shown = new Map();
  let timer = 0;

  /** Which elements can show other rows now. @param {Set<number>} wanted */
  function releaseSlots(wanted) {
    const found = [];
    for (const [place, slot] of shown) {
      if (wanted.has(place)) continue;
      shown.delete(place);
      found.push(slot);
    }
    return found;
  }

  /**
   * Elements that show other rows than before stay where they were among their neighbours, since moving them costs more than all else. A
   * screen reader reads them as they stand: so they are put in order once the table rests, around the active one, which would lose the focus.
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

    /** The columns are others: so are all elements. */
    clear() {
      shown.clear();
      body.replaceChildren();
    },

    /** @param {number[]} places @param {TableContent} content @param {boolean} all whether rows that are shown already have changed, too */
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

    /** At once, before the table is printed. */
    tidy,

    /** @param {number} place */
    elementAt: (place) => shown.get(place)?.element ?? null,

    /** @param {number} place */
    focus: (place) => shown.get(place)?.element.focus({ preventScroll: true }),

    /** The place of the row that an event happened in, or -1. @param {Event} event */
    placeOf({ target }) {
      const element = target instanceof Element ? target.closest(".table-row") : null;
      return element instanceof HTMLElement && body.contains(element) ? Number(element.dataset.place) : -1;
    },
  };
}
