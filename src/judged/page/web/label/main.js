/** Entry point of the judging page: choose the judge, then connect session, keys and views. */
import { integerText } from "../data/format.js";
import { announce, bdi, byId, fill, h, mountTheme } from "../dom.js";
import { drawAlert, drawStart, exportLines, openExport, openHelp } from "./dialogs.js";
import { drawQuery, drawReading, mountPanel } from "./reading.js";
import { openWork, Session } from "./session.js";
/** @import { DocumentText, Work } from "./session.js" */

/** The browser's storage; null if the page may not use it. @returns {Storage | null} */
function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Return the judge of a name on this page; null if there is none. @param {Work} work @param {string | null} name */
function judgeNamed(work, name) {
  if (name === null) return null;
  return isOpen(work) ? { ...work.judges[0], name } : work.judges.find((judge) => judge.name === name) ?? null;
}

/** Whether anyone may judge under any name. @param {Work} work */
function isOpen({ judges }) {
  return judges.length === 1 && judges[0].name === "";
}

/**
 * Where the name is remembered: by the browser; if the page has several judges, by the tab only, since they may share the computer.
 *
 * @param {Work} work @param {string} [name] to remember; "" forgets it @returns {string | null} the name in the address (#judge=ann), or the remembered one
 */
function rememberedName(work, name) {
  const named = new URLSearchParams(location.hash.slice(1)).get("judge");
  const key = `judged-label/${work.key}`;
  try {
    const memory = isOpen(work) ? window.localStorage : window.sessionStorage;
    if (name) memory.setItem(key, name);
    else if (name === "") memory.removeItem(key);
    return named ?? memory.getItem(key);
  } catch {
    return named; // the page asks again after a reload
  }
}

/** The bar: progress, view, export, help. @param {Session} session */
function mountBar(session) {
  const bar = h("div.label-track", h("div.label-done"));
  const count = h("span.label-progress");
  const saved = h("span.label-saved.clip");
  const views = /** @type {["one" | "list", string][]} */ ([["one", "One"], ["list", "List"]]).map(([view, name]) => {
    const button = h("button.quiet", { "aria-keyshortcuts": "l" }, name);
    button.addEventListener("click", () => session.show(view));
    return { view, button };
  });
  fill(
    byId("bar"),
    bar,
    h("div.label-status.row.wrap.soft.size-14", count, saved),
    h(
      "div.label-tools.row.fixed",
      h("span.label-views.row", { role: "group", "aria-label": "View" }, views.map(({ button }) => button)),
      h("button.quiet", { "aria-keyshortcuts": "e", onclick: () => openExport(session) }, "Export"),
      h("button.quiet", { "aria-keyshortcuts": "?", "aria-label": "Keys", onclick: () => openHelp(session.work) }, "?"),
    ),
  );
  return () => {
    const { store, order, file } = session;
    const done = store.count;
    /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${100 * done / order.length}%`;
    fill(count, h("b", integerText(done)), ` of ${integerText(order.length)}`);
    fill(saved, savedText(session));
    saved.hidden = session.endangered > 0 || file.state === "failed" || !done;
    for (const { view, button } of views) button.setAttribute("aria-pressed", String(session.view === view));
  };
}

/** Where judgments are saved. @param {Session} session */
function savedText({ file, lastFile }) {
  if (file.handle) return file.state === "saving" ? "Saving…" : `Saved to ${file.handle.name}`;
  return `Saved in this browser${lastFile ? `; to save to ${lastFile} as before, choose it again in Export` : ""}`;
}

/** Whether a key belongs to the element that has the focus. @param {KeyboardEvent} event */
function isTyping({ target }) {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement;
}

/** @param {Session} session @param {{give: (grade: number) => void, undo: () => void}} acts @param {ReturnType<typeof mountPanel>} panel */
function mountKeys(session, { give, undo }, panel) {
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowLeft: () => session.go(session.at - 1),
    ArrowRight: () => session.go(session.at + 1),
    k: () => session.go(session.at - 1),
    j: () => session.go(session.at + 1),
    "[": () => session.goQuery(-1),
    "]": () => session.goQuery(1),
    u: undo,
    Delete: () => session.clear(),
    Backspace: () => session.clear(),
    n: () => session.item !== null && panel.openNote(),
    l: () => session.show(session.view === "one" ? "list" : "one"),
    e: () => openExport(session),
    "?": () => openHelp(session.work),
  };
  for (const { key, number } of session.work.scale) acts[key] = () => give(number);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) {
      return;
    }
    if (isTyping(event)) {
      if (event.key === "Escape" && event.target === panel.note) panel.leaveNote();
      return;
    }
    const listed = session.view === "list" ? { ArrowUp: acts.k, ArrowDown: acts.j }[event.key] : undefined;
    const act = listed ?? (Object.hasOwn(acts, event.key) ? acts[event.key] : undefined);
    if (!act) return;
    event.preventDefault();
    if (!event.repeat || !/^\d$/.test(event.key)) act(); // a key held down must not grade one document after another
  });
}

/** Judge as someone. @param {Work} work @param {(item: number) => Promise<DocumentText>} textOf @param {{name: string, order: number[]}} judge @param {Storage | null} storage */
async function judgeAs(work, textOf, judge, storage) {
  rememberedName(work, judge.name);
  const session = new Session(work, textOf, judge, storage);
  const name = byId("judge");
  fill(name, h("span.label-spare", "Judge: "), judge.name ? bdi(judge.name) : "no name");
  name.setAttribute("aria-label", `Judge: ${judge.name || "no name"}. Change`);
  name.title = "Change the judge";
  name.hidden = false;
  fill(byId("start")).hidden = true;
  byId("work").hidden = false;
  const acts = {
    give: (/** @type {number} */ grade) => {
      const found = work.scale.find(({ number }) => number === grade);
      session.give(grade);
      announce(`${grade}, ${found?.name}. ${whereText(session)}`);
    },
    undo: () => announce(session.undo() ? `Undone. ${whereText(session)}` : "Nothing to undo in this tab."),
  };
  const panel = mountPanel(byId("panel"), session, acts);
  const drawBar = mountBar(session);
  mountKeys(session, acts, panel);
  const draw = drawer(session, () => {
    drawBar();
    panel.draw();
    drawAlert(session);
  });
  session.tell = draw;
  addEventListener("storage", (event) => session.store.heard(event.key));
  document.addEventListener("visibilitychange", () => document.hidden || session.store.reread());
  addEventListener("pageshow", (event) => event.persisted && session.store.reread());
  addEventListener("beforeunload", (event) => session.endangered && event.preventDefault());
  await draw();
  byId("reading").focus({ preventScroll: true });
}

/** Say which document is shown. @param {Session} session */
function whereText(session) {
  const near = session.neighbours();
  return session.item === null ? "End of the list." : `Document ${near.indexOf(session.item) + 1} of ${near.length}.`;
}

/** Return a function that draws what changed: the text only if another document is shown. @param {Session} session @param {() => void} drawRest */
function drawer(session, drawRest) {
  let shown = "";
  return async () => {
    drawRest();
    drawQuery(byId("query"), session);
    const marks = session.item === null || session.view === "list"
      ? session.order.map((item) => session.store.grade(item) ?? "-").join()
      : "";
    const key = `${session.view} ${session.at} ${marks}`;
    if (key === shown) return;
    const place = `${session.view} ${session.at}`;
    const moved = !shown.startsWith(`${place} `);
    shown = key;
    const box = byId("reading");
    if (!await drawReading(box, session, () => key === shown)) return;
    if (session.item === null) box.querySelector(".label-end")?.append(endNode(session));
    if (moved) {
      box.scrollTop = 0;
      box.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    }
  };
}

/** The buttons of the end. @param {Session} session */
function endNode(session) {
  const left = session.order.length - session.store.count;
  return h(
    "p.label-moves.row.wrap",
    left
      ? h("button.label-primary.semibold", { onclick: () => session.goUnjudged() }, "Go to the first of them")
      : h("button.label-primary.semibold", { onclick: () => exportLines(session) }, "Export as JSON Lines"),
    h("button.quiet", { onclick: () => openExport(session) }, "More formats"),
    h("button.quiet", { onclick: () => session.go(session.order.length - 1) }, "← Back"),
  );
}

/** Ask who judges. A name that another tab remembers meanwhile is taken, unless one is being typed here. @param {Work} work @param {(item: number) => Promise<DocumentText>} textOf @param {Storage | null} storage */
function askJudge(work, textOf, storage) {
  const asking = new AbortController();
  const box = byId("start");
  box.hidden = false;
  const doneBy = (/** @type {string} */ name) => {
    const known = judgeNamed(work, name);
    return known ? new Session(work, textOf, known, storage).store.count : 0;
  };
  const choose = (/** @type {string | null} */ name) => {
    const chosen = judgeNamed(work, name);
    if (!chosen) return;
    asking.abort();
    judgeAs(work, textOf, chosen, storage);
  };
  drawStart(box, work, doneBy, choose);
  addEventListener("storage", () => box.querySelector("input")?.value || choose(rememberedName(work)), asking);
}

/** Open the page. */
export async function start() {
  mountTheme();
  try {
    const { work, textOf } = await openWork(document);
    const storage = browserStorage();
    const judge = judgeNamed(work, rememberedName(work));
    byId("judge").addEventListener("click", () => {
      rememberedName(work, "");
      location.hash = "";
      location.reload(); // judgments that are not saved hold the page back
    });
    if (judge) await judgeAs(work, textOf, judge, storage);
    else askJudge(work, textOf, storage);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    fill(byId("trouble"), `Cannot show this page (${error}). It requires a browser released in 2023 or later.`).hidden =
      false;
    throw error;
  }
}
