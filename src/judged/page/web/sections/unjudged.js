/** Whether unjudged documents could change who is first, and the documents worth judging. */
import { plural } from "../data/format.js";
import { byId, fill, h } from "../dom/dom.js";
import { wordNodes } from "../dom/dot.js";
import { csvText } from "../kit/csv.js";
import { download } from "../kit/download.js";

/** @typedef {import("../data/data.js").Book} Book */

/** The documents worth judging, as a table. @param {Book} book @returns {import("../kit/csv.js").Sheet} */
export function judgeSheet({ facts }) {
  const runs = (facts.verdicts[0].pair ?? [0]).map((run) => `rank in ${facts.runs[run]}`);
  const rows = facts.judge.map(([query, ...rest]) => [facts.queries[query], ...rest]);
  return { name: "documents-to-judge", header: ["query", "document", ...runs], rows };
}

/** @param {Book} book @param {import("../data/state.js").Store} store */
export function mountUnjudged(book, store) {
  const { facts } = book;
  const line = byId("unjudged-answer");
  const save = () => {
    const sheet = judgeSheet(book);
    download(`${sheet.name}.csv`, "text/csv;charset=utf-8", csvText(sheet));
  };
  const draw = () => {
    const answer = facts.unjudged[store.get().measure];
    const question = facts.runs.length > 1 ? "Could unjudged documents change who is first? " : "";
    const list = answer?.change && facts.judge.length > 0 && [
      " ",
      h("button", {
        type: "button",
        class: "quiet",
        onclick: save,
        title: "Unjudged documents in the order of judged next",
      }, `Save ${plural(facts.judge.length, "document")} to judge first (CSV)`),
    ];
    fill(line, answer ? [h("strong", {}, question), ...wordNodes(book, answer.words), ...(list || [])] : []).hidden =
      !answer;
  };
  store.subscribe((_, changed) => changed.includes("measure") && draw());
  draw();
}
