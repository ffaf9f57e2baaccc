/** The section of queries: search, filter, sort and open them. */
import { integerText, plural, shorten, sliceName } from "../data/format.js";
import { announce, bdi, fill, h, watchEdges } from "../dom.js";
import { download, downloadSheet } from "../kit/files.js";
import { createFilter, filterName } from "../table/filter.js";
import { createTable } from "../table/table.js";
import { changeSize, chosenRows, createQueryColumns, layoutFor, outcomes, querySheet } from "./columns.js";
/** @import { Book } from "../data/data.js" */
/** @import { State, Store } from "../data/state.js" */

const QUERY_NOUN = /** @type {[string, string]} */ (["query", "queries"]);

/** The outcomes and their labels. @type {[State["only"], string][]} */
const OUTCOME_CHIPS = [["", "all"], ["better", "better"], ["worse", "worse"], ["same", "same"], [
  "missing",
  "no value",
]];

/** Example filters for this page and their meaning. @param {Book} book @param {State} state @returns {[string, string][]} */
export function filterExamples({ facts }, { measure, a, b }) {
  const [first, second] = [a, b].map((run) => filterName(facts.runs[run]));
  const limit = facts.measures[measure].whole ? "3" : "0.2";
  const other = facts.measures[measure ? 0 : 1];
  /** @type {[string, string][]} */
  const examples = [
    ["river bank", "both words occur in the id or text"],
    ['"river bank" -money', "the phrase occurs, the word does not"],
    [`${second}<${limit}`, `value below ${limit}`],
    [`${second}=missing`, "no value"],
  ];
  if (a !== b) {
    examples.push([`${second}>${first}`, "one run has a higher value than the other"]);
    examples.push([`|diff|>${limit}`, `large difference; diff>${limit} if ${second} is higher`]);
  }
  if (other) {
    examples.push([`${filterName(other.name)}(${second})<${other.whole ? "3" : "0.2"}`, "value of another measure"]);
  }
  if (facts.relevant) examples.push(["relevant<3", "few relevant documents"]);
  return examples;
}

/** The field for the filter. @param {Book} book @param {Store} store @param {() => void} warm */
function filterField({ facts }, store, warm) {
  const run = filterName(facts.runs[store.get().b]);
  const field = /** @type {HTMLInputElement} */ (h("input.queries-field", {
    type: "search",
    id: "queries-field",
    placeholder: `words, ${shorten(run, 24)}<0.2${facts.runs.length > 1 ? ", diff>0.1" : ""}`,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": "queries-note",
    onfocus: warm, // prepare the search before the first letter is typed
    oninput: () => store.set({ q: field.value }),
  }));
  return field;
}

/** Examples of the filter language; a click adds one. @param {Book} book @param {Store} store @param {HTMLElement} field */
function filterHelp(book, store, field) {
  const list = h("dl.queries-examples");
  const add = (/** @type {string} */ text) => {
    store.set({ q: `${store.get().q.trim()} ${text}`.trim() });
    field.focus();
  };
  const draw = () =>
    fill(
      list,
      filterExamples(book, store.get()).map(([text, meaning]) =>
        h(
          "div.row.wrap",
          h("dt", h("button.queries-example.mono.size-13.anywhere", { onclick: () => add(text) }, text)),
          h("dd", meaning),
        )
      ),
    );
  const last = h("p", "All conditions must hold. Quote names that contain spaces. = compares the four decimals shown.");
  return h("details.queries-help.soft.size-13", { ontoggle: draw }, h("summary", "How to filter"), list, last);
}

/** Buttons for the outcomes, with the number of queries. @param {Book} book @param {Store} store */
function outcomeChips({ facts }, store) {
  const buttons = OUTCOME_CHIPS.map(([only]) =>
    h("button.queries-chip.soft.size-14.nowrap", { onclick: () => store.set({ only }) })
  );
  const group = h("div.queries-chips.row.wrap.box", { role: "group", hidden: facts.runs.length < 2 }, buttons);
  /** @param {Map<string, number>} counts */
  function draw(counts) {
    const { a, b, only, measure } = store.get();
    group.setAttribute("aria-label", `${facts.runs[b]} against ${facts.runs[a]}, ${facts.measures[measure].name}`);
    OUTCOME_CHIPS.forEach(([kind, word], i) => {
      const number = counts.get(kind) ?? 0;
      fill(buttons[i], `${word} `, h("span.queries-number", { class: kind }, integerText(number)));
      buttons[i].setAttribute("aria-pressed", String(kind === only));
      buttons[i].hidden = kind === "missing" && !number && only !== kind;
    });
  }
  return { group, draw };
}

/** A select for the slice, by index, because labels may be empty. @param {Book} book @param {Store} store */
function sliceSelect({ facts }, store) {
  const options = facts.slices.map(({ label, rows }, i) =>
    h("option", { value: i }, `${shorten(sliceName(label), 40)} (${integerText(rows.length)})`)
  );
  const select = /** @type {HTMLSelectElement} */ (h(
    "select.queries-slice.size-14",
    {
      "aria-label": "Slice of queries",
      hidden: !facts.slices.length,
      onchange: () => store.set({ slice: select.value ? facts.slices[Number(select.value)].label : null }),
    },
    h("option", { value: "" }, "all slices"),
    options,
  ));
  return select;
}

/** Describe the numbers in the table. @param {Book} book @param {State} state */
function legendLine({ facts, short }, { measure, a, b, sort }) {
  const { name, lower } = facts.measures[measure];
  const values = ["Values: ", bdi(name), lower ? ", lower is better." : "."];
  const run = (/** @type {number} */ place) => bdi(shorten(short[place], 40), { title: facts.runs[place] });
  if (a === b) return values;
  const order = sort === "change" ? " Largest differences first." : "";
  return [...values, " Difference: ", run(b), " − ", run(a), " (underlined).", order];
}

/** All queries, in the slice `selected` or not. @param {Book} book @param {string[]} ids */
export function sliceSheet({ facts }, ids) {
  const chosen = new Set(ids);
  const rows = facts.queries.map((id) => [id, chosen.has(id) ? "selected" : "other"]);
  return { name: "slice", header: ["query", "slice"], rows };
}

/**
 * Mount the section. The store holds all selections. Return the order of the table, and a function that finds the element of a
 * query, to restore the focus.
 *
 * @param {HTMLElement} host @param {Book} book @param {Store} store @param {Selection} selection
 */
export function mountQueries(host, book, store, selection) {
  const { facts } = book;
  const places = new Map(facts.queries.map((id, row) => [id, row]));
  const columnsOf = createQueryColumns(book, (row) => store.link({ query: facts.queries[row] }));
  const field = filterField(book, store, selection.warm);
  const chips = outcomeChips(book, store);
  const slices = sliceSelect(book, store);
  const note = h("p.queries-note.size-14.anywhere", { id: "queries-note", role: "status" });
  const count = h("p.queries-count.semibold.size-15", { "aria-live": "polite" });
  const legend = h("p.queries-legend.fill.size-14.soft");
  const none = h(
    "p.queries-none.box.soft",
    "No matching queries. ",
    h("button.quiet", { onclick: () => store.set({ q: "", only: "", slice: null }) }, "Clear filters"),
  );
  const frame = h("div.queries-frame");
  const saver = (/** @type {string} */ name, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
    h("button.quiet", { onclick, title }, name);
  const save = saver("CSV", "Download these rows with all measures, runs, differences and slices", saveSheet);
  const saveIds = () => download("queries.txt", "text/plain", `${rowIds().join("\n")}\n`);
  const saveSlice = () => downloadSheet(sliceSheet(book, rowIds()));
  const keep = [
    saver("Save ids", "Download the ids of these queries, one per line", saveIds),
    saver("Save as slice", "Download a table of queries and slices, for judged compare --slices", saveSlice),
  ];
  host.append(
    h(
      "div.queries",
      { role: "search" },
      h("label.queries-label.semibold.size-14", { for: "queries-field" }, "Find queries"),
      h("div.queries-tools.row.wrap", field, slices, chips.group),
      note,
      filterHelp(book, store, field),
      h("div.queries-line.row.wrap", count, legend, ...keep, save),
    ),
    frame,
    none,
  );

  let { layout, room } = spaceFor(store.get());
  let columns = columnsOf(store.get(), layout, room);
  const table = createTable(frame, {
    columns,
    rows: [],
    label: "Queries",
    onOpen: (row) => store.set({ query: facts.queries[row] }, { push: true }),
    onSort: (sort, down) => store.set({ sort, down }),
  });

  /** Return the width of the table in rem and the layout for it. @param {State} state */
  function spaceFor(state) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const width = (host.clientWidth - 2) / rem;
    return { layout: layoutFor(columnsOf(state, "wide", width), width), room: width };
  }

  /** @param {State} state */
  function drawColumns(state) {
    ({ layout, room } = spaceFor(state));
    columns = columnsOf(state, layout, room);
    table.element.style.setProperty("--queries-room", `${room}rem`);
  }

  /** @param {State} state */
  function drawRows(state) {
    const { rows, counts, notes, picked } = selection.of(state);
    const known = columns.some(({ key }) => key === state.sort);
    const change = state.sort === "change" && facts.runs.length > 1;
    const sorting = known || change ? { sort: state.sort, down: state.down } : { sort: "id", down: false };
    keep.forEach((button) => button.hidden = !picked || !rows.length);
    const label = `Queries by ${facts.measures[state.measure].name}`;
    [frame.hidden, none.hidden] = [!rows.length, !!rows.length];
    const tall = layout === "phone" && facts.texts !== null;
    const current = places.get(state.query) ?? -1;
    const sortValue = change ? changeSize(book, state) : undefined;
    table.update({ columns, rows, label, tall, current, sortValue, ...sorting });
    chips.draw(counts);
    fill(legend, legendLine(book, state));
    fill(note, notes.join(" "));
    const all = plural(facts.queries.length, ...QUERY_NOUN);
    fill(count, rows.length === facts.queries.length ? all : `${integerText(rows.length)} of ${all}`);
    if (field.value !== state.q) field.value = state.q;
    slices.value = String(facts.slices.findIndex(({ label }) => label === state.slice)).replace("-1", "");
  }

  /** @param {State} state @param {string[]} changed */
  function refresh(state, changed) {
    const touched = (/** @type {string[]} */ ...keys) => keys.some((key) => changed.includes(key));
    if (touched("measure", "a", "b")) drawColumns(state);
    if (touched("measure", "a", "b", "q", "only", "slice", "sort", "down")) drawRows(state);
    else if (touched("query")) table.setCurrent(places.get(state.query) ?? -1);
  }

  function rowIds() {
    return Array.from(table.order(), (row) => facts.queries[row]);
  }

  function saveSheet() {
    downloadSheet(querySheet(book, table.order(), store.get()));
    announce(`Saved ${plural(table.order().length, ...QUERY_NOUN)} as queries.csv.`);
  }

  drawColumns(store.get());
  drawRows(store.get());
  watchEdges(table.element, frame);
  store.subscribe(refresh);
  new ResizeObserver(() => {
    const space = spaceFor(store.get());
    if (space.layout === layout && (layout !== "phone" || space.room === room)) return;
    drawColumns(store.get());
    drawRows(store.get());
  }).observe(host);

  return { order: () => Array.from(table.order()), origin: table.scrollTo };
}

// ── The queries that the reader's filters leave; shared by the table and the charts ──

/**
 * @typedef {{rows: number[], counts: Map<string, number>, notes: string[], picked: Set<number> | null}} Selected
 *   picked: null if no filter is set
 * @typedef {ReturnType<typeof createSelection>} Selection
 */

/** Return a test for the rows of a slice. @param {Book} book @param {string | null} label @returns {(row: number) => boolean} */
export function sliceTest({ facts }, label) {
  const slice = facts.slices.find((one) => one.label === label);
  if (!slice) return () => true;
  const rows = new Set(slice.rows);
  return (row) => rows.has(row);
}

/** @param {Book} book */
export function createSelection(book) {
  const filter = createFilter(book);
  return {
    warm: filter.warm,
    /** @param {State} state @returns {Selected} */
    of(state) {
      const { q, only, slice, measure, a, b } = state;
      return book.once("selected", JSON.stringify([q, only, slice, measure, a, b]), () => {
        const kinds = book.once("outcomes", `${measure} ${a} ${b}`, () => outcomes(book, state));
        const { test, notes } = filter.parse(q, state);
        const within = sliceTest(book, slice);
        const { rows, counts } = chosenRows(kinds.length, (row) => within(row) && test(row), kinds, only);
        const set = q.trim() !== "" || only !== "" || slice !== null;
        return { rows, counts, notes, picked: set ? new Set(rows) : null };
      });
    },
  };
}

/**
 * The order of queries for the previous and next buttons: that of the chart from which a query was opened, or of the table.
 *
 * @typedef {{order: () => number[], words: string}} Way an order of queries and its name
 * @typedef {ReturnType<typeof createTrail>} Trail
 */

/** @param {() => Way} table the default order */
export function createTrail(table) {
  /** @type {Way | null} */
  let taken = null;
  return {
    /** Use another order until the query is closed. @param {Way} way */
    follow(way) {
      taken = way;
    },
    /** Return to the default order. */
    leave() {
      taken = null;
    },
    /** @returns {Way} */
    way: () => taken ?? table(),
  };
}
