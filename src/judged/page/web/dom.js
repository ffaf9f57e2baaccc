/** Elements of the page. Text is never parsed as markup. */
import { keepEnds } from "./kit/text.js";
/** @import { Book, Words } from "./data/data.js" */

/** @typedef {Node | string | number | null | undefined | false} Child null, undefined and false are left out */

/**
 * Create an element: `h("button.quiet", { onclick: open }, "Open")`. Properties may follow the tag and its classes: names that begin with
 * `on` are listeners, others attributes; null and false are left out. A button does not submit unless it has another type.
 *
 * @param {string} tag @param {...(Record<string, any> | Child | Child[])} rest @returns {HTMLElement}
 */
export function h(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  const plain = rest[0] && Object.getPrototypeOf(rest[0]) === Object.prototype;
  const properties = /** @type {Record<string, any>} */ (plain ? rest.shift() : {});
  if (name === "button") properties.type ??= "button";
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = [...classes, value].join(" ").trim();
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  return fill(element, ...(/** @type {Child[]} */ (rest)));
}

/** Replace the children of an element, and return it. @template {Element} E @param {E} element @param {...(Child | Child[])} children @returns {E} */
export function fill(element, ...children) {
  const known = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(...known.map((child) => typeof child === "number" ? String(child) : child));
  return element;
}

/** Return the element with an id. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** A select among names, by their places. @param {string} tag @param {Record<string, any>} properties @param {string[]} names @param {number} now @param {(place: number) => void} choose */
export function selectOf(tag, properties, names, now, choose) {
  const options = names.map((name, i) => h("option", { value: i, selected: i === now }, name));
  const onchange = () => choose(Number(select.value));
  const select = /** @type {HTMLSelectElement} */ (h(tag, { ...properties, onchange }, options));
  return select;
}

/** Announce a text to screen readers. @param {string} text */
export function announce(text) {
  fill(byId("announcer"), text);
}

/** Isolate untrusted text, which may contain marks that change the text direction. @param {string} text @param {Record<string, any>} [properties] */
export function bdi(text, properties = {}) {
  return h("bdi", properties, text);
}

// ── A disc in the colour of a run ──

const LONGEST_NAME = 36;

/** @param {Book} book @param {number} run @param {{a: number, b: number}} pair the runs in focus */
export function runDot(book, run, pair) {
  const dot = h("span.dot", { "aria-hidden": "true" });
  dot.style.borderColor = `var(--${book.colour(run, pair)})`; // borders are printed, backgrounds are not
  return dot;
}

/** Words as nodes: names of runs are shortened and isolated. @param {Book} book @param {Words} words */
export function wordNodes({ facts, short }, words) {
  return words.map((word) =>
    typeof word === "string" ? word : h("bdi.name", { title: facts.runs[word] }, keepEnds(short[word], LONGEST_NAME))
  );
}

// ── Fade the edge of a box that can be scrolled further ──

/** Mark a box, or another element, while content is cut off on the right. @param {HTMLElement} box the scrolling element @param {HTMLElement} [marked] the element that gets the class */
export function watchEdges(box, marked = box) {
  const mark = () => marked.classList.toggle("cut-right", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
  box.addEventListener("scroll", mark, { passive: true });
  const observer = new ResizeObserver(mark);
  observer.observe(box);
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  new MutationObserver(mark).observe(box, { childList: true });
  mark();
}

// ── Dialogs: clicks outside, scrolling, focus ──

/** Open a dialog that Escape, its button and a click outside close. @param {Child} title @param {...(Child | Child[])} content */
export function openDialog(title, ...content) {
  const close = h("button.quiet.icon", { "aria-label": "Close", onclick: () => dialog.close() }, "×");
  const head = h("div.dialog-head.row.between", h("h2", { id: "dialog-title" }, title), close);
  const dialog = /** @type {HTMLDialogElement} */ (
    h("dialog.dialog", { "aria-labelledby": "dialog-title" }, head, ...content)
  );
  dialog.addEventListener("click", (event) => isOutside(dialog, event) && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.querySelector("dialog.dialog")?.remove(); // closed already, but its event comes later
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Copy a text. Without access to the clipboard, as in the frame of a notebook, it is selected so that the reader can copy it. @param {HTMLElement} button @param {string} text @param {() => void} select */
export async function copyText(button, text, select) {
  try {
    await navigator.clipboard.writeText(text);
    fill(button, "Copied");
    announce("Copied");
  } catch {
    select();
    fill(button, "Selected; copy it manually");
  }
}

/** The message of a page without rankings. */
export function withoutDetail() {
  return h(
    "p.query-lead.soft",
    "This page contains values only, because it was made from saved values or from a partitioned run. Use judged explain to see the ranking and arithmetic of a query.",
  );
}

/** Return whether a click is outside the dialog. @param {HTMLElement} dialog @param {MouseEvent} event */
export function isOutside(dialog, event) {
  if (event.target !== dialog) return false;
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
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

/** A button that shows and hides more; `draw` does it, and returns the words for the other way. @param {boolean} open @param {(open: boolean) => string} draw */
export function toggleButton(open, draw) {
  const button = h("button.query-quiet");
  const show = () => {
    button.setAttribute("aria-expanded", String(open));
    fill(button, draw(open));
  };
  button.addEventListener("click", () => {
    open = !open;
    show();
    button.scrollIntoView({ block: "nearest" });
  });
  show();
  return button;
}

// ── Keys that lead through rows or data ──

/** Return the place that a key leads to; -1 for other keys. @param {string} key @param {number} place @param {number} count @param {number} page */
export function placeByKey(key, place, count, page) {
  const steps = new Map([["ArrowDown", 1], ["ArrowUp", -1], ["PageDown", page], ["PageUp", -page]]);
  const step = key === "Home" ? -count : key === "End" ? count : steps.get(key);
  return step === undefined || !count ? -1 : Math.max(0, Math.min(count - 1, place + step));
}

/** Read keys along a line as keys along a column. @param {string} key */
export const alongKey = (key) => key.replace("Right", "Down").replace("Left", "Up");

// ── The choice between light and dark ──

/** Set up the button that switches between light and dark; it is labelled with the other theme. */
export function mountTheme() {
  const [root, button] = [document.documentElement, byId("theme")];
  const other = () => (root.dataset.theme === "dark" ? "light" : "dark");
  const say = () => fill(button, `${other()[0].toUpperCase()}${other().slice(1)}`);
  button.addEventListener("click", () => {
    root.dataset.theme = other();
    say();
    try {
      localStorage.setItem("judged-theme", root.dataset.theme);
    } catch {
      // Storage may be unavailable for a page opened from disk; the choice then lasts until it is closed.
    }
  });
  button.setAttribute("aria-label", "Light or dark colours");
  button.hidden = false;
  say();
}
