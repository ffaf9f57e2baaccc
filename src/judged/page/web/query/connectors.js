/** Lines between two rankings that connect the same document. Decorative: the rows state the ranks as text. */
import { h } from "../dom/dom.js";
import { markEdges } from "../dom/edges.js";
import { moveTone } from "./moves.js";

/**
 * @typedef {import("./rankings.js").Lists} Lists
 * @typedef {import("./rankings.js").Side} Side
 * @typedef {import("./moves.js").Move} Move
 */

const QUERY_SVG = "http://www.w3.org/2000/svg";

/** A curve with horizontal ends. @param {number} width @param {number} from @param {number} to */
export function connectorPath(width, from, to) {
  const [y, z] = [Math.round(from * 10) / 10, Math.round(to * 10) / 10];
  return y === z ? `M0 ${y}H${width}` : `M0 ${y}C${width / 2} ${y} ${width / 2} ${z} ${width} ${z}`;
}

/** The gutter between two lists and a function that redraws it; null if a list is missing. @param {Lists} lists */
export function connectors(lists) {
  const [left, right] = lists.sides;
  if (!left?.moves || !right?.moves) return null;
  const svg = document.createElementNS(QUERY_SVG, "svg");
  const element = h("div", { class: "query-gutter", "aria-hidden": "true" }, svg);
  const draw = () => {
    const last = Math.max(...lists.sides.map((side) => side.rows.filter((row) => !row.hidden).length), 1);
    element.style.gridRow = `2 / span ${last + 1}`;
    svg.replaceChildren(...linesOf(lists, left, right, element));
  };
  return { element, draw };
}

/**
 * Return each document that both runs retrieved: its index, move and ranks.
 *
 * @param {Side} left @param {Side} right @returns {{place: number, move: Move, a: number, b: number}[]}
 */
function twinsOf(left, right) {
  const from = (left.moves ?? []).map((move, i) => ({ place: docAt(left, i), move, a: i + 1, b: move.twin }));
  const to = (right.moves ?? []).map((move, i) => ({ place: docAt(right, i), move, a: move.twin, b: i + 1 }));
  return [...from.filter((one) => one.b), ...to.filter((one) => one.a && !one.move.onPage)];
}

/** @param {Side} side @param {number} i */
function docAt(side, i) {
  return side.ranking?.docs[i] ?? -1;
}

/** @param {Lists} lists @param {Side} left @param {Side} right @param {HTMLElement} gutter */
function linesOf(lists, left, right, gutter) {
  const box = gutter.getBoundingClientRect();
  if (!box.width) return [];
  const middle = (/** @type {HTMLElement | undefined} */ row) => {
    const chip = row && !row.hidden ? row.querySelector(".query-chip")?.getBoundingClientRect() : undefined;
    return chip ? chip.top + chip.height / 2 - box.top : null;
  };
  const lines = twinsOf(left, right).flatMap(({ place, move, a, b }) => {
    const [from, to] = [middle(left.rows[a - 1]), middle(right.rows[b - 1])];
    const tone = moveTone(move, lists.detail.grades[place], lists.level, true);
    // The same document is below the rows shown: the line leaves through the bottom.
    const open = from === null || to === null;
    if (from === null && to === null || open && tone === "faint") return [];
    const line = document.createElementNS(QUERY_SVG, "path");
    line.setAttribute("d", connectorPath(box.width, from ?? box.height, to ?? box.height));
    line.setAttribute("class", `query-link ${tone}${open ? " query-leaving" : ""}`);
    line.dataset.place = String(place);
    return [line];
  });
  const isFaint = (/** @type {Element} */ line) => line.classList.contains("faint");
  return [...lines.filter(isFaint), ...lines.filter((line) => !isFaint(line))];
}

/** Highlight the hovered or focused document in both lists, with its line. @param {HTMLElement} grid */
export function lightTwins(grid) {
  /** @type {string | undefined} */
  let lit;
  const light = (/** @type {string | undefined} */ place) => {
    if (place === lit) return;
    lit = place;
    for (const old of grid.querySelectorAll(".query-lit")) old.classList.remove("query-lit");
    for (const twin of place === undefined ? [] : grid.querySelectorAll(`[data-place="${place}"]`)) {
      twin.classList.add("query-lit");
      if (twin instanceof SVGElement) twin.parentNode?.append(twin); // drawn last: above the others
    }
  };
  const under = (/** @type {Event} */ event) => {
    const row = event.target instanceof Element ? event.target.closest(".query-row") : null;
    light(row instanceof HTMLElement ? row.dataset.place : undefined);
  };
  // Only pointer moves count: rows that scroll under a resting pointer are ignored.
  grid.addEventListener("pointermove", under);
  grid.addEventListener("focusin", under);
  grid.addEventListener("pointerleave", () => light(undefined));
  grid.addEventListener("focusout", () => light(undefined));
}

/** Show the button that expands a text only if the text is clipped. @param {HTMLElement} root */
export function markClipped(root) {
  const rows = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".query-row:not(.query-unfolded)")]);
  const cut = rows.map((row) =>
    [...row.querySelectorAll(".query-clamp")].some((text) => text.scrollHeight > text.clientHeight + 1)
  );
  rows.forEach((row, i) => {
    const more = row.querySelector(".query-more");
    if (more instanceof HTMLElement) more.hidden = !cut[i];
  });
}

/** Make tables that are wider than their box focusable, so that they can be scrolled by keyboard. @param {HTMLElement} root */
export function markScrolling(root) {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".query-scroll"))) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    markEdges(box);
    box.onscroll = () => markEdges(box);
  }
}

/** Observe the size of an element until it leaves the page. @param {HTMLElement} element @param {() => void} changed */
export function watchSize(element, changed) {
  const observer = new ResizeObserver(() => element.isConnected ? changed() : observer.disconnect());
  observer.observe(element);
}
