/** What the panel of a query needs of the browser: where a click was, what scrolls, where the focus goes. */
import { h } from "./dom.js";

/** What a page without rankings says. */
export function withoutDetail() {
  return h(
    "p",
    { class: "query-lead" },
    "This page holds values only: it was made from saved values, or from runs in parts. judged explain shows the ranking and the arithmetic of a query.",
  );
}

/** A click on what lies behind the dialog. @param {HTMLElement} dialog @param {MouseEvent} event */
export function isOutside(dialog, event) {
  if (event.target !== dialog) return false;
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

/** @param {Element | null} element */
export function canScroll(element) {
  return element?.classList.contains("query-scroll") && element.scrollWidth > element.clientWidth;
}

/** Draw anew; the focus stays on the thing of the same key. @param {HTMLElement} root @param {() => void} drawAnew */
export function keepFocus(root, drawAnew) {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && root.contains(active) ? active.dataset.key : undefined;
  drawAnew();
  if (!key || active?.isConnected) return;
  const found = root.querySelector(`[data-key="${key}"]`);
  if (found instanceof HTMLElement) found.focus({ preventScroll: true });
}
