/** @import { Book } from "./data.js" */

/**
 * The selections of the reader, stored in the address so that a link restores the view.
 *
 * The fragment contains names of runs, measures and queries, and only values that differ from the default:
 * `#measure=AP&b=dense&query=q18`.
 *
 * @typedef {"" | "better" | "worse" | "same" | "missing"} Only
 * @typedef {object} State
 * @property {number} measure index into `facts.measures`
 * @property {number} a the run to compare with
 * @property {number} b the compared run
 * @property {string} q the filter of queries, as typed
 * @property {Only} only show queries where b is better, worse or the same, or where a value is missing
 * @property {string | null} slice the label of a slice, which may be empty; null for all queries
 * @property {string} sort the key of a column of the table of queries, or change: the size of the difference
 * @property {boolean} down whether the order is descending
 * @property {string} query the id of the open query, or ""
 *
 * @typedef {ReturnType<typeof createState>} Store
 * @typedef {(state: State, changed: (keyof State)[]) => void} Listener
 *
 * Conversion between a value and its text in the fragment (undefined: not on this page).
 * @typedef {{text: (value: any) => string, value: (text: string) => any}} Spelling
 */

/** Characters that encodeURIComponent keeps but that programs which detect links in text may cut off. */
const CUT_LETTERS = /[!'()*~]|\.$/g;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Escape a text for the fragment. A lone surrogate has no UTF-8 and is written as ~ and its code. @param {string} text */
function escapeState(text) {
  const halves = text.match(LONE_SURROGATE) ?? [];
  const code = (/** @type {string} */ letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  const parts = text.split(LONE_SURROGATE).map((part) => encodeURIComponent(part).replace(CUT_LETTERS, code));
  return parts.map((part, i) => (i ? `~${halves[i - 1].charCodeAt(0).toString(16)}` : "") + part).join("");
}

/** Undo `escapeState`; invalid escapes are kept. @param {string} text */
function unescapeState(text) {
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

/** An index into a list, written as a name. @param {string[]} names @returns {Spelling} */
function placeIn(names) {
  const places = new Map(names.map((name, i) => [name, i]));
  return { text: (place) => names[place] ?? "", value: (text) => places.get(text) };
}

/** One of several words. @param {string[]} words @returns {Spelling} */
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

/** Return the spelling of each key of the state. @param {Book} book @returns {Record<keyof State, Spelling>} */
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

/** Return the default state. @param {Book} book @returns {State} */
export function defaultState(book) {
  const { runs, verdicts, measures } = book.facts;
  const [a, b] = verdicts[0].pair ?? [0, 0];
  const order = runs.length > 1 ? { sort: "change", down: true } : { sort: `run:${runs[0]}`, down: measures[0].lower };
  return { measure: 0, a, b, q: "", only: /** @type {Only} */ (""), slice: null, ...order, query: "" };
}

/** Nouns for names that may be unknown on this page. @type {Partial<Record<keyof State, string>>} */
const STATE_NOUNS = { measure: "measure", a: "run", b: "run", slice: "slice", query: "query" };

/** Parse a fragment into keys and texts. @param {string} fragment @returns {Map<string, string>} */
function parseFragment(fragment) {
  return new Map(
    fragment.replace(/^#/, "").split("&").map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [pair, ""] : [pair.slice(0, at), unescapeState(pair.slice(at + 1))];
    }),
  );
}

/** Apply a patch. If it would compare a run with itself, the two runs are swapped. @param {State} old @param {Partial<State>} patch @returns {State} */
function patchState(old, patch) {
  const state = { ...old, ...patch };
  if (state.a !== state.b || old.a === old.b) return state;
  if (patch.b === undefined) return { ...state, b: old.a };
  return { ...state, a: patch.a === undefined ? old.b : old.a, b: patch.a === undefined ? state.b : old.b };
}

/** Convert between states and fragments. @param {Book} book */
export function stateCodec(book) {
  const start = Object.freeze(defaultState(book));
  const table = stateSpellings(book);
  const keys = /** @type {(keyof State)[]} */ (Object.keys(table));
  return {
    start,
    keys,
    /** Return the fragment without #; empty for the default. @param {State} state */
    encode(state) {
      const set = keys.filter((key) => state[key] !== start[key]);
      return set.map((key) => `${key}=${escapeState(table[key].text(state[key]))}`).join("&");
    },
    /** Return the state of a fragment; unknown names give the default. @param {string} fragment @returns {State} */
    decode(fragment) {
      const texts = parseFragment(fragment);
      const known = keys.filter((key) => texts.has(key)).map((key) => [key, table[key].value(texts.get(key) ?? "")]);
      return patchState(start, Object.fromEntries(known.filter(([, value]) => value !== undefined)));
    },
    /** Return the names in a fragment that are not on this page. @param {string} fragment @returns {{noun: string, name: string}[]} */
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

/** Browsers limit address changes to about a hundred in half a minute; typing is faster. */
const ADDRESS_DELAY = 400;

const PLACE_ON_PAGE = /^#[^=&]+$/;

/** Marks history entries made by this page, from which Back stays on the page. */
const PUSHED_MARK = "judged";

/** Create the state of the page and keep it in sync with the address. @param {Book} book @param {Window} view */
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
    // Use the path if the fragment is empty: "#" would leave a #, and "" would keep the address.
    const address = fragment ? `#${fragment}` : view.location.pathname + view.location.search;
    try {
      if (push) view.history.pushState(PUSHED_MARK, "", address);
      else view.history.replaceState(view.history.state, "", address);
    } catch {
      // A page in a frame (a notebook output) may have no address; the state works without it.
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
    if (PLACE_ON_PAGE.test(view.location.hash)) return; // a link to a section does not change the state
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

    /** Change the state; `push` adds a history entry. @param {Partial<State>} patch @param {{push?: boolean}} [options] */
    set(patch, { push = false } = {}) {
      const next = patchState(state, patch);
      if (codec.keys.every((key) => next[key] === state[key])) return;
      if (push) settle(); // so that Back restores the previous state
      show(next);
      if (push) write(true);
      else if (!leaving) {
        view.clearTimeout(timer);
        timer = view.setTimeout(() => write(false), ADDRESS_DELAY);
      }
    },

    /** Undo a step made with `push`, but keep later changes. @param {Partial<State>} patch */
    close(patch) {
      show(patchState(state, patch));
      leaving = view.history.state === PUSHED_MARK;
      if (leaving) view.history.back();
      else write(false);
    },

    /** Return the names in the address that are not on this page. */
    unknown: () => codec.unknown(view.location.hash),

    /** Return the link to another view. @param {Partial<State>} patch */
    link: (patch) => `#${codec.encode(patchState(state, patch))}`,

    /** Call a function now, and after each change of one of these keys. @param {(keyof State)[]} keys @param {() => void} draw */
    follow(keys, draw) {
      listeners.add((_, changed) => keys.some((key) => changed.includes(key)) && draw());
      draw();
    },

    /** @param {Listener} listener called after each change @returns a function that unsubscribes it */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
