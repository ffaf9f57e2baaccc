/** The page: its sections in order, each filled from the book and following what the reader chose. */
import { openBook } from "./data.js";
import { byId, fill, h } from "./dom.js";
import { mountQueries } from "./queries.js";
import { mountQuery } from "./query.js";
import { mountCharts } from "./sections.js";
import { createState } from "./state.js";
import { mountSummary, runDisc } from "./summary.js";

/** @typedef {import("./data.js").Book} Book */
/** @typedef {import("./state.js").Store} Store */

const SECTIONS = [
  ["runs", "Runs"],
  ["differences", "Pair"],
  ["queries", "Queries"],
  ["slices", "Slices"],
  ["curves", "Curves"],
  ["unjudged", "Unjudged"],
  ["methods", "Methods"],
];

/** Light or dark: the button says what it would make of the page. */
function mountTheme() {
  const [root, button] = [document.documentElement, byId("theme")];
  const other = () => (root.dataset.theme === "dark" ? "light" : "dark");
  const say = () => fill(button, `${other()[0].toUpperCase()}${other().slice(1)}`);
  button.addEventListener("click", () => {
    root.dataset.theme = other();
    say();
    try {
      localStorage.setItem("judged-theme", root.dataset.theme);
    } catch {
      // A page from disk may have no storage: the choice holds until it is closed.
    }
  });
  button.setAttribute("aria-label", "Light or dark colours");
  button.hidden = false;
  say();
}

/** @param {string} label @param {string[]} names @param {() => number} now @param {(place: number) => void} choose */
function chooser(label, names, now, choose) {
  const select =
    /** @type {HTMLSelectElement} */ (h("select", {}, names.map((name, i) => h("option", { value: i }, name))));
  select.addEventListener("change", () => choose(Number(select.value)));
  const show = () => {
    select.value = String(now());
  };
  show();
  return { element: h("label", {}, label, select), select, show };
}

/** What chooses the measure and the two runs, and leads to the sections. @param {Book} book @param {Store} store */
function mountTools(book, store) {
  const { measures, runs } = book.facts;
  const found = [
    chooser(
      "measure",
      measures.map(({ name }) => name),
      () => store.get().measure,
      (measure) => store.set({ measure }),
    ),
  ];
  if (runs.length > 1) {
    found.push(chooser("run", runs, () => store.get().b, (b) => store.set({ b })));
    found.push(chooser("against", runs, () => store.get().a, (a) => store.set({ a })));
  }
  const discs = () => {
    found.slice(1).forEach(({ element, select }) => {
      element.querySelector(".dot")?.remove();
      element.insertBefore(runDisc(Number(select.value)), select);
    });
  };
  store.subscribe(() => {
    found.forEach(({ show }) => show());
    discs();
  });
  discs();
  const links = SECTIONS.filter(([id]) => !byId(id).hidden).map(([id, title]) =>
    h("a", { href: `#${id}`, onclick: (/** @type {Event} */ event) => leadTo(event, id) }, title)
  );
  fill(byId("tools"), found.map(({ element }) => element), h("nav", { "aria-label": "Sections" }, links)).hidden =
    false;
}

/** To a section, without touching the address: that holds what the reader chose. @param {Event} event @param {string} id */
function leadTo(event, id) {
  event.preventDefault();
  byId(id).scrollIntoView();
  const title = byId(`${id}-title`);
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

/** @param {Book} book @param {Store} store */
function mountVerdict(book, store) {
  const say = () => {
    const { words, more } = book.facts.verdicts[store.get().measure];
    fill(byId("verdict"), words);
    fill(byId("more"), more.map((line) => h("li", {}, line)));
  };
  store.subscribe((_, changed) => changed.includes("measure") && say());
  if (store.get().measure !== 0) say();
}

/** A button that copies the methods as plain text. */
function mountMethods() {
  const text = () => [...byId("methods").querySelectorAll("p, li")].map((line) => line.textContent).join("\n\n");
  const button = h("button", { type: "button", class: "quiet" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      fill(button, "Copied");
    } catch {
      getSelection()?.selectAllChildren(byId("methods-text")); // without the right to the clipboard: marked, to be copied by hand
      fill(button, "Marked: copy it");
    }
  });
  byId("methods-title").append(" ", button);
}

/** Fill the page. What is seen first comes first. */
export async function start() {
  mountTheme();
  try {
    const book = await openBook(document);
    const store = createState(book, window);
    const several = book.facts.runs.length > 1;
    for (
      const [id, there] of /** @type {[string, boolean][]} */ ([
        ["differences", several],
        ["queries", true],
        ["slices", several && book.facts.parts.length > 0],
        ["curves", book.facts.pictures.length > 0],
        ["unjudged", book.facts.coverage !== null],
      ])
    ) byId(id).hidden = !there;
    mountTools(book, store);
    mountVerdict(book, store);
    mountSummary(byId("summary"), book, store);
    fill(byId("key"), book.facts.key);
    mountMethods();
    mountCharts(book, store);
    const list = mountQueries(byId("query-list"), book, store);
    mountQuery(book, store, list);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    fill(byId("trouble"), `The rest of this page could not be shown (${error}). It needs a browser of 2023 or later.`)
      .hidden = false;
    throw error;
  }
}
