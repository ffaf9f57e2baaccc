/** The query, and its documents: one at a time, or as a list. */
import { integerText, plural, shorten } from "../data/format.js";
import { bdi, byId, fill, h } from "../dom.js";
import { markedWords, wordsOf } from "../query/words.js";
import { gradeCounts } from "./session.js";
/** @import { DocumentText, Session } from "./session.js" */

const SNIPPET = 280;

/** The class of the colour of a grade, from the lowest to the highest of the scale. @param {Session} session @param {number | null} grade */
export function gradeTone({ work: { scale } }, grade) {
  if (grade === null) return "";
  const place = scale.findIndex(({ number }) => number === grade);
  return `grade${Math.round(4 * place / (scale.length - 1))}`;
}

/** A small disc with a grade. @param {Session} session @param {number | null} grade */
function gradeDisc(session, grade) {
  const words = grade === null ? "no grade" : `grade ${grade}`;
  const properties = { class: gradeTone(session, grade), role: "img", "aria-label": words };
  return h("span.label-disc.size-14.bold", properties, grade);
}

/** The query, and where its documents stand. @param {HTMLElement} box @param {Session} session */
export function drawQuery(box, session) {
  const { item, work } = session;
  box.hidden = item === null;
  if (item === null) return;
  const { query: place } = work.items[item];
  const query = work.queries[place];
  const near = session.neighbours();
  const queries = [...new Set(session.order.map((other) => work.items[other].query))];
  fill(
    box,
    h(
      "p.label-where.row.wrap.soft.size-14",
      h("span", `Query ${integerText(queries.indexOf(place) + 1)} of ${integerText(queries.length)}`),
      query.id === query.text ? null : bdi(query.id, { class: "label-id soft size-14 clip" }),
      h("span.label-count", `Document ${near.indexOf(item) + 1} of ${near.length}`),
    ),
    h("h2.label-query-text", { dir: "auto" }, query.text),
  );
}

/** The body of a document. @param {DocumentText} text @param {Set<string>} words */
function bodyNodes({ title, text, cut }, words) {
  return [
    title ? h("h3.label-title", { dir: "auto" }, markedWords(title, words)) : null,
    text ? h("p.label-text", { dir: "auto" }, markedWords(text, words)) : null,
    cut ? h("p.label-cut.size-14", "The text is longer; this page has its beginning only.") : null,
  ];
}

/** Draw the current document, alone or in the list of its query; false if another one was chosen in the meantime. @param {HTMLElement} box @param {Session} session @param {() => boolean} isCurrent */
export async function drawReading(box, session, isCurrent) {
  const { item, work } = session;
  if (item === null) {
    fill(box, summaryNodes(session));
    return true;
  }
  const words = wordsOf(work.queries[work.items[item].query].text);
  const near = session.view === "list" ? session.neighbours() : [item];
  const texts = await Promise.all(near.map(session.textOf));
  if (!isCurrent()) return false;
  if (session.view === "one") fill(box, documentNode(session, item, texts[0], words));
  else fill(box, h("ol.label-list", near.map((other, i) => listNode(session, other, texts[i], words))));
  const later = session.order[session.at + 1];
  if (later !== undefined) session.textOf(later); // unpacked before it is needed
  return true;
}

/** @param {Session} session @param {number} item @param {DocumentText} text @param {Set<string>} words */
function documentNode(session, item, text, words) {
  const id = h("p.label-id.clip.soft.size-14", "Document ", bdi(session.work.items[item].doc));
  return h("article.label-document", bodyNodes(text, words), id);
}

/** @param {Session} session @param {number} item @param {DocumentText} text @param {Set<string>} words */
function listNode(session, item, text, words) {
  const now = item === session.item;
  const { doc } = session.work.items[item];
  const content = now ? bodyNodes(text, words) : [
    text.title
      ? h("span.label-name.semibold", { dir: "auto" }, markedWords(shorten(text.title, SNIPPET), words))
      : null,
    h("span.clamp", { dir: "auto" }, markedWords(shorten(text.text, SNIPPET), words)),
  ];
  const open = () => session.go(session.order.indexOf(item));
  return h(
    "li.label-row",
    { "aria-current": now ? "true" : null },
    gradeDisc(session, session.store.grade(item)),
    now ? h("div", content) : h("button", { onclick: open, title: doc }, content),
  );
}

/** The end: what was judged, and what is left. @param {Session} session */
function summaryNodes(session) {
  const { order, store, work: { scale } } = session;
  const [done, left] = [store.count, order.length - store.count];
  const grades = order.map((item) => store.grade(item));
  const counts = gradeCounts(scale.map(({ number }) => number), grades);
  const lead = left
    ? `${plural(left, "document")} ${left === 1 ? "has" : "have"} no grade yet.`
    : `All ${plural(done, "document")} are judged.`;
  return h(
    "div.label-end",
    h("h2", left ? "The end of the list" : "Done. Thank you!"),
    h("p", left ? lead : `${lead} Export them and send the file to whoever asked you.`),
    h(
      "table.label-counts",
      h("caption.unseen", "Documents per grade"),
      h(
        "tbody",
        scale.map(({ number, name }, i) => {
          return h(
            "tr",
            h("th", { scope: "row" }, `${number}  ${name}`),
            h("td", integerText(counts[i])),
          );
        }),
      ),
    ),
  );
}

// ── The grades with their descriptions, the note, and the buttons to move ──

/** Build the panel once; `draw` shows the current document in it. @param {HTMLElement} box @param {Session} session @param {{give: (grade: number) => void, undo: () => void}} acts */
export function mountPanel(box, session, { give, undo }) {
  const buttons = session.work.scale.map(({ number, name, description, key }) => {
    const button = h(
      "button.label-grade.box",
      { "aria-keyshortcuts": key },
      h("span.label-number.size-14.bold", { class: gradeTone(session, number), "aria-hidden": "true" }, number),
      h(
        "span.label-words",
        h("span.label-name.semibold", h("span.unseen", `${number} `), name),
        description ? h("span.label-description.soft.size-13", description) : null,
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
  const noteBox = h("div.label-note", h("label.soft.size-14", { for: "note" }, "Note ", h("kbd", "n")), note);
  const small = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ onclick) =>
    h("button.quiet", { "aria-keyshortcuts": key, onclick }, text);
  const back = small("← Back", "ArrowLeft", () => session.go(session.at - 1));
  const on = small("Next →", "ArrowRight", () => session.go(session.at + 1));
  const undoButton = small("Undo", "u", undo);
  const noteButton = small("Note", "n", () => openNote());
  noteButton.classList.add("label-note-button");
  fill(
    box,
    h(
      "div.label-grades",
      { role: "group", "aria-label": "Grades", "data-many": buttons.length > 4 },
      buttons.map(({ button }) => button),
    ),
    noteBox,
    h("div.label-moves.row.wrap", back, on, undoButton, noteButton),
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
    fill(undoButton, given === null ? "Undo " : `Undo ${given} `, h("kbd", "u"));
    const text = end ? "" : session.store.note(item);
    if (shown !== item || document.activeElement !== note) {
      if (note.value !== text) note.value = text;
      if (shown !== item) box.dataset.note = text ? "open" : "closed";
    }
    shown = item ?? -1;
  };
  return { draw, openNote, leaveNote: () => byId("reading").focus({ preventScroll: true }), note };
}
