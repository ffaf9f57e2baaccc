/** Entry point: fill the sections of the page and connect them to the state. */
import { openBook } from "./data/data.js";
import { shorten } from "./data/format.js";
import { createState } from "./data/state.js";
import { bdi, byId, copyText, fill, h, mountTheme, runDot, selectOf, watchEdges } from "./dom.js";
import { createSelection, createTrail, mountQueries } from "./queries/queries.js";
import { mountQuery } from "./query/dialog.js";
import { aboutButton, mountAnswer, mountFilters } from "./sections/answer.js";
import { mountChanges } from "./sections/changes.js";
import { mountCharts } from "./sections/sections.js";
import { mountBoard, mountSummary } from "./sections/summary.js";
/** @import { Book } from "./data/data.js" */
/** @import { Store } from "./data/state.js" */

const SECTIONS = [
  ["warnings", "Warnings"],
  ["changes", "Changes"],
  ["runs", "Results"],
  ["differences", "Difference"],
  ["queries", "Queries"],
  ["slices", "Slices"],
  ["curves", "Curves"],
  ["unjudged", "Unjudged"],
  ["methods", "Methods"],
];

/** @param {string} label @param {string[]} names @param {() => number} now @param {(place: number) => void} choose */
function chooser(label, names, now, choose) {
  const select = selectOf("select", {}, names, now(), choose);
  const show = () => select.value = String(now());
  return { element: h("label.row", { class: `choice-${label}` }, h("span", label), select), select, show };
}

/** Set up the bar that selects the measure and two runs and links to the sections. @param {Book} book @param {Store} store */
function mountTools(book, store) {
  const { measures, runs } = book.facts;
  const names = measures.map(({ name }) => name);
  const found = [chooser("measure", names, () => store.get().measure, (measure) => store.set({ measure }))];
  if (runs.length > 1) {
    found.push(chooser("run", book.short, () => store.get().b, (b) => store.set({ b })));
    found.push(chooser("versus", book.short, () => store.get().a, (a) => store.set({ a })));
  }
  const discs = () => {
    found.slice(1).forEach(({ element, select }) => {
      element.querySelector(".dot")?.remove();
      element.insertBefore(runDot(book, Number(select.value), store.get()), select);
    });
  };
  const explain = () => {
    found[0].element.parentElement?.querySelector(".explain")?.remove();
    found[0].element.after(aboutButton(measures[store.get().measure]));
  };
  fill(byId("tools"), found.map(({ element }) => element), sectionLinks(runs.length > 1)).hidden = false;
  store.follow(["measure", "a", "b"], () => {
    found.forEach(({ show }) => show());
    discs();
  });
  store.follow(["measure"], explain);
}

/** Links to the sections, and a select for narrow pages. @param {boolean} several */
function sectionLinks(several) {
  if (!several) SECTIONS[1][1] = "Worst";
  const there = SECTIONS.filter(([id]) => !byId(id).hidden && byId(id).dataset.count !== "0");
  const links = there.map(([id, title]) => {
    const onclick = (/** @type {Event} */ event) => {
      event.preventDefault();
      leadTo(id);
    };
    return h("a", { href: `#${id}`, onclick }, title);
  });
  const select = /** @type {HTMLSelectElement} */ (h(
    "select.sections",
    { "aria-label": "Go to a section" },
    h("option", { value: "" }, "Sections"),
    there.map(([id, title]) => h("option", { value: id }, title)),
  ));
  select.addEventListener("change", () => {
    const id = select.value;
    select.value = "";
    if (id) leadTo(id);
  });
  return [h("nav.size-13", { "aria-label": "Sections" }, links), select];
}

/** Go to a section without changing the address, which stores the state. @param {string} id */
function leadTo(id) {
  const target = byId(id);
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
  const title = byId(`${id}-title`);
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

/** Show a notice if the address names something that is not on this page. @param {Store} store */
function mountNotice(store) {
  const line = byId("notice");
  const dismiss = h("button.quiet.icon", { "aria-label": "Dismiss", onclick: () => line.hidden = true }, "×");
  const show = () => {
    const unknown = store.unknown();
    const words = unknown.flatMap(({ noun, name }, i) => {
      const before = !i ? "Not on this page: " : i < unknown.length - 1 ? ", " : " and ";
      return [`${before}${noun} `, bdi(shorten(name, 60), { title: name })];
    });
    fill(line, h("span", ...words, "."), dismiss).hidden = !unknown.length;
  };
  addEventListener("hashchange", show);
  show();
}

/** Return the methods, references and inputs as plain text. @param {Book} book */
function methodsText({ facts }) {
  const inputs = facts.inputs.map(({ role, name, of, sha256 }) => `${role} ${name}: SHA-256 (${of}) ${sha256}`);
  const part = (/** @type {string} */ title, /** @type {string[]} */ lines) =>
    lines.length ? [`${title}\n${lines.map((line) => `- ${line}`).join("\n")}`] : [];
  return [...facts.methods, ...part("References", facts.citations), ...part("Inputs", inputs)].join("\n\n");
}

/** Add a button that copies the methods. @param {Book} book */
function mountMethods(book) {
  const select = () => getSelection()?.selectAllChildren(byId("methods-all"));
  const button = h("button.quiet", { onclick: () => copyText(button, methodsText(book), select) }, "Copy");
  byId("methods-title").append(" ", button);
}

/** Set up the button that copies the answer and the table of runs, to be pasted. @param {Book} book */
function mountCopy({ facts: { markdown } }) {
  const button = byId("copy");
  button.hidden = !markdown;
  const select = () => {
    const field = h("textarea.unseen", { readonly: true, "aria-label": "The answer as Markdown" }, markdown);
    button.after(field);
    /** @type {HTMLTextAreaElement} */ (field).select();
  };
  button.addEventListener("click", () => copyText(button, markdown, select));
}

/** Fill the page from top to bottom. */
export async function start() {
  mountTheme();
  try {
    const book = await openBook(document);
    const store = createState(book, window);
    mountCopy(book);
    const several = book.facts.runs.length > 1;
    const there = {
      changes: true,
      differences: several,
      queries: true,
      slices: several && book.facts.parts.length > 0,
      curves: book.facts.pictures.length > 0,
      unjudged: book.facts.coverage !== null,
    };
    for (const [id, shown] of Object.entries(there)) byId(id).hidden = !shown;
    mountTools(book, store);
    mountNotice(store);
    const selection = createSelection(book);
    mountAnswer(book, store, () => leadTo("queries"));
    mountFilters(book, store, selection);
    mountBoard(book, store);
    mountSummary(byId("summary"), book, store);
    fill(byId("key"), book.facts.key && `${book.facts.key[0].toUpperCase()}${book.facts.key.slice(1)}.`);
    mountMethods(book);
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".scroll"))) watchEdges(box);
    const trail = createTrail(() => ({ order: list.order, words: "in table order" }));
    if (!several) byId("changes-title").textContent = "Queries with the worst values";
    mountChanges(byId("change-list"), book, store, trail);
    mountCharts(book, store, trail, selection);
    const list = mountQueries(byId("query-list"), book, store, selection);
    mountQuery(book, store, { way: trail.way, left: trail.leave, origin: list.origin });
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    fill(
      byId("trouble"),
      `Cannot show the rest of this page (${error}). It requires a browser released in 2023 or later.`,
    )
      .hidden = false;
    throw error;
  }
}
