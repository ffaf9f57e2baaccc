/** The grades with their descriptions, the note, and the buttons to move. */
import { byId, fill, h } from "../dom/dom.js";
import { gradeTone } from "./reading.js";

/** @typedef {import("./session.js").Session} Session */

/**
 * Build the panel once; `draw` shows the current document in it.
 *
 * @param {HTMLElement} box @param {Session} session @param {{give: (grade: number) => void, undo: () => void}} acts
 */
export function mountPanel(box, session, { give, undo }) {
  const buttons = session.work.scale.map(({ number, name, description, key }) => {
    const button = h(
      "button",
      { type: "button", class: "label-grade", "data-tone": gradeTone(session, number), "aria-keyshortcuts": key },
      h("span", { class: "label-number", "aria-hidden": "true" }, String(number)),
      h(
        "span",
        { class: "label-words" },
        h("span", { class: "label-name" }, h("span", { class: "unseen" }, `${number} `), name),
        description ? h("span", { class: "label-description" }, description) : null,
      ),
      key === String(number) ? null : h("kbd", { "aria-hidden": "true" }, key),
    );
    button.addEventListener("click", (event) => {
      give(number);
      if (/** @type {MouseEvent} */ (event).detail) byId("reading").focus({ preventScroll: true }); // so that keys scroll the text
    });
    return { number, button };
  });
  const note = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "note", rows: 2, "aria-keyshortcuts": "n" }));
  note.addEventListener("input", () => session.item !== null && session.store.put(session.item, { note: note.value }));
  const noteBox = h("div", { class: "label-note" }, h("label", { for: "note" }, "Note ", h("kbd", {}, "n")), note);
  const small = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", class: "quiet", "aria-keyshortcuts": key, onclick }, text);
  const back = small("← Back", "ArrowLeft", () => session.go(session.at - 1));
  const on = small("Next →", "ArrowRight", () => session.go(session.at + 1));
  const undoButton = small("Undo", "u", undo);
  const noteButton = small("Note", "n", () => openNote());
  noteButton.classList.add("label-note-button");
  fill(
    box,
    h(
      "div",
      { class: "label-grades", role: "group", "aria-label": "Grades", "data-many": buttons.length > 4 },
      buttons.map(({ button }) => button),
    ),
    noteBox,
    h("div", { class: "label-moves" }, back, on, undoButton, noteButton),
  );

  const openNote = () => {
    box.dataset.note = "open"; // narrow pages hide an empty note
    note.focus();
  };
  let shown = -1;
  const draw = () => {
    const { item } = session;
    const end = item === null;
    byId("work").dataset.end = end ? "yes" : "no";
    const grade = end ? null : session.store.grade(item);
    for (const { number, button } of buttons) button.setAttribute("aria-pressed", String(number === grade));
    /** @type {[HTMLElement, boolean][]} */
    const off = [[back, session.at === 0], [on, end], [undoButton, !session.history.length]];
    for (const [button, is] of off) button.setAttribute("aria-disabled", String(is));
    const last = session.history.at(-1);
    const given = last ? session.store.grade(last.item) : null;
    fill(undoButton, given === null ? "Undo " : `Undo ${given} `, h("kbd", {}, "u"));
    const text = end ? "" : session.store.note(item);
    if (shown !== item || document.activeElement !== note) {
      if (note.value !== text) note.value = text;
      if (shown !== item) box.dataset.note = text ? "open" : "closed";
    }
    shown = item ?? -1;
  };
  return { draw, openNote, leaveNote: () => byId("reading").focus({ preventScroll: true }), note };
}
