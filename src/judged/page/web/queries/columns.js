import { gainTone, integerText, shorten, signedValue, sliceName, valueText } from "../data/format.js";
import { bdi, h, runDot } from "../dom.js";
import { extent } from "../kit/scale.js";
import { letterCount } from "../kit/text.js";
import { searchable } from "../table/filter.js";
import { naturalRanks } from "../table/table.js";
/** @import { Book } from "../data/data.js" */
/** @import { State } from "../data/state.js" */
/** @import { Column } from "../table/table.js" */

/**
 * Rows and columns of the query table.
 *
 * @typedef {"better" | "worse" | "same" | "missing"} Outcome of b against a, for one query
 * @typedef {{measure: number, a: number, b: number}} Compared
 * @typedef {"wide" | "tight" | "phone"} Layout
 */

/** Return the outcome of b versus a for each query. @param {Book} book @param {Compared} compared @returns {Outcome[]} */
export function outcomes(book, { measure, a, b }) {
  const [first, second] = [book.column(measure, a), book.column(measure, b)];
  const sign = book.facts.measures[measure].lower ? -1 : 1;
  return Array.from(first, (value, row) => gainTone(sign * (second[row] - value)));
}

/** Filter the rows, and count them by outcome. @param {number} size @param {(row: number) => boolean} test @param {Outcome[]} kinds @param {State["only"]} only */
export function chosenRows(size, test, kinds, only) {
  const counts = new Map([["", 0], ["better", 0], ["worse", 0], ["same", 0], ["missing", 0]]);
  const add = (/** @type {string} */ kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  /** @type {number[]} */
  const rows = [];
  for (let row = 0; row < size; row++) {
    if (!test(row)) continue;
    add("");
    add(kinds[row]);
    if (!only || kinds[row] === only) rows.push(row);
  }
  return { rows, counts };
}

/** Return the best value of a query, or NaN if all runs have the same. @param {Float64Array[]} columns one per run @param {number} row @param {boolean} lower */
export function bestValue(columns, row, lower) {
  const [least, most] = extent(columns.map((column) => column[row]));
  return least < most ? lower ? least : most : NaN;
}

/** Return the largest absolute difference; 0 if there is none. @param {Float64Array} a @param {Float64Array} b */
export function largestDifference(a, b) {
  return extent(a.map((value, row) => Math.abs(b[row] - value)))[1] || 0;
}

/** Return the slices of each query as text. @param {Book} book @returns {string[]} */
function slicesOf({ facts }) {
  /** @type {string[][]} */
  const found = facts.queries.map(() => []);
  for (const { label, rows } of facts.slices) rows.forEach((row) => found[row].push(sliceName(label)));
  return found.map((labels) => labels.join("; "));
}

/** Return the rows as a sheet with all measures and runs, and the differences between the compared runs. @param {Book} book @param {ArrayLike<number>} rows @param {{a: number, b: number}} compared */
export function querySheet(book, rows, { a, b }) {
  const { facts } = book;
  const { measures, runs, texts, relevant } = facts;
  const slices = facts.slices.length ? slicesOf(book) : null;
  /** @type {[string, (row: number) => unknown][]} */
  const columns = [["query", (row) => facts.queries[row]]];
  if (texts) columns.push(["text", (row) => texts[row]]);
  if (relevant) columns.push(["relevant", (row) => relevant[row]]);
  if (slices) columns.push(["slices", (row) => slices[row]]);
  measures.forEach(({ name }, m) =>
    runs.forEach((run, r) => columns.push([`${name}(${run})`, (row) => book.value(m, r, row)]))
  );
  if (a !== b) {
    measures.forEach(({ name }, m) =>
      columns.push([
        `${name}(${runs[b]}) - ${name}(${runs[a]})`,
        (row) => book.value(m, b, row) - book.value(m, a, row),
      ])
    );
  }
  const cells = Array.from(rows, (row) => columns.map(([, value]) => value(row)));
  return { name: "queries", header: columns.map(([name]) => name), rows: cells };
}

/** Return the column keys from left to right. @param {Book} book @param {Compared} compared @param {Layout} layout */
export function columnKeys({ facts }, { a, b }, layout) {
  const two = facts.runs.length > 1;
  const text = facts.texts && layout !== "phone" ? ["text"] : []; // on phones it is below the id
  const relevant = facts.relevant ? ["relevant"] : [];
  const runKey = (/** @type {number} */ run) => `run:${facts.runs[run]}`;
  const all = facts.runs.map((_, run) => run);
  if (!two) {
    return ["id", ...text, runKey(0), ...relevant];
  }
  if (layout === "wide") return ["id", ...text, ...all.map(runKey), "difference", ...relevant];
  const others = all.filter((run) => run !== a && run !== b).map(runKey);
  const pair = [runKey(a), runKey(b), "difference"]; // if space is limited, the compared runs come first
  return ["id", ...text, ...pair, ...relevant, ...others];
}

/** Return the layout for a width in rem: wide if all columns fit. @param {Column[]} wide @param {number} width @returns {Layout} */
export function layoutFor(wide, width) {
  if (width <= 38) return "phone";
  return wide.reduce((sum, column) => sum + column.width, 0) <= width ? "wide" : "tight";
}

/** Return a width in rem for texts of a length. @param {number} letters @param {number} least @param {number} most */
function widthFor(letters, least, most) {
  return Math.min(most, Math.max(least, 1.5 + 0.53 * letters));
}

/** Return the size of a difference as a key for sorting. @param {Book} book @param {Compared} compared @returns {(row: number) => number} */
export function changeSize(book, { measure, a, b }) {
  const [first, second] = [book.column(measure, a), book.column(measure, b)];
  return (row) => Math.abs(second[row] - first[row]);
}

/** Return a function that builds the columns. Ids and texts are sorted once. @param {Book} book @param {(row: number) => string} link */
export function createQueryColumns(book, link) {
  const { facts } = book;
  const idWidth = widthFor(facts.queries.reduce((most, id) => Math.max(most, letterCount(id)), 5), 5.5, 12);
  /** @type {Float64Array | null} */
  let idRanks = null;
  /** @type {Float64Array | null} */
  let textRanks = null;

  /** @param {Layout} layout @returns {Column} */
  function idColumn(layout) {
    const below = layout === "phone" ? facts.texts : null;
    return {
      key: "id",
      title: "query",
      text: (row) => facts.queries[row],
      sortValue: (row) => (idRanks ??= naturalRanks(facts.queries))[row],
      cell: (row, old) => idCell(facts.queries[row], below ? below[row] ?? "" : null, link(row), old),
      width: layout === "phone" ? Math.min(5, idWidth) : idWidth,
      grow: facts.texts ? undefined : 0.2,
      rising: true,
      kind: "queries-id",
    };
  }

  /** @returns {Column} */
  function textColumn() {
    const texts = facts.texts ?? [];
    return {
      key: "text",
      title: "text",
      text: (row) => texts[row] ?? "",
      sortValue: (row) => (textRanks ??= naturalRanks(texts.map((text) => searchable(text ?? ""))))[row],
      cell: (row, old) => textCell(texts[row] ?? "", old),
      width: 13,
      grow: 3,
      rising: true,
      kind: "queries-text soft",
    };
  }

  /** @param {Compared} compared @param {number} run @param {Layout} layout @returns {Column} */
  function runColumn({ measure, a, b }, run, layout) {
    const by = facts.measures[measure];
    const columns = facts.runs.map((_, other) => book.column(measure, other));
    const compared = a !== b && (run === a || run === b);
    const name = facts.runs[run];
    return {
      key: `run:${name}`,
      title: `${name}, ${by.name}`,
      text: (row) => valueText(columns[run][row], by),
      sortValue: (row) => columns[run][row],
      tone: (row) => columns[run][row] === bestValue(columns, row, by.lower) ? "queries-best bold" : "",
      head: () => runHead(book.short[run], runDot(book, run, { a, b }), compared),
      align: "end",
      width: layout === "phone" ? 4.6 : widthFor(letterCount(book.short[run]) + 3, 5.5, 11),
      grow: 0.4,
      kind: compared ? "queries-compared" : "soft",
    };
  }

  /** @param {Compared} compared @param {Layout} layout @returns {Column} */
  function differenceColumn({ measure, a, b }, layout) {
    const [first, second] = [book.column(measure, a), book.column(measure, b)];
    const by = facts.measures[measure];
    const most = largestDifference(first, second);
    const text = (/** @type {number} */ row) => signedValue(second[row] - first[row], by);
    const narrow = layout === "phone";
    return {
      key: "difference",
      title: `${facts.runs[b]} − ${facts.runs[a]}, ${by.name}`,
      text,
      sortValue: (row) => second[row] - first[row],
      cell: (row, old) => differenceCell(second[row] - first[row], text(row), most, by.lower, old),
      head: () => differenceHead(book.short[a], book.short[b], narrow ? 12 : 17),
      align: "end",
      width: narrow ? 6.2 : 9.25,
      grow: 0.4,
      kind: "queries-difference",
    };
  }

  /** @returns {Column} */
  function relevantColumn() {
    const relevant = facts.relevant ?? [];
    return {
      key: "relevant",
      title: "relevant documents",
      text: (row) => integerText(relevant[row]),
      sortValue: (row) => relevant[row],
      head: () => h("span.queries-name.clip", "relevant"),
      align: "end",
      width: 6,
      grow: 0.2,
    };
  }

  /** @param {Compared} compared @param {Layout} layout @param {number} room in rem @returns {Column[]} */
  return function queryColumns(compared, layout, room) {
    /** @type {Map<string, () => Column>} */
    const makers = new Map(facts.runs.map((name, run) => [`run:${name}`, () => runColumn(compared, run, layout)]));
    makers.set("id", () => idColumn(layout)).set("text", textColumn).set("relevant", relevantColumn);
    makers.set("difference", () => differenceColumn(compared, layout));
    const columns = columnKeys(book, compared, layout).map((key) => /** @type {() => Column} */ (makers.get(key))());
    return layout === "phone" ? fillRoom(columns, facts.runs.length > 1 ? 4 : 2, room) : columns;
  };
}

/** Widen the first columns so that they fill the available width. @param {Column[]} columns @param {number} count @param {number} room */
function fillRoom(columns, count, room) {
  const spare = room - columns.slice(0, count).reduce((sum, column) => sum + column.width, 0);
  return columns.map((column, i) =>
    i < count ? { ...column, width: column.width + Math.max(0, spare / count) } : column
  );
}

// ── Cells and column heads of the query table. Cells are updated in place when their row shows another query ──

/** The name of a run above its column, after a dot in its colour; the compared runs are underlined. @param {string} name @param {HTMLElement} dot @param {boolean} compared */
export function runHead(name, dot, compared) {
  const head = h("span.queries-head.row", dot, bdi(name, { class: "queries-name clip" }));
  if (compared) head.style.boxShadow = `0 2px ${dot.style.borderColor}`;
  return head;
}

/** "dense − bm25" if that fits the column. @param {string} a @param {string} b @param {number} letters */
export function differenceHead(a, b, letters) {
  const fits = Array.from(a).length + Array.from(b).length + 3 <= letters;
  return h("span.queries-name.clip", fits ? [bdi(b), " − ", bdi(a)] : "difference");
}

/** The id of a query, with its text below on phones. @param {string} id @param {string | null} text @param {string} href @param {Node | null} old */
export function idCell(id, text, href, old) {
  const cell = /** @type {HTMLElement} */ (old ?? h("span", h("a", { tabindex: -1 }, bdi(""))));
  const link = /** @type {HTMLElement} */ (cell.firstChild);
  link.setAttribute("href", href);
  link.title = id;
  /** @type {Node} */ (link.firstChild).textContent = shorten(id, 80);
  if (text === null) return cell;
  if (cell.childNodes.length < 2) cell.append(bdi("", { class: "queries-below soft size-12 clip" }));
  const below = /** @type {HTMLElement} */ (cell.lastChild);
  below.title = text;
  below.textContent = shorten(text, 120);
  return cell;
}

/** @param {string} text @param {Node | null} old */
export function textCell(text, old) {
  const cell = /** @type {HTMLElement} */ (old ?? bdi(""));
  cell.title = text;
  cell.textContent = shorten(text, 160);
  return cell;
}

/** A difference as a number and a small bar. @param {number} value @param {string} text @param {number} most the difference of the longest bar @param {boolean} lower @param {Node | null} old */
export function differenceCell(value, text, most, lower, old) {
  const cell = /** @type {HTMLElement} */ (old ?? h("span", h("span.queries-bar", h("span")), h("span")));
  const [bar, number] = /** @type {HTMLElement[]} */ ([cell.firstChild?.firstChild, cell.lastChild]);
  cell.className = `queries-change row ${gainTone(lower ? -value : value)}`;
  bar.className = value > 0 ? "queries-fill-up" : value < 0 ? "queries-fill-down" : "";
  bar.style.width = `${value && most ? 50 * Math.min(1, Math.abs(value) / most) : 0}%`;
  number.textContent = text;
  return cell;
}
