/** Where a box holds more than it shows: its edge fades there, so that a reader sees that it scrolls. */

/**
 * Mark a box, or another element in its stead, where something is cut off at the right.
 *
 * @param {HTMLElement} box what scrolls @param {HTMLElement} [marked] what gets the class
 */
export function markEdges(box, marked = box) {
  marked.classList.toggle("cut-right", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
}

/** The same whenever that may have changed. @param {HTMLElement} box @param {HTMLElement} [marked] */
export function watchEdges(box, marked = box) {
  const mark = () => markEdges(box, marked);
  box.addEventListener("scroll", mark, { passive: true });
  const observer = new ResizeObserver(mark);
  observer.observe(box);
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  new MutationObserver(mark).observe(box, { childList: true });
  mark();
}
