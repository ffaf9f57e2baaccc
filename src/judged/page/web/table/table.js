import { alongKey, fill, h, placeByKey } from "../dom.js";

/**
 * A table of any number of rows, of which only visible rows are elements.
 *
 * @typedef {object} TableOptions
 * @property {Column[]} columns
 * @property {Rows} rows
 * @property {string} label
 * @property {string} [sort] the key of a column; without it rows are not sorted
 * @property {boolean} [down]
 * @property {(row: number) => number} [sortValue] the order of the rows if `sort` is no column
 * @property {boolean} [tall] rows have two lines
 * @property {number} [current] the row of the open query, or -1
 * @property {(row: number) => void} onOpen
 * @property {(key: string, down: boolean) => void} onSort called when a header is clicked
 */

/** Set the column widths. Each row is a grid with the same tracks. @param {HTMLElement} grid @param {Column[]} columns */
function setTracks(grid, columns) {
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  const tracks = columns.map(({ width, grow = 0.001 }) => `minmax(${width}rem, ${grow}fr)`).join(" ");
  grid.style.setProperty("--table-tracks", tracks);
  grid.style.setProperty("--table-least", `${least}rem`);
}

/** Create a table. Arrow keys move between rows, Enter or a click opens one, headers sort. @param {HTMLElement} host @param {TableOptions} options */
export function createTable(host, options) {
  let now = { sort: "", down: false, tall: false, current: -1, ...options };
  let order = Int32Array.from([]);
  let active = 0;
  let frame = 0;
  let drawnSize = 0;

  const head = h("div.table-row", { role: "row", "aria-rowindex": 1 });
  const body = createTableBody();
  const top = h("div.table-head", { role: "rowgroup" }, head);
  const grid = h("div.table-grid.box.size-14", { role: "grid" }, top, body.element);

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
    options.onSort(key, key === now.sort ? !now.down : !rising);
  }

  /** Draw the visible rows and the active one, which must exist to keep the focus. @param {boolean} all */
  function draw(all) {
    const seen = view();
    const resized = seen.size !== drawnSize; // rows are taller for touch
    drawnSize = seen.size;
    const { first, end } = windowOf(seen);
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
    if (next.length !== order.length || next.some((row, place) => row !== order[place])) {
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
    const place = placeByKey(alongKey(event.key), at, buttons.length, 1);
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

  grid.addEventListener("scroll", drawSoon, { passive: true });
  grid.addEventListener("keydown", onKey);
  body.element.addEventListener("click", onClick);
  body.element.addEventListener("focusin", onFocus);
  host.append(grid);
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

/** The class of a cell of a column. @param {Column} column */
export function cellClass({ align = "start", kind = "" }) {
  return `table-cell table-${align} ${kind}`;
}

/** @param {Column[]} columns @returns {TableSlot} */
function newSlot(columns) {
  const cells = columns.map((column, i) => h("div", { role: i ? "gridcell" : "rowheader", class: cellClass(column) }));
  return { element: h("div.table-row", { role: "row" }, cells), cells };
}

/** Update a cell in place, only if it differs, to keep scrolling smooth. @param {HTMLElement} cell @param {Column} column @param {number} row */
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

/** Set attributes only if they change, because writing them triggers style recalculation. @param {TableSlot} slot @param {boolean} active @param {boolean} current */
function markSlot({ element }, active, current) {
  if (element.tabIndex !== (active ? 0 : -1) || !element.hasAttribute("tabindex")) element.tabIndex = active ? 0 : -1;
  if (element.classList.contains("table-current") !== current) element.classList.toggle("table-current");
}

/** Milliseconds without scrolling before elements are reordered. */
const TABLE_REST = 200;

/** Create the scrolling part of a table. */
export function createTableBody() {
  const body = h("div.table-body", { role: "rowgroup" });
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

  /** Put the elements in the order of the rows, for screen readers. While scrolling they are left in place, because moving elements is slow. The active one is not moved, because it would lose the focus. @param {number} active */
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

/**
 * Sorting of table rows.
 *
 * @typedef {ArrayLike<number>} Rows
 */

/** Return a key whose code-point order is the natural order of texts: q2 before q10. Numbers become their length and digits without leading zeros; ties are broken by the text. @param {string} text */
function naturalKey(text) {
  const key = text.replace(/\d+/g, (run) => {
    const digits = run.replace(/^0+/, "");
    return `0${String.fromCharCode(digits.length)}${digits}`;
  });
  return `${key}\0${text}`;
}

/** Return the rank of each text in natural order; equal texts share a rank, empty ones get NaN. @param {string[]} texts */
export function naturalRanks(texts) {
  const keys = texts.map(naturalKey);
  const ranks = new Float64Array(texts.length).fill(NaN);
  const order = texts.map((_, i) => i).filter((i) => texts[i] !== "");
  order.sort((i, j) => keys[i] < keys[j] ? -1 : Number(keys[i] > keys[j])); // by code units
  order.forEach((i, place) => {
    const before = order[place - 1];
    ranks[i] = place && texts[before] === texts[i] ? ranks[before] : place;
  });
  return ranks;
}

/** Sort rows by a column. The sort is stable; missing values come last in both directions. @param {Rows} rows @param {(row: number) => number | string} sortValue @param {boolean} down */
export function sortRows(rows, sortValue, down) {
  const values = Array.from(rows, sortValue);
  const texts = values.some((value) => typeof value === "string");
  const numbers = texts ? naturalRanks(values.map(String)) : Float64Array.from(values, Number);
  const sign = down ? -1 : 1;
  /** @type {number[]} */
  const known = [];
  /** @type {number[]} */
  const missing = [];
  numbers.forEach((value, i) => (Number.isNaN(value) ? missing : known).push(i));
  known.sort((i, j) => sign * (numbers[i] - numbers[j]) || i - j);
  return Int32Array.from([...known, ...missing], (i) => rows[i]);
}
