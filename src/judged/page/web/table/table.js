import { cellClass, createTableBody, placeByKey, scrollTarget, windowOf } from "./virtual-rows.js";
import { plural } from "../data/format.js";
import { fill, h } from "../dom/dom.js";
import { sortRows } from "./sort.js";

/**
 * A table of any number of rows, of which only those in view are elements.
 *
 * @typedef {import("./virtual-rows.js").Column} Column
 * @typedef {import("./sort.js").Rows} Rows
 * @typedef {object} TableOptions
 * @property {Column[]} columns
 * @property {Rows} rows
 * @property {string} label
 * @property {[string, string]} noun of one row, and of several
 * @property {string} [sort] the key of a column; rows stay as they are where there is none
 * @property {boolean} [down]
 * @property {boolean} [tall] rows of two lines
 * @property {number} [current] the row that is open elsewhere, or -1
 * @property {(row: number) => void} onOpen
 * @property {(key: string, down: boolean) => void} [onSort] a header was clicked; without it the table sorts itself
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
 * The widths of columns are tracks of a grid, alike in every row: each row is a grid of its own.
 *
 * @param {HTMLElement} grid
 * @param {Column[]} columns
 */
function setTracks(grid, columns) {
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  const tracks = {
    "--table-tracks": columns.map(({ width, grow = 0.001 }) => `minmax(${width}rem, ${grow}fr)`).join(" "),
    "--table-tracks-print": columns.map(({ width, grow = 0 }) =>
      `minmax(0, ${grow >= 1 ? 16 : Math.min(width, 6.5)}fr)`
    ).join(" "),
    "--table-least": `${least}rem`,
  };
  for (const [name, value] of Object.entries(tracks)) grid.style.setProperty(name, value);
}

/**
 * A table in a host. Arrow keys walk over rows, Enter or a click opens one, headers sort.
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

  /** The active row is always an element, in view or not: so it keeps the focus, and the tab key finds it. @param {boolean} all */
  function draw(all) {
    const seen = view();
    const resized = seen.size !== drawnSize; // a finger needs higher rows than a mouse
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

  /** Change some of the options; rows in another order begin at the top. @param {Partial<TableOptions>} patch */
  function update(patch) {
    const newColumns = patch.columns !== undefined && patch.columns !== now.columns;
    now = { ...now, ...patch };
    const focused = body.element.contains(document.activeElement);
    if (newColumns) drawHead();
    grid.classList.toggle("table-tall", now.tall);
    drawSort();
    const column = now.columns.find(({ key }) => key === now.sort);
    const next = column ? sortRows(now.rows, column.sortValue, now.down) : Int32Array.from(now.rows);
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

  /** The row at a place comes into view, and is the one that the tab key leads to. @param {number} place */
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

  /** The tab key stops at one header; arrows lead to the others. @param {KeyboardEvent} event */
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
    if (place < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // a link in a new tab, or a selection
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

  /** On paper, the first rows stand below each other, and a line says how many are left out. @param {boolean} yes */
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
    /** What scrolls. */
    element: grid,
    /** @param {Rows} rows */
    setRows: (rows) => update({ rows }),
    /** @param {Column[]} columns */
    setColumns: (columns) => update({ columns }),
    /** @param {string} sort @param {boolean} down */
    setSort: (sort, down) => update({ sort, down }),
    /** The row that is open elsewhere, or -1. @param {number} row */
    setCurrent(row) {
      now = { ...now, current: row };
      draw(false);
    },
    /** The element of a row, in view; null where the table does not show the row. @param {number} row */
    scrollTo(row) {
      const place = order.indexOf(row);
      if (place < 0) return null;
      activate(place);
      return body.elementAt(place);
    },
    /** The rows as they stand. */
    order: () => order,
  };
}
