/** The start page, and the dialogs: keys, export and import. */
import { plural } from "../data/format.js";
import { bdi, byId, fill, h, openDialog } from "../dom.js";
import { download } from "../kit/files.js";
import { fitsQrels, jsonLines, qrelsBytes } from "./judgments.js";
import { importText } from "./session.js";
/** @import { Session, Work } from "./session.js" */

/** The keys. @param {Work} work */
export function openHelp({ scale }) {
  /** @type {[string[], string][]} */
  const keys = [
    [scale.map(({ key }) => key), "Give the grade, and go to the next document without one"],
    [["←", "→"], "Previous and next document (also k and j)"],
    [["[", "]"], "Previous and next query"],
    [["↑", "↓"], "Scroll; in the list, previous and next document"],
    [["u"], "Undo the last judgment"],
    [["Delete"], "Take back the grade of this document"],
    [["n"], "Write a note; Escape returns to the document"],
    [["l"], "One document, or the list of the query"],
    [["e"], "Export and import"],
    [["?"], "This help"],
  ];
  openDialog(
    "Keys",
    h(
      "dl.label-keys",
      keys.map(([names, words]) => h("div", h("dt.row.wrap", names.map((name) => h("kbd", name))), h("dd", words))),
    ),
    h(
      "p.label-small.soft.size-14",
      "Every judgment is kept in this browser at once, and stays after a reload. Nothing is sent anywhere: export the judgments to hand them over.",
    ),
  );
}

/** Return the name of an exported file. @param {Session} session @param {string} ending */
function fileName({ judge }, ending) {
  return `judgments${judge.name ? `-${judge.name}` : ""}.${ending}`;
}

/** @param {Session} session */
export function exportLines(session) {
  download(fileName(session, "jsonl"), "application/x-ndjson", jsonLines(session.records()));
}

/** Export, import, and saving to a file. @param {Session} session */
export function openExport(session) {
  const records = session.records();
  const notes = [...session.store.judgments.values()].filter(({ grade, note }) => grade === null && note).length;
  const status = h("p.label-small.soft.size-14", { role: "status" });
  /** @param {string} title @param {string} words @param {() => void} onclick */
  const wide = (title, words, onclick, disabled = false) => {
    const name = h("span.label-name.semibold", title);
    return h("button.label-wide.box", { onclick, disabled }, name, h("span.label-description.soft.size-13", words));
  };
  const qrels = fitsQrels(records);
  const input = /** @type {HTMLInputElement} */ (h("input.unseen", {
    type: "file",
    id: "import",
    tabindex: "-1",
    accept: ".jsonl,.txt,.qrels,.json",
    "aria-label": "File of judgments",
  }));
  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    if (!file) return;
    fill(status, loadText(session, await file.text()));
    input.value = "";
  });
  openDialog(
    "Export and import",
    h(
      "p",
      `${plural(records.length, "document")} of ${session.order.length.toLocaleString("en")} judged.`,
      notes
        ? ` ${plural(notes, "note")} without a grade ${notes === 1 ? "is" : "are"} kept here but not exported.`
        : "",
    ),
    h(
      "div.label-choices",
      wide(
        "JSON Lines",
        "With judge, time and note. judged agree and judged merge read it.",
        () => exportLines(session),
      ),
      wide(
        "TREC qrels",
        qrels ? "Query, document and grade only." : "Not possible: an id contains a blank. Use JSON Lines.",
        () => download(fileName(session, "qrels"), "text/plain", new Blob([qrelsBytes(records)])),
        !qrels,
      ),
      "showSaveFilePicker" in window
        ? wide("Save to a file", "Choose a file; from then on every judgment is written to it.", async () => {
          fill(status, await saveText(session));
        })
        : null,
      wide(
        "Import",
        "Judgments from an export. Of two judgments of a document the later one is kept.",
        () => input.click(),
      ),
    ),
    input,
    status,
  );
}

/** Import the text of a file, and say what happened. @param {Session} session @param {string} text */
export function loadText(session, text) {
  try {
    const { found, total, changed } = session.load(text);
    return importText(found, total, changed);
  } catch (error) {
    return `Nothing was imported: ${/** @type {Error} */ (error).message}.`;
  }
}

/** Choose the file to save to. What it has already is imported first, so that nothing is overwritten. @param {Session} session */
async function saveText(session) {
  try {
    const before = await session.file.choose(fileName(session, "jsonl"));
    if (before === null) return "No file was chosen.";
    const said = before.trim() ? session.load(before) : null;
    await session.file.save();
    const name = session.file.handle?.name ?? "the file";
    session.rememberedFile(name);
    return said ? `Saving to ${name}; ${plural(said.changed, "judgment")} taken from it.` : `Saving to ${name}.`;
  } catch (error) {
    session.file.handle = null;
    return `Cannot save to this file: ${/** @type {Error} */ (error).message}. It is unchanged.`;
  }
}

/** Ask who is judging. @param {HTMLElement} box @param {Work} work @param {(name: string) => number} doneBy number of documents that a judge has judged @param {(name: string) => void} choose */
export function drawStart(box, work, doneBy, choose) {
  const open = work.judges.length === 1 && work.judges[0].name === "";
  const title = h("h2", { id: "start-title" }, "Who is judging?");
  if (!open) {
    const buttons = work.judges.map(({ name, order }) => {
      const done = doneBy(name);
      return h(
        "button.label-wide.box",
        { onclick: () => choose(name) },
        h("span.label-name.semibold", bdi(name)),
        h(
          "span.label-description.soft.size-13",
          `${plural(order.length, "document")}${done ? `, ${done} judged` : ""}`,
        ),
      );
    });
    fill(box, title, h("div.label-choices", buttons), aboutNode(work));
    return;
  }
  const input = /** @type {HTMLInputElement} */ (h("input.fill", {
    id: "name",
    type: "text",
    maxlength: 80,
    autocomplete: "name",
  }));
  const form = h(
    "form",
    h("label", { for: "name" }, "Your name, as it should appear with your judgments"),
    h("div.label-name-row.row", input, h("button.label-primary.semibold", { type: "submit" }, "Start")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose(input.value.trim());
  });
  fill(box, title, form, aboutNode(work));
  input.focus();
}

/** @param {Work} work */
function aboutNode({ scale, items, queries }) {
  return h(
    "div.label-about",
    h("p", `${plural(items.length, "document")} of ${plural(queries.length, "query", "queries")}. The grades:`),
    h(
      "ul.disc",
      scale.map(({ number, name, description }) =>
        h("li", h("b", `${number}  ${name}`), description ? `: ${description}` : "")
      ),
    ),
    h("p.label-small.soft.size-14", "Judgments are kept in this browser. Nothing is sent anywhere."),
  );
}

/** Show what is in danger, loudly. @param {Session} session */
export function drawAlert(session) {
  const box = byId("alert");
  const { endangered, file } = session;
  const failed = file.state === "failed";
  box.hidden = !endangered && !failed;
  const key = `${endangered} ${failed}`;
  if (box.hidden || box.dataset.said === key) {
    if (box.hidden) delete box.dataset.said;
    return;
  }
  box.dataset.said = key;
  const words = endangered
    ? `Not saved: the browser's storage is full or turned off. ${plural(endangered, "judgment")} ${
      endangered === 1 ? "exists" : "exist"
    } in this tab only. Export before you close it.`
    : `Cannot write to ${file.handle?.name ?? "the file"}. The judgments are kept in this browser.`;
  const retry = () => {
    session.store.retry();
    if (failed) session.file.save();
    session.tell();
  };
  fill(
    box,
    h("span", words),
    h("button.quiet", { onclick: () => exportLines(session) }, "Export now"),
    h("button.quiet", { onclick: retry }, "Try again"),
  );
}
