import { rankedRuns } from "../charts/means.js";

/**
 * What the reader has chosen, kept in the address: a link shows the same view again.
 *
 * The fragment names runs, measures and queries, not their places, and only what differs from the default:
 * `#measure=AP&b=dense&query=q18`.
 *
 * @typedef {import("./data.js").Book} Book
 * @typedef {"" | "better" | "worse" | "same" | "missing"} Only
 * @typedef {object} State
 * @property {number} measure its place in `facts.measures`
 * @property {number} a a run: the one compared with
 * @property {number} b a run: the one that is compared
 * @property {string} q the filter of queries, as typed
 * @property {Only} only queries where b is better than a, worse, the same, or where one of them has no value
 * @property {string | null} slice the label of a group of queries, which may be "", or null for all of them
 * @property {string} sort the key of a column of the table of queries
 * @property {boolean} down whether that column falls
 * @property {string} query the id of the query that is open, or ""
 *
 * @typedef {ReturnType<typeof createState>} Store
 * @typedef {(state: State, changed: (keyof State)[]) => void} Listener
 *
 * How a value stands in the fragment, and what a text there means (undefined: nothing that this page has).
 * @typedef {{text: (value: any) => string, value: (text: string) => any}} Spelling
 */

/** Letters that encodeURIComponent leaves, and that programs which look for links in a text cut off or take for marks. */
const CUT_LETTERS = /[!'()*~]|\.$/g;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** @param {string} letter */
function percentCode(letter) {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A text as a part of a fragment. Half a surrogate pair has no UTF-8: it is written as ~ and its code. @param {string} text */
export function escapeState(text) {
  const halves = text.match(LONE_SURROGATE) ?? [];
  const parts = text.split(LONE_SURROGATE).map((part) => encodeURIComponent(part).replace(CUT_LETTERS, percentCode));
  return parts.map((part, i) => (i ? `~${halves[i - 1].charCodeAt(0).toString(16)}` : "") + part).join("");
}

/** The text that `stateEscaped` was given; what nobody could have stateEscaped stays as it is. @param {string} text */
export function unescapeState(text) {
  const parts = text.split(/~(d[89a-f][0-9a-f]{2})/);
  return parts.map((part, i) => i % 2 ? String.fromCharCode(parseInt(part, 16)) : decodePercent(part)).join("");
}

/** @param {string} text */
function decodePercent(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A place in a list, spelled by its name there. @param {string[]} names @returns {Spelling} */
function placeIn(names) {
  const places = new Map(names.map((name, i) => [name, i]));
  return { text: (place) => names[place] ?? "", value: (text) => places.get(text) };
}

/** One of some words. @param {string[]} words @returns {Spelling} */
function wordOf(words) {
  const known = new Set(words);
  return { text: (word) => word, value: (text) => known.has(text) ? text : undefined };
}

/** @type {Spelling} */
const ANY_WORD = { text: (text) => text, value: (text) => text };
/** @type {Spelling} */
const YES_OR_NO = {
  text: (yes) => yes ? "yes" : "no",
  value: (text) => text === "yes" ? true : text === "no" ? false : undefined,
};

/** Every key of the state, with its spelling. @param {Book} book @returns {Record<keyof State, Spelling>} */
function stateSpellings(book) {
  const { facts } = book;
  return {
    measure: placeIn(facts.measures.map((measure) => measure.name)),
    a: placeIn(facts.runs),
    b: placeIn(facts.runs),
    q: ANY_WORD,
    only: wordOf(["", "better", "worse", "same", "missing"]),
    slice: wordOf(facts.slices.map((slice) => slice.label)),
    sort: ANY_WORD,
    down: YES_OR_NO,
    query: wordOf(["", ...facts.queries]),
  };
}

/**
 * The two runs that the verdict at the top of the page speaks of: the best against the baseline; of two, as they were compared, the one
 * that is called better first; else the leader against the runner-up.
 *
 * @param {Book} book @returns {{a: number, b: number}}
 */
function headlinePair(book) {
  const { runs, baseline, pairs } = book.facts;
  const order = rankedRuns(book, 0);
  if (baseline >= 0) return { a: baseline, b: order.find((run) => run !== baseline) ?? baseline };
  const pair = runs.length === 2 ? pairs.find(({ measure }) => measure === 0) : undefined;
  if (pair) return pair.verdict === "worse" ? { a: pair.b, b: pair.a } : { a: pair.a, b: pair.b };
  return { a: order[1] ?? order[0], b: order[0] };
}

/** What the page shows when the address says nothing. @param {Book} book @returns {State} */
export function defaultState(book) {
  const rest = { q: "", only: /** @type {Only} */ (""), slice: null, sort: "id", down: false, query: "" };
  return { measure: 0, ...headlinePair(book), ...rest };
}

/** What a link may name that another page has. @type {Partial<Record<keyof State, string>>} */
const STATE_NOUNS = { measure: "measure", a: "run", b: "run", slice: "slice", query: "query" };

/** What a fragment says, key by key. @param {string} fragment @returns {Map<string, string>} */
function parseFragment(fragment) {
  return new Map(
    fragment.replace(/^#/, "").split("&").map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [pair, ""] : [pair.slice(0, at), unescapeState(pair.slice(at + 1))];
    }),
  );
}

/**
 * A run is never compared with itself: where a patch makes it so, the two change places.
 *
 * @param {State} old
 * @param {Partial<State>} patch
 * @returns {State}
 */
function patchState(old, patch) {
  const state = { ...old, ...patch };
  if (state.a !== state.b || old.a === old.b) return state;
  if (patch.b === undefined) return { ...state, b: old.a };
  return { ...state, a: patch.a === undefined ? old.b : old.a, b: patch.a === undefined ? state.b : old.b };
}

/**
 * Between states and fragments; pure.
 *
 * @param {Book} book
 */
export function stateCodec(book) {
  const start = Object.freeze(defaultState(book));
  const table = stateSpellings(book);
  const keys = /** @type {(keyof State)[]} */ (Object.keys(table));
  return {
    start,
    keys,
    /** The fragment, without its #; "" for the default. @param {State} state */
    encode(state) {
      const said = keys.filter((key) => state[key] !== start[key]);
      return said.map((key) => `${key}=${escapeState(table[key].text(state[key]))}`).join("&");
    },
    /** The state of a fragment; what it names and the page does not have is as by default. @param {string} fragment @returns {State} */
    decode(fragment) {
      const said = parseFragment(fragment);
      const known = keys.filter((key) => said.has(key)).map((key) => [key, table[key].value(said.get(key) ?? "")]);
      return patchState(start, Object.fromEntries(known.filter(([, value]) => value !== undefined)));
    },
    /** What a fragment names and the page does not have, once each. @param {string} fragment @returns {{noun: string, name: string}[]} */
    unknown(fragment) {
      const found = [...parseFragment(fragment)].flatMap(([key, name]) => {
        const noun = Object.hasOwn(STATE_NOUNS, key) ? STATE_NOUNS[/** @type {keyof State} */ (key)] : undefined;
        return noun && name && table[/** @type {keyof State} */ (key)].value(name) === undefined
          ? [{ noun, name }]
          : [];
      });
      return found.filter((one, i) =>
        found.findIndex(({ noun, name }) => noun === one.noun && name === one.name) === i
      );
    },
  };
}

/** Browsers refuse an address that changes a hundred times in half a minute, and a reader types faster than that. */
const ADDRESS_DELAY = 400;

const PLACE_ON_PAGE = /^#[^=&]+$/;

/** The mark of an entry of the history that the page made itself: from there, Back stays on the page. */
const PUSHED_MARK = "judged";

/**
 * The state of the page, in step with its address.
 *
 * @param {Book} book
 * @param {Window} view
 */
export function createState(book, view) {
  const codec = stateCodec(book);
  /** @type {Set<Listener>} */
  const listeners = new Set();
  let state = Object.freeze(codec.decode(view.location.hash));
  let timer = 0;
  let leaving = false;

  /** @param {State} next */
  function show(next) {
    const changed = codec.keys.filter((key) => next[key] !== state[key]);
    state = Object.freeze(next);
    if (changed.length) { for (const listener of [...listeners]) listener(state, changed); }
  }

  /** @param {boolean} push */
  function write(push) {
    view.clearTimeout(timer);
    timer = 0;
    const fragment = codec.encode(state);
    // Without a fragment the address is the path alone: "#" would stay behind, and "" would mean the address as it is.
    const address = fragment ? `#${fragment}` : view.location.pathname + view.location.search;
    try {
      if (push) view.history.pushState(PUSHED_MARK, "", address);
      else view.history.replaceState(view.history.state, "", address);
    } catch {
      // A page inside a frame of another (a notebook's output) may have no address of its own: the state lives on without.
    }
  }

  function settle() {
    if (timer) write(false);
  }

  function arrive() {
    if (leaving) {
      leaving = false;
      write(false);
      return;
    }
    if (PLACE_ON_PAGE.test(view.location.hash)) return; // a link to a section says nothing of what was chosen
    view.clearTimeout(timer);
    timer = 0;
    show(codec.decode(view.location.hash));
  }

  view.addEventListener("popstate", arrive);
  view.addEventListener("hashchange", arrive);
  view.addEventListener("pagehide", settle);

  return {
    /** @returns {Readonly<State>} */
    get: () => state,

    /** Choose something; `push` makes a step that Back undoes. @param {Partial<State>} patch @param {{push?: boolean}} [options] */
    set(patch, { push = false } = {}) {
      const next = patchState(state, patch);
      if (codec.keys.every((key) => next[key] === state[key])) return;
      if (push) settle(); // Back must find what was chosen before
      show(next);
      if (push) write(true);
      else if (!leaving) {
        view.clearTimeout(timer);
        timer = view.setTimeout(() => write(false), ADDRESS_DELAY);
      }
    },

    /**
     * Undo a step made with `push`: as Back does where the page made the step, with all that was chosen since.
     *
     * @param {Partial<State>} patch
     */
    close(patch) {
      show(patchState(state, patch));
      leaving = view.history.state === PUSHED_MARK;
      if (leaving) view.history.back();
      else write(false);
    },

    /** What the address names now and the page does not have. */
    unknown: () => codec.unknown(view.location.hash),

    /** The address of another view, for a link. @param {Partial<State>} patch */
    link: (patch) => `#${codec.encode(patchState(state, patch))}`,

    /** @param {Listener} listener called after each change; gives what takes it away again */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
