/** The tooltip of the page. It is hidden from screen readers, because its text is announced when the keyboard selects a datum. */
import { fill, h } from "../dom/dom.js";

/** @type {{element: HTMLElement | null}} */
const kitTip = { element: null };

const TIP_GAP = 14;
const TIP_EDGE = 6;

/** @returns {HTMLElement} */
function tipElement() {
  if (kitTip.element?.isConnected) return kitTip.element;
  const element = h("div", { class: "kit-tip", "aria-hidden": "true", hidden: true });
  document.body.append(element);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
  document.addEventListener("scroll", hideTip, { capture: true, passive: true });
  kitTip.element = element;
  return element;
}

/**
 * Show lines of text next to a point; above it for touch, where a finger would hide them.
 *
 * @param {string[]} lines @param {number} x @param {number} y @param {boolean} [finger]
 */
export function showTip(lines, x, y, finger = false) {
  const element = tipElement();
  fill(element, lines.map((line, i) => h("div", { class: i ? "kit-tip-line" : "kit-tip-name", dir: "auto" }, line)));
  element.hidden = false;
  const { width, height } = element.getBoundingClientRect();
  const page = document.documentElement;
  const place = tipPlace({ x, y, width, height, wide: page.clientWidth, high: window.innerHeight, finger });
  element.style.left = `${place.left}px`;
  element.style.top = `${place.top}px`;
}

/**
 * Return the position of the tooltip: right of and below the point, or on the other side if there is no space.
 *
 * @param {{x: number, y: number, width: number, height: number, wide: number, high: number, finger?: boolean}} of
 */
export function tipPlace({ x, y, width, height, wide, high, finger = false }) {
  const right = x + TIP_GAP + width + TIP_EDGE <= wide;
  const left = finger ? x - width / 2 : right ? x + TIP_GAP : x - TIP_GAP - width;
  const above = y - TIP_GAP * (finger ? 2 : 1) - height;
  const below = y + TIP_GAP;
  const top = (finger && above >= TIP_EDGE) || below + height + TIP_EDGE > high ? above : below;
  const kept = (/** @type {number} */ at, /** @type {number} */ most) =>
    Math.max(TIP_EDGE, Math.min(at, most - TIP_EDGE));
  return { left: kept(left, wide - width), top: kept(top, high - height) };
}

export function hideTip() {
  if (kitTip.element) kitTip.element.hidden = true;
}
