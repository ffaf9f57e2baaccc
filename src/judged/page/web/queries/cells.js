/** Cells and column heads of the query table. Cells are updated in place when their row shows another query. */
import { bdi, h } from "../dom/dom.js";
import { shorten } from "../data/format.js";

/** The name of a run above its column, after a dot in its colour; the compared runs are underlined. @param {string} name @param {HTMLElement} dot @param {boolean} compared */
export function runHead(name, dot, compared) {
  const head = h("span", { class: "queries-head" }, dot, bdi(name, { class: "queries-name" }));
  if (compared) head.style.boxShadow = `0 2px ${dot.style.borderColor}`;
  return head;
}

/** "dense − bm25" if that fits the column. @param {string} a @param {string} b @param {number} letters */
export function differenceHead(a, b, letters) {
  const fits = Array.from(a).length + Array.from(b).length + 3 <= letters;
  return h("span", { class: "queries-name" }, fits ? [bdi(b), " − ", bdi(a)] : "difference");
}

/** The id of a query, with its text below on phones. @param {string} id @param {string | null} text @param {string} href @param {Node | null} old */
export function idCell(id, text, href, old) {
  const cell = /** @type {HTMLElement} */ (old ?? h("span", {}, h("a", { tabindex: -1 }, bdi(""))));
  const link = /** @type {HTMLElement} */ (cell.firstChild);
  link.setAttribute("href", href);
  link.title = id;
  /** @type {Node} */ (link.firstChild).textContent = shorten(id, 80);
  if (text === null) return cell;
  if (cell.childNodes.length < 2) cell.append(bdi("", { class: "queries-below" }));
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

/**
 * A difference as a number and a small bar.
 *
 * @param {number} value
 * @param {string} text
 * @param {number} most the difference of the longest bar
 * @param {boolean} lower
 * @param {Node | null} old
 */
export function differenceCell(value, text, most, lower, old) {
  const cell =
    /** @type {HTMLElement} */ (old ?? h("span", {}, h("span", { class: "queries-bar" }, h("span")), h("span")));
  const [bar, number] = /** @type {HTMLElement[]} */ ([cell.firstChild?.firstChild, cell.lastChild]);
  const outcome = Number.isNaN(value) || value === 0 ? "same" : (value > 0) !== lower ? "better" : "worse";
  cell.className = `queries-change ${outcome}`;
  bar.className = value > 0 ? "queries-fill-up" : value < 0 ? "queries-fill-down" : "";
  bar.style.width = `${value && most ? 50 * Math.min(1, Math.abs(value) / most) : 0}%`;
  number.textContent = text;
  return cell;
}
