/** The page of the interactive ranking. */
import { numberText, signedText } from "../../src/judged/page/web/data/format.js";
import { announce, byId, fill, h, mountTheme } from "../../src/judged/page/web/dom.js";
import { closingLine } from "../../src/judged/page/web/query/tables.js";
import { drawList, glide, gradeClass } from "./list.js";
import { measureAll } from "./measures.js";
import { judgedOf, moved, sorted, STARTS, Story } from "./state.js";
import { changeWords, differenceOf, effectsOf } from "./words.js";
/** @import { Measured } from "./measures.js" */
/** @import { Change, Doc, State } from "./state.js" */

const BEYOND = 2; // cutoffs beyond the list
const MOST_MISSED = 20;
const FRAME = 24; // pixels below the content of a frame

/** The text of a cell: at most four decimals, without zeros at the end. @param {number | boolean} cell */
function cellText(cell) {
  if (typeof cell === "boolean") return cell ? "yes" : "";
  return numberText(cell).replace(/\.?0+$/, "");
}

/** The tiles with the values. @param {Measured[]} now @param {Measured[]} old @param {number} chosen @param {(i: number) => void} choose */
function drawTiles(now, old, chosen, choose) {
  const box = byId("tiles");
  const focused = [...box.children].indexOf(/** @type {Element} */ (document.activeElement));
  fill(
    box,
    now.map((measured, i) => {
      const difference = differenceOf(old[i].value, measured.value);
      const tone = difference > 0 ? "better" : difference < 0 ? "worse" : "same";
      const sign = difference > 0 ? "▲ " : difference < 0 ? "▼ " : "";
      const bar = h("span.tile-bar", { "aria-hidden": "true" }, h("span"));
      /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${100 * measured.value}%`;
      return h(
        "button.tile",
        { "aria-pressed": String(i === chosen), title: measured.title, onclick: () => choose(i) },
        h("span.tile-name", measured.name),
        h("span.tile-value", numberText(measured.value)),
        h("span", { class: `tile-change ${tone}` }, difference ? `${sign}${signedText(difference, 3)}` : ""),
        bar,
      );
    }),
  );
  if (focused >= 0) /** @type {HTMLElement} */ (box.children[focused]).focus({ preventScroll: true });
}

/** The arithmetic of one measure, a row for each document. @param {Measured} measured @param {State} state */
function drawSums(measured, state) {
  fill(
    byId("sums-head"),
    h("h2", { id: "sums-title" }, `${measured.name}, term by term`),
    h("p.query-formula.anywhere.size-13", measured.formula),
  );
  const head = measured.headers.map((header) => h("th.query-number", { scope: "col" }, header));
  const rows = state.docs.map(({ id, grade }, place) => {
    const cells = measured.rows[place]?.map(cellText) ?? measured.headers.map(() => "–");
    const shown = cells.map((cell) => h("td.query-number", cell));
    const last = place + 1 === measured.rows.length && place + 1 < state.docs.length;
    return h(
      "tr",
      { class: measured.rows[place] ? last && "row-cut" : "row-out" },
      h("th.query-number", { scope: "row" }, place + 1),
      h("td.sums-doc", h("b", id)),
      h("td.sums-grade", h("span", { class: `query-chip size-12 bold nowrap ${gradeClass(grade)}` }, grade)),
      shown,
    );
  });
  fill(
    byId("sums"),
    h(
      "table.query-table",
      h(
        "thead",
        h(
          "tr",
          h("th.query-number", { scope: "col" }, "rank"),
          h("th.sums-doc", { scope: "col" }, "doc"),
          h("th.sums-grade", { scope: "col" }, "grade"),
          head,
        ),
      ),
      h("tbody", rows),
    ),
  );
  const best = measured.ideal?.length
    ? `best order: ${measured.ideal.map(cellText).join(" + ")} = ${cellText(measured.ideal.reduce((a, b) => a + b, 0))}`
    : "";
  fill(byId("closing"), closingLine(measured.closing), best && h("p.query-note.soft.size-12", best));
}

/** What the last step did. @param {Story} story @param {Measured[]} old @param {Measured[]} now */
function drawHappened({ before, state, change }, old, now) {
  const box = byId("happened");
  if (!change) {
    fill(
      box,
      h("p.soft", "Nothing has changed yet. Move a document that is relevant up, and see which measures notice."),
    );
    return;
  }
  const effects = effectsOf(before, state, change, old, now);
  const changed = effects.filter(({ difference }) => difference);
  const same = effects.filter(({ difference }) => !difference).map(({ name }) => name);
  fill(
    box,
    h("p.happened-lead", changeWords(state, change)),
    changed.length > 0 && h(
      "ul.effects",
      changed.map(({ difference, name, words }) =>
        h(
          "li",
          h(
            "span",
            { class: `effect-sign ${difference > 0 ? "better" : "worse"}`, "aria-hidden": "true" },
            difference > 0 ? "▲" : "▼",
          ),
          h("span", h("b", name), words.slice(name.length)),
        )
      ),
    ),
    same.length > 0 && h("p.soft", `No change: ${same.join(", ")}.`),
  );
  const heard = changed.map(({ name, difference }) =>
    `${name} ${difference > 0 ? "up" : "down"} ${numberText(Math.abs(difference), 3)}`
  );
  announce(`${changeWords(state, change)} ${heard.length ? heard.join(", ") : "No measure changed"}.`);
}

/** The slider of the cutoff. @param {Story} story @param {(patch: Partial<State>, change: Change) => void} step */
function drawCutoff({ state }, step) {
  const most = state.docs.length + BEYOND;
  const box = byId("cutoff");
  if (!box.firstElementChild) {
    fill(box, h("label", { for: "k" }), h("input", { type: "range", id: "k", min: 1 }));
    box.addEventListener(
      "input",
      (event) =>
        step({}, { kind: "cutoff", from: 0, to: Number(/** @type {HTMLInputElement} */ (event.target).value) }),
    );
  }
  const slider = /** @type {HTMLInputElement} */ (byId("k"));
  slider.max = String(most);
  slider.value = String(state.k);
  fill(/** @type {HTMLElement} */ (box.firstElementChild), "cutoff k = ", h("b", state.k));
}

/** Orders and undo. @param {Story} story @param {(patch: Partial<State>, change: Change) => void} step */
function drawOrders({ state, past }, step) {
  const { docs } = state;
  const order = (/** @type {string} */ name, /** @type {string} */ words, /** @type {Doc[]} */ next) =>
    h("button.quiet", { "data-key": name, onclick: () => step({ docs: next }, { kind: "order", words }) }, name);
  byId("undo").setAttribute("aria-disabled", String(!past.length)); // a disabled button would lose the focus
  const box = byId("orders");
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.key;
  fill(
    box,
    order("Best order", "The documents are sorted by grade, the best first.", sorted(docs, true)),
    order("Worst order", "The documents are sorted by grade, the worst first.", sorted(docs, false)),
    order("Swap the first two", "The first two documents changed places.", moved(docs, 0, 1)),
  );
  const again = [...box.children].find((button) => /** @type {HTMLElement} */ (button).dataset.key === focused);
  if (focused) /** @type {HTMLElement | undefined} */ (again)?.focus({ preventScroll: true });
}

/** A labelled choice. @param {string} id @param {string} label @param {[string, string][]} options @param {string} chosen @param {(value: string) => void} choose */
function choice(id, label, options, chosen, choose) {
  const picked = (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value);
  return h(
    "div.setting",
    h("label", { for: id }, label),
    h(
      "select",
      { id, onchange: picked },
      options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)),
    ),
  );
}

/** Start, gain, and the documents that are missing. @param {Story} story @param {(patch: Partial<State>, change: Change) => void} step */
function drawSettings({ state }, step) {
  const focused = document.activeElement?.id;
  const start = STARTS.find(({ state: { docs } }) =>
    docs.length === state.docs.length &&
    state.docs.every((doc) => docs.some(({ id, grade }) => id === doc.id && grade === doc.grade))
  );
  const counts = Array.from(
    { length: MOST_MISSED + 1 },
    (_, i) => /** @type {[string, string]} */ ([String(i), String(i)]),
  );
  const again = (/** @type {string} */ name) => {
    const found = STARTS.find((each) => each.name === name);
    if (found) step({ ...found.state }, { kind: "start", words: `${found.words}.` });
  };
  fill(
    byId("settings"),
    h("h2", { id: "settings-title" }, "Settings"),
    choice(
      "start",
      "Begin with",
      [
        ...(start ? [] : [/** @type {[string, string]} */ (["", "your own grades"])]),
        ...STARTS.map(({ name, words }) => /** @type {[string, string]} */ ([name, words])),
      ],
      start?.name ?? "",
      again,
    ),
    choice(
      "missed",
      "Relevant, but not retrieved",
      counts,
      String(state.missed),
      (value) => step({ missed: Number(value) }, { kind: "missed", from: state.missed, to: Number(value) }),
    ),
    choice(
      "gain",
      "Gain of a grade in nDCG",
      [["linear", "the grade"], ["exp", "2^grade − 1"]],
      state.gain,
      (value) => step({ gain: value === "exp" ? "exp" : "linear" }, { kind: "gain", words: "" }),
    ),
  );
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Set up the page. @param {Story} story */
function mountRanking(story) {
  let chosen = 4;
  const list = byId("list");
  const values = (/** @type {State} */ state) => measureAll(judgedOf(state));
  const choose = (/** @type {number} */ i) => {
    chosen = i;
    draw(false);
  };
  const undo = () => story.undo() && draw(true);
  const step = (/** @type {Partial<State>} */ patch, /** @type {Change} */ change) => {
    if (change.kind === "cutoff") [patch, change] = [{ k: change.to }, { ...change, from: story.state.k }];
    if (story.step(patch, change)) draw(true);
  };
  const acts = {
    move: (/** @type {number} */ from, /** @type {number} */ to) => {
      const { docs } = story.state;
      const { id } = docs[from];
      step({ docs: moved(docs, from, to) }, { kind: "move", id, from: from + 1, to: to + 1 });
    },
    grade: (/** @type {number} */ place, /** @type {number} */ grade) => {
      const { docs } = story.state;
      const [doc, changed] = [docs[place], docs.map((each, i) => i === place ? { ...each, grade } : each)];
      step({ docs: changed }, { kind: "grade", id: doc.id, from: doc.grade, to: grade });
    },
    preview: (/** @type {Doc[]} */ docs) => {
      const shown = { ...story.state, docs };
      const now = values(shown);
      drawTiles(now, values(story.state), chosen, choose);
      drawSums(now[chosen], shown);
    },
  };
  const draw = (/** @type {boolean} */ stepped) => {
    const [old, now] = [values(story.before), values(story.state)];
    drawTiles(now, old, chosen, choose);
    drawSums(now[chosen], story.state);
    if (!stepped) return;
    holdFocus(list, () => glide(list, () => drawList(list, story.state, acts)));
    drawHappened(story, old, now);
    drawCutoff(story, step);
    drawOrders(story, step);
    drawSettings(story, step);
  };
  byId("undo").addEventListener("click", undo);
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z") {
      event.preventDefault();
      undo();
    }
  });
  draw(true);
}

/** Draw, and give the focus back to the same control of the same document. @param {HTMLElement} list @param {() => void} draw */
function holdFocus(list, draw) {
  const label = (/** @type {Element | null} */ element) =>
    (element?.getAttribute("aria-label") ?? element?.textContent ?? "").split(",")[0];
  const focused = list.contains(document.activeElement) ? label(document.activeElement) : "";
  draw();
  if (!focused) return;
  const same = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button, select")]).find((each) =>
    label(each) === focused
  );
  if (same?.matches(":disabled")) {
    /** @type {HTMLElement} */ (same.closest("li")?.querySelector(".doc")).focus({ preventScroll: true });
  } else same?.focus({ preventScroll: true });
}

/** In a frame of the documentation: no head, the colours of the page around it, and as high as the content. */
function followHost() {
  if (parent === self) return;
  document.documentElement.classList.add("framed");
  try {
    const host = parent.document.body;
    const follow = () => {
      if (host.dataset.mdColorScheme) {
        document.documentElement.dataset.theme = host.dataset.mdColorScheme === "slate" ? "dark" : "light";
      }
    };
    new MutationObserver(follow).observe(host, { attributes: true });
    follow();
    const frame = /** @type {HTMLElement} */ (self.frameElement);
    const grow = () => (frame.style.height = `${document.body.scrollHeight + FRAME}px`);
    new ResizeObserver(grow).observe(document.body);
  } catch {
    // A page from disk may not look at the page around it; it then follows the system.
  }
}

/** Open the page. */
export function start() {
  mountTheme();
  followHost();
  mountRanking(new Story(STARTS[0].state));
  document.documentElement.dataset.ready = "yes";
}
