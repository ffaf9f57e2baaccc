/** Helpers for dialogs: clicks outside, scrolling, focus. */
import { h } from "./dom.js";

/** The message of a page without rankings. */
export function withoutDetail() {
  return h(
    "p",
    { class: "query-lead" },
    "This page contains values only, because it was made from saved values or from a partitioned run. Use judged explain to see the ranking and arithmetic of a query.",
  );
}

/** Return whether a click is outside the dialog. @param {HTMLElement} dialog @param {MouseEvent} event */
export function isOutside(dialog, event) {
  if (event.target !== dialog) return false;
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

/** @param {Element | null} element */
export function canScroll(element) {
  return element?.classList.contains("query-scroll") && element.scrollWidth > element.clientWidth;
}

/** Redraw, and keep the focus on the element with the same key. @param {HTMLElement} root @param {() => void} drawAnew */
export function keepFocus(root, drawAnew) {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && root.contains(active) ? active.dataset.key : undefined;
  drawAnew();
  if (!key || active?.isConnected) return;
  const found = root.querySelector(`[data-key="${key}"]`);
  if (found instanceof HTMLElement) found.focus({ preventScroll: true });
}
