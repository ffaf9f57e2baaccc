import { cellClass, createTableBody, placeByKey, scrollTarget, windowOf } from "./virtual-rows.js";
import { plural } from "../data/format.js";
import { fill, h } from "../dom/dom.js";
import { sortRows } from "./sort.js";

/**
 * A table of any number of rows, of which only visible rows are elements.
 *
 * @typedef {import("./virtual-rows.js").Column} Column
 * @typedef {import("./sort.js").Rows} Rows
 * @typedef {object} TableOptions
 * @property {Column[]} columns
 * @property {Rows} rows
 * @property {string} label
 * @property {[string, string]} noun singular and plural of a row
 * @property {string} [sort] the key of a column; without it rows are not sorted
 * @property {boolean} [down]
 * @property {(row: number) => number} [sortValue] the order of the rows if `sort` is no column
 * @property {boolean} [tall] rows have two lines
 * @property {number} [current] the row of the open query, or -1
 * @property {(row: number) => void} onOpen
 * @property {(key: string, down: boolean) => void} [onSort] called when a header is clicked; without it the table sorts itself
 */

const PRINTED_ROWS = 100;
const HEAD_KEYS = new Map([["ArrowRight", "ArrowDown"], ["ArrowLeft", "ArrowUp"], ["Home", "Home"], ["End", "End"]]);

/** @param {Rows} one @param {Rows} other */
function sameRows(one, other) {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/**
 * Set the column widths. Each row is a grid with the same tracks.
 *
 * @param {HTMLElement} grid
 * @param {Column[]} columns
 */
function setTracks(grid, columns) {
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  const tracks = {
    "--table-tracks": columns.map(({ width, grow = 0.001 }) => `minmax(${width}rem, ${grow}fr)`).join(" "),
    "--table-tracks-print": columns.filter(({ unprinted }) => !unprinted).map(({ width, grow = 0 }) =>
      `minmax(0, ${grow >= 1 ? 16 : Math.min(width, 6.5)}fr)`
    ).join(" "),
    "--table-least": `${least}rem`,
  };
  for (const [name, value] of Object.entries(tracks)) grid.style.setProperty(name, value);
}

/**
 * Create a table. Arrow keys move between rows, Enter or a click opens one, headers sort.
 *
 * @param {HTMLElement} host
 * @param {TableOptions} options
 */
export function createTable(host, options) {
  let now = { sort: "", down: false, tall: false, current: -1, ...options };
  let order = Int32Array.from([]);
  let active = 0;
  let printing = false;
  let frame = 0;
  let drawnSize = 0;

  const head = h("div", { role: "row", class: "table-row", "aria-rowindex": 1 });
  const body = createTableBody();
  const top = h("div", { role: "rowgroup", class: "table-head" }, head);
  const grid = h("div", { role: "grid", class: "table-grid" }, top, body.element);
  const more = h("p", { class: "table-more" });

  function view() {
    const size = parseFloat(getComputedStyle(grid).getPropertyValue("--table-row")) || 32;
    const height = Math.max(size, grid.clientHeight - head.offsetHeight);
    return { top: grid.scrollTop, height, size, count: order.length };
  }

  /** @param {Column} column */
  function headCell(column) {
    const properties = { type: "button", title: column.title, tabindex: -1, onclick: () => resort(column) };
    const button = h("button", properties, column.head ? column.head() : column.title);
    return h("div", { role: "columnheader", class: cellClass(column) }, button);
  }

  function drawHead() {
    fill(head, now.columns.map(headCell));
    head.querySelector("button")?.setAttribute("tabindex", "0");
    setTracks(grid, now.columns);
    grid.setAttribute("aria-colcount", String(now.columns.length));
    body.clear();
  }

  function drawSort() {
    now.columns.forEach(({ key }, i) => {
      head.children[i].setAttribute("aria-sort", key !== now.sort ? "none" : now.down ? "descending" : "ascending");
    });
  }

  /** @param {Column} column */
  function resort({ key, rising }) {
    const down = key === now.sort ? !now.down : !rising;
    if (options.onSort) options.onSort(key, down);
    else update({ sort: key, down });
  }

  /** Draw the visible rows and the active one, which must exist to keep the focus. @param {boolean} all */
  function draw(all) {
    const seen = view();
    const resized = seen.size !== drawnSize; // rows are taller for touch
    drawnSize = seen.size;
    const { first, end } = printing ? { first: 0, end: Math.min(PRINTED_ROWS, order.length) } : windowOf(seen);
    const places = Array.from({ length: end - first }, (_, i) => first + i);
    if (active < first) places.unshift(active);
    else if (active >= end && active < order.length) places.push(active);
    body.draw(places, { order, columns: now.columns, active, current: now.current, size: seen.size }, all || resized);
  }

  function drawSoon() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw(false);
    });
  }

  /** Change options; a new order of rows scrolls to the top. @param {Partial<TableOptions>} patch */
  function update(patch) {
    const newColumns = patch.columns !== undefined && patch.columns !== now.columns;
    now = { ...now, ...patch };
    const focused = body.element.contains(document.activeElement);
    if (newColumns) drawHead();
    grid.classList.toggle("table-tall", now.tall);
    drawSort();
    const column = now.columns.find(({ key }) => key === now.sort);
    const value = column ? column.sortValue : now.sortValue;
    const next = value ? sortRows(now.rows, value, now.down) : Int32Array.from(now.rows);
    if (!sameRows(next, order)) {
      order = next;
      active = 0;
      grid.scrollTop = 0;
    }
    grid.setAttribute("aria-label", now.label);
    grid.setAttribute("aria-rowcount", String(order.length + 1));
    draw(true);
    if (focused) body.focus(active);
  }

  /** Scroll to a row and make it the active one. @param {number} place */
  function activate(place) {
    active = place;
    grid.scrollTop = scrollTarget(view(), place);
    draw(false);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const inHead = head.contains(/** @type {Node} */ (event.target));
    if (inHead && event.key !== "ArrowDown") return walkHead(event);
    const { height, size } = view();
    const page = Math.max(1, Math.floor(height / size) - 1);
    const place = inHead ? Math.min(active, order.length - 1) : placeByKey(event.key, active, order.length, page);
    if (place >= 0) {
      event.preventDefault();
      activate(place);
      body.focus(place);
    } else if (event.key === "Enter" && order.length) {
      event.preventDefault();
      options.onOpen(order[active]);
    }
  }

  /** Move between headers with arrow keys; Tab stops at one of them. @param {KeyboardEvent} event */
  function walkHead(event) {
    const buttons = [...head.querySelectorAll("button")];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const place = placeByKey(HEAD_KEYS.get(event.key) ?? "", at, buttons.length, 1);
    if (place < 0) return;
    event.preventDefault();
    buttons.forEach((button, i) => button.tabIndex = i === place ? 0 : -1);
    buttons[place].focus();
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const place = body.placeOf(event);
    if (place < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // open in a new tab, or select text
    event.preventDefault();
    const selection = getSelection();
    if (selection && !selection.isCollapsed && body.element.contains(selection.anchorNode)) return;
    options.onOpen(order[place]);
  }

  /** @param {Event} event */
  function onFocus(event) {
    const place = body.placeOf(event);
    if (place < 0 || place === active) return;
    active = place;
    draw(false);
  }

  /** Print the first rows, and state how many are omitted. @param {boolean} yes */
  function print(yes) {
    printing = yes;
    grid.classList.toggle("table-printing", yes);
    const left = order.length - PRINTED_ROWS;
    fill(more, left > 0 && `… and ${plural(left, ...now.noun)} more, not printed.`);
    draw(true);
    body.tidy(active);
  }

  grid.addEventListener("scroll", drawSoon, { passive: true });
  grid.addEventListener("keydown", onKey);
  body.element.addEventListener("click", onClick);
  body.element.addEventListener("focusin", onFocus);
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  host.append(grid, more);
  drawHead();
  update({});
  new ResizeObserver(drawSoon).observe(grid);

  return {
    update,
    /** The scrolling element. */
    element: grid,
    /** Set the row of the open query, or -1. @param {number} row */
    setCurrent(row) {
      now = { ...now, current: row };
      draw(false);
    },
    /** Scroll to a row and return its element; null if it is filtered out. @param {number} row */
    scrollTo(row) {
      const place = order.indexOf(row);
      if (place < 0) return null;
      activate(place);
      return body.elementAt(place);
    },
    /** The rows in the current order. */
    order: () => order,
  };
}
