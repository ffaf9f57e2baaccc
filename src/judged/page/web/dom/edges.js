/** Fade the edge of a box that can be scrolled further. */

/**
 * Mark a box, or another element, if content is cut off on the right.
 *
 * @param {HTMLElement} box the scrolling element @param {HTMLElement} [marked] the element that gets the class
 */
export function markEdges(box, marked = box) {
  marked.classList.toggle("cut-right", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
}

/** Update the mark whenever it may have changed. @param {HTMLElement} box @param {HTMLElement} [marked] */
export function watchEdges(box, marked = box) {
  const mark = () => markEdges(box, marked);
  box.addEventListener("scroll", mark, { passive: true });
  const observer = new ResizeObserver(mark);
  observer.observe(box);
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  new MutationObserver(mark).observe(box, { childList: true });
  mark();
}
