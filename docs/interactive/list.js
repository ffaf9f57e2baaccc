/** The list of documents: dragged by mouse or finger, moved by keys or buttons. */
import { fill, h } from "../../src/judged/page/web/dom.js";
import { gradeStep } from "../../src/judged/page/web/query/moves.js";
import { TOP_GRADE } from "./measures.js";
import { moved } from "./state.js";
/** @import { Doc, State } from "./state.js" */

/**
 * @typedef {object} Acts what the list asks for; places count from 0
 * @property {(from: number, to: number) => void} move
 * @property {(place: number, grade: number) => void} grade
 * @property {(docs: Doc[]) => void} preview show the values of an order before the document is dropped
 */

const GRADES = Array.from({ length: TOP_GRADE + 1 }, (_, grade) => grade);
const SLACK = 4; // pixels that a press may move before it is a drag

/** The colour of a grade. @param {number} grade */
export function gradeClass(grade) {
  return `grade${gradeStep(grade, GRADES)}`;
}

/** Draw the list. @param {HTMLElement} list @param {State} state @param {Acts} acts */
export function drawList(list, state, acts) {
  fill(list, state.docs.map((_, place) => rowOf(list, state, place, acts)));
  list.dataset.k = String(state.k);
}

/** One document. @param {HTMLElement} list @param {State} state @param {number} place @param {Acts} acts */
function rowOf(list, state, place, acts) {
  const { id, grade } = state.docs[place];
  const last = state.docs.length - 1;
  const doc = h(
    "button.doc",
    {
      "data-id": id,
      "aria-describedby": "help",
      onkeydown: (/** @type {KeyboardEvent} */ event) => pressed(event, place, last, acts),
    },
    h("span.grip", { "aria-hidden": "true" }),
    h("span.doc-name", "doc ", h("b", id)),
    h("span.unseen", `, grade ${grade}, rank ${place + 1} of ${last + 1}`),
  );
  const row = h(
    "li",
    { class: `row${place === state.k - 1 ? " row-cut" : ""}${place >= state.k ? " row-below" : ""}` },
    h("span.rank", { "aria-hidden": "true" }, place + 1),
    doc,
    gradeSelect(id, grade, place, acts),
    h("span.nudges", nudge(id, place, place - 1, last, acts), nudge(id, place, place + 1, last, acts)),
  );
  doc.addEventListener("pointerdown", (event) => startDrag(event, list, row, state, place, acts));
  return row;
}

/** @param {string} id @param {number} grade @param {number} place @param {Acts} acts */
function gradeSelect(id, grade, place, acts) {
  return h("select", {
    class: `grade ${gradeClass(grade)}`,
    "aria-label": `Grade of document ${id}`,
    onchange: (/** @type {Event} */ event) =>
      acts.grade(place, Number(/** @type {HTMLSelectElement} */ (event.target).value)),
  }, GRADES.map((each) => h("option", { value: each, selected: each === grade }, each)));
}

/** A button that moves a document by one rank. @param {string} id @param {number} from @param {number} to @param {number} last @param {Acts} acts */
function nudge(id, from, to, last, acts) {
  const up = to < from;
  return h("button", {
    class: `nudge ${up ? "nudge-up" : "nudge-down"}`,
    "aria-label": `Move document ${id} ${up ? "up" : "down"}`,
    disabled: to < 0 || to > last,
    onclick: () => acts.move(from, to),
  }, h("span", { "aria-hidden": "true" }, up ? "↑" : "↓"));
}

/** @param {KeyboardEvent} event @param {number} place @param {number} last @param {Acts} acts */
function pressed(event, place, last, acts) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  /** @type {Record<string, number>} */
  const places = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last };
  if (event.key in places) {
    event.preventDefault();
    acts.move(place, Math.min(Math.max(places[event.key], 0), last));
  } else if (GRADES.map(String).includes(event.key)) acts.grade(place, Number(event.key));
}

/** Write the ranks of rows in this order. @param {HTMLElement[]} rows */
function number(rows) {
  rows.forEach((row, place) => fill(/** @type {HTMLElement} */ (row.querySelector(".rank")), place + 1));
}

/** Follow a pointer until it is released. @param {PointerEvent} press @param {HTMLElement} list @param {HTMLElement} row @param {State} state @param {number} from @param {Acts} acts */
function startDrag(press, list, row, state, from, acts) {
  if (press.button !== 0) return;
  const rows = /** @type {HTMLElement[]} */ ([...list.children]);
  const height = row.offsetHeight;
  const doc = /** @type {HTMLElement} */ (press.currentTarget);
  const drag = new AbortController();
  let [to, dragging] = [from, false];
  const follow = (/** @type {PointerEvent} */ event) => {
    const by = event.clientY - press.clientY;
    if (!dragging && Math.abs(by) < SLACK) return;
    if (!dragging) {
      dragging = true;
      doc.setPointerCapture(press.pointerId);
      list.classList.add("list-dragging");
      row.classList.add("row-dragged");
    }
    row.style.transform = `translateY(${by}px)`;
    const now = Math.min(Math.max(from + Math.round(by / height), 0), rows.length - 1);
    if (now === to) return;
    to = now;
    rows.forEach((other, i) => {
      const shift = from < i && i <= to ? -height : to <= i && i < from ? height : 0;
      if (other !== row) other.style.transform = shift ? `translateY(${shift}px)` : "";
    });
    number(moved(rows, from, to));
    acts.preview(moved(state.docs, from, to));
  };
  const end = (/** @type {boolean} */ dropped) => {
    drag.abort();
    if (!dragging) return;
    list.classList.remove("list-dragging");
    row.classList.remove("row-dragged");
    rows.forEach((other) => (other.style.transform = ""));
    if (dropped && to !== from) return acts.move(from, to);
    number(rows);
    acts.preview(state.docs);
  };
  const { signal } = drag;
  doc.addEventListener("pointermove", follow, { signal });
  doc.addEventListener("pointerup", () => end(true), { signal });
  doc.addEventListener("pointercancel", () => end(false), { signal });
  addEventListener("keydown", (event) => event.key === "Escape" && end(false), { signal });
}

/** Let the rows glide from where they were to where they are now. @param {HTMLElement} list @param {() => void} draw */
export function glide(list, draw) {
  const places = new Map(Array.from(list.querySelectorAll("[data-id]"), (doc) => [idOf(doc), topOf(doc)]));
  draw();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const doc of list.querySelectorAll("[data-id]")) {
    const by = (places.get(idOf(doc)) ?? topOf(doc)) - topOf(doc);
    if (!by) continue;
    const row = /** @type {HTMLElement} */ (doc.closest("li"));
    row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
  }
}

/** @param {Element} doc */
function idOf(doc) {
  return /** @type {HTMLElement} */ (doc).dataset.id;
}

/** @param {Element} doc */
function topOf(doc) {
  return /** @type {HTMLElement} */ (doc.closest("li")).getBoundingClientRect().top;
}
