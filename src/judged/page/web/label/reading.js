/** The query, and its documents: one at a time, or as a list. */
import { integerText, plural, shorten } from "../data/format.js";
import { bdi, fill, h } from "../dom/dom.js";
import { splitWords, wordsOf } from "../query/words.js";
import { durationText, gradeCounts, timeSpent } from "./progress.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./facts.js").DocumentText} DocumentText */

const SNIPPET = 280;
/** More documents than this are not drawn as a strip. */
const LONGEST_STRIP = 60;

/** A text with the words of the query marked. @param {string} text @param {Set<string>} words */
function marked(text, words) {
  return splitWords(text, words).map((part) => part.found ? h("mark", {}, part.text) : part.text);
}

/** The colour of a grade, from the lowest to the highest of the scale. @param {Session} session @param {number | null} grade */
export function gradeTone({ work: { scale } }, grade) {
  if (grade === null) return "none";
  const place = scale.findIndex(({ number }) => number === grade);
  return String(Math.round(4 * place / (scale.length - 1)));
}

/** A small disc with a grade. @param {Session} session @param {number | null} grade */
function gradeDisc(session, grade) {
  const words = grade === null ? "no grade" : `grade ${grade}`;
  return h(
    "span",
    { class: "label-disc", "data-tone": gradeTone(session, grade), role: "img", "aria-label": words },
    grade === null ? "" : String(grade),
  );
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
  const strip = h(
    "span",
    { class: "label-strip", "aria-hidden": "true" },
    near.length > LONGEST_STRIP
      ? null
      : near.map((other) =>
        h("span", { "data-tone": gradeTone(session, session.store.grade(other)), "data-now": other === item })
      ),
  );
  fill(
    box,
    h(
      "p",
      { class: "label-where" },
      h("span", {}, `Query ${integerText(queries.indexOf(place) + 1)} of ${integerText(queries.length)}`),
      query.id === query.text ? null : bdi(query.id, { class: "label-id" }),
      h("span", { class: "label-count" }, `Document ${near.indexOf(item) + 1} of ${near.length}`),
      strip,
    ),
    h("h2", { class: "label-query-text", dir: "auto" }, query.text),
  );
}

/** The body of a document. @param {DocumentText} text @param {Set<string>} words */
function bodyNodes({ title, text, cut }, words) {
  return [
    title ? h("h3", { class: "label-title", dir: "auto" }, marked(title, words)) : null,
    text ? h("p", { class: "label-text", dir: "auto" }, marked(text, words)) : null,
    cut ? h("p", { class: "label-cut" }, "The text is longer; this page has its beginning only.") : null,
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
  else fill(box, h("ol", { class: "label-list" }, near.map((other, i) => listNode(session, other, texts[i], words))));
  const later = session.order[session.at + 1];
  if (later !== undefined) session.textOf(later); // unpacked before it is needed
  return true;
}

/** @param {Session} session @param {number} item @param {DocumentText} text @param {Set<string>} words */
function documentNode(session, item, text, words) {
  return h(
    "article",
    { class: "label-document" },
    bodyNodes(text, words),
    h("p", { class: "label-id" }, "Document ", bdi(session.work.items[item].doc)),
  );
}

/** @param {Session} session @param {number} item @param {DocumentText} text @param {Set<string>} words */
function listNode(session, item, text, words) {
  const now = item === session.item;
  const { doc } = session.work.items[item];
  const content = now ? bodyNodes(text, words) : [
    text.title ? h("span", { class: "label-name", dir: "auto" }, marked(shorten(text.title, SNIPPET), words)) : null,
    h("span", { class: "label-snippet", dir: "auto" }, marked(shorten(text.text, SNIPPET), words)),
  ];
  const open = () => session.go(session.order.indexOf(item));
  return h(
    "li",
    { class: "label-row", "aria-current": now ? "true" : null },
    gradeDisc(session, session.store.grade(item)),
    now ? h("div", {}, content) : h("button", { type: "button", onclick: open, title: doc }, content),
  );
}

/** The end: what was judged, and what is left. @param {Session} session */
function summaryNodes(session) {
  const { order, store, work: { scale } } = session;
  const [done, left] = [store.count, order.length - store.count];
  const grades = order.map((item) => store.grade(item));
  const counts = gradeCounts(scale.map(({ number }) => number), grades);
  const { spent } = timeSpent(
    [...store.judgments.values()].filter(({ grade }) => grade !== null).map(({ time }) => time),
  );
  const lead = left
    ? `${plural(left, "document")} ${left === 1 ? "has" : "have"} no grade yet.`
    : `All ${plural(done, "document")} are judged${spent >= 60_000 ? `, in ${durationText(spent)}` : ""}.`;
  const most = Math.max(...counts, 1);
  return h(
    "div",
    { class: "label-end" },
    h("h2", {}, left ? "The end of the list" : "Done. Thank you!"),
    h("p", {}, left ? lead : `${lead} Export them and send the file to whoever asked you.`),
    h(
      "table",
      { class: "label-counts" },
      h("caption", { class: "unseen" }, "Documents per grade"),
      h(
        "tbody",
        {},
        scale.map(({ number, name }, i) => {
          const bar = h("span", { class: "label-count-bar", "data-tone": gradeTone(session, number) });
          bar.style.width = `${100 * counts[i] / most}%`;
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, `${number}  ${name}`),
            h("td", {}, integerText(counts[i])),
            h("td", { class: "label-count-cell", "aria-hidden": "true" }, bar),
          );
        }),
      ),
    ),
  );
}
