import { Book } from "../../src/judged/page/web/data/data.js";
import { createState, defaultState, stateCodec } from "../../src/judged/page/web/data/state.js";
import { same } from "./check.js";

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "</script>",
  "a&b=c#d%41%zz?e+f g",
  "\u202Eabc\u200F",
  "\uD800 half \uDC00\uD83C\uDF72 soup",
  "~d800",
  "~",
  "\u200B",
  "\t\n\0",
  "ends with a dot.",
  "constructor",
  "__proto__",
  "toString",
  "x".repeat(1000),
];

/** @param {Record<string, any>} [facts] */
function bookOf(facts = {}) {
  const runs = facts.runs ?? ["bm25", "dense", "splade"];
  const measures = facts.measures ?? [{ name: "nDCG@10", lower: false }, { name: "AP", lower: false }];
  const means = facts.means ?? [0.3, 0.4, 0.5];
  return new Book(
    /** @type {any} */ ({
      runs,
      measures,
      queries: ["q1", "q2", ...HOSTILE],
      baseline: -1,
      verdicts: measures.map(() => ({
        words: [],
        more: [],
        pair: runs.length > 1 ? [runs.length - 2, runs.length - 1] : null,
      })),
      slices: [{ label: "short & sweet", rows: [0] }],
      pictures: [{ kind: "pr", title: "PR" }, { kind: "at-k", title: "P@k" }, { kind: "at-k", title: "R@k" }],
      pairs: [],
      parts: [],
      summary: measures.map(() =>
        runs.map((/** @type {string} */ _, /** @type {number} */ run) => ({ mean: means[run] }))
      ),
      ...facts,
    }),
    new Float64Array(0),
    () => Promise.reject(new Error("no blocks")),
  );
}

/** A window with an address and a history, as far as the page uses them. @param {string} hash */
function fakeWindow(hash = "") {
  /** @type {Map<string, () => void>} */
  const listeners = new Map();
  /** @type {Map<number, () => void>} */
  const timers = new Map();
  const entries = [{ state: /** @type {any} */ (null), hash }];
  let at = 0;
  let count = 0;
  const hashOf = (/** @type {string} */ address) => address.startsWith("#") ? address : "";
  const view = {
    location: {
      pathname: "/page.html",
      search: "",
      get hash() {
        return entries[at].hash;
      },
    },
    history: {
      get state() {
        return entries[at].state;
      },
      pushState(/** @type {any} */ state, /** @type {string} */ _, /** @type {string} */ address) {
        entries.splice(++at, entries.length, { state, hash: hashOf(address) });
      },
      replaceState(/** @type {any} */ state, /** @type {string} */ _, /** @type {string} */ address) {
        entries[at] = { state, hash: hashOf(address) };
      },
      back() {
        at--;
        listeners.get("popstate")?.();
        listeners.get("hashchange")?.();
      },
    },
    setTimeout(/** @type {() => void} */ fn) {
      timers.set(++count, fn);
      return count;
    },
    clearTimeout: (/** @type {number} */ id) => timers.delete(id),
    addEventListener: (/** @type {string} */ name, /** @type {() => void} */ fn) => listeners.set(name, fn),
  };
  const wait = () => timers.forEach((fn) => fn());
  return { view: /** @type {Window} */ (/** @type {unknown} */ (view)), entries, wait, listeners };
}

Deno.test("the default is the pair of the headline, with the largest differences first", () => {
  const { measure, a, b, slice, sort, down } = defaultState(bookOf());
  same({ measure, a, b, slice, sort, down }, { measure: 0, a: 1, b: 2, slice: null, sort: "change", down: true });
});

Deno.test("of one run, the worst queries come first", () => {
  const { a, b, sort, down } = defaultState(bookOf({ runs: ["only"] }));
  same({ a, b, sort, down }, { a: 0, b: 0, sort: "run:only", down: false });
  const lower = [{ name: "cost", lower: true }];
  same(defaultState(bookOf({ runs: ["only"], measures: lower })).down, true);
});

Deno.test("the default has no fragment, and no fragment is the default", () => {
  const codec = stateCodec(bookOf());
  same(codec.encode(codec.start), "");
  for (const nothing of ["", "#", "#&&=", "#top"]) same(codec.decode(nothing), codec.start);
});

Deno.test("a fragment names runs and measures, and only what differs", () => {
  const codec = stateCodec(bookOf());
  same(codec.encode({ ...codec.start, measure: 1, a: 0, query: "q2" }), "measure=AP&a=bm25&query=q2");
  same(codec.encode({ ...codec.start, down: false }), "down=no");
});

Deno.test("every state comes back from its fragment", () => {
  const codec = stateCodec(bookOf());
  for (const [a, b] of [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]) {
    const state = {
      ...codec.start,
      measure: 1,
      a,
      b,
      q: 'a "b"',
      slice: "short & sweet",
      sort: "run:dense",
      down: true,
    };
    same(codec.decode(`#${codec.encode(state)}`), state);
  }
  for (const only of /** @type {const} */ (["better", "worse", "same", "missing"])) {
    same(codec.decode(codec.encode({ ...codec.start, only })).only, only);
  }
});

Deno.test("hostile ids and texts survive, in letters that no program cuts a link at", () => {
  const codec = stateCodec(bookOf());
  for (const text of HOSTILE) {
    const fragment = codec.encode({ ...codec.start, query: text, q: text });
    const found = codec.decode(`#${fragment}`);
    same(found.query, text);
    same(found.q, text);
    same(/^[\w%&=~.-]*[^.]$/.test(fragment), true);
    same(decodeURI(new URL(`file:///x.html#${fragment}`).hash) !== "", true);
    same(new URL(`file:///x.html#${fragment}`).hash, `#${fragment}`);
  }
});

Deno.test("what the page does not have falls back in silence", () => {
  const codec = stateCodec(bookOf());
  same(
    codec.decode("#measure=ERR&a=constructor&b=__proto__&query=q9&slice=long&only=worst&down=perhaps&__proto__=1"),
    codec.start,
  );
  same(codec.decode("#q=%E0%A4%A").q, "%E0%A4%A");
});

Deno.test("a run is never compared with itself: the two change places", () => {
  const codec = stateCodec(bookOf());
  const pair = (/** @type {string} */ fragment) => [codec.decode(fragment).a, codec.decode(fragment).b];
  same(pair("#a=splade"), [2, 1]);
  same(pair("#b=dense"), [2, 1]);
  same(pair("#a=dense&b=dense"), [1, 2]);
  const { view } = fakeWindow();
  const store = createState(bookOf(), view);
  store.set({ a: 2 });
  same([store.get().a, store.get().b], [2, 1]);
});

Deno.test("what a link names and the page does not have is known, once each", () => {
  const codec = stateCodec(bookOf());
  same(codec.unknown("#measure=AP&a=dense&query=q2&slice=short%20%26%20sweet&q=zzz&sort=zzz"), []);
  same(codec.unknown("#query=zzz&a=nope&b=nope&slice=long&measure=__proto__"), [
    { noun: "query", name: "zzz" },
    { noun: "run", name: "nope" },
    { noun: "slice", name: "long" },
    { noun: "measure", name: "__proto__" },
  ]);
  for (const nothing of ["", "#", "#query=", "#top", "#only=worst&down=perhaps&constructor=1"]) {
    same(codec.unknown(nothing), []);
  }
  same(createState(bookOf(), fakeWindow("#query=zzz").view).unknown(), [{ noun: "query", name: "zzz" }]);
});

Deno.test("a slice without a name can be chosen, and is not all queries", () => {
  const codec = stateCodec(bookOf({ slices: [{ label: "", rows: [0] }, { label: "x", rows: [1] }] }));
  same(codec.encode({ ...codec.start, slice: "" }), "slice=");
  same(codec.decode("#slice=").slice, "");
  same(codec.decode("").slice, null);
});

Deno.test("listeners hear what changed, and nothing when nothing did", () => {
  const store = createState(bookOf(), fakeWindow().view);
  /** @type {string[][]} */
  const heard = [];
  const stop = store.subscribe((_, changed) => heard.push(changed));
  store.set({ q: "flu", down: false });
  store.set({ q: "flu" });
  stop();
  store.set({ q: "" });
  same(heard, [["q", "down"]]);
});

Deno.test("the address follows once the reader rests, and typing makes no history", () => {
  const { view, entries, wait } = fakeWindow();
  const store = createState(bookOf(), view);
  store.set({ q: "f" });
  store.set({ q: "fl" });
  same(entries[0].hash, "");
  wait();
  same(entries, [{ state: null, hash: "#q=fl" }]);
  store.set({ q: "" });
  wait();
  same(entries, [{ state: null, hash: "" }]);
});

Deno.test("Back closes a query and finds what was chosen before it", () => {
  const { view, entries } = fakeWindow();
  const store = createState(bookOf(), view);
  store.set({ q: "flu" });
  store.set({ query: "q2" }, { push: true });
  same(entries.map((entry) => entry.hash), ["#q=flu", "#q=flu&query=q2"]);
  view.history.back();
  same([store.get().query, store.get().q], ["", "flu"]);
});

Deno.test("closing a query goes back, with all that was chosen since", () => {
  const { view, entries } = fakeWindow();
  const store = createState(bookOf(), view);
  store.set({ query: "q2" }, { push: true });
  store.set({ query: "q1", measure: 1 });
  store.close({ query: "" });
  same([store.get().query, store.get().measure], ["", 1]);
  same(entries[0].hash, "#measure=AP");
  same(view.location.hash, "#measure=AP");
});

Deno.test("closing a query that a link opened stays on the page", () => {
  const { view, entries } = fakeWindow("#query=q2");
  const store = createState(bookOf(), view);
  same(store.get().query, "q2");
  store.close({ query: "" });
  same(entries, [{ state: null, hash: "" }]);
});

Deno.test("a link is the address of another view, and says nothing of this one", () => {
  const store = createState(bookOf(), fakeWindow("#measure=AP").view);
  same(store.link({ query: "q2" }), "#measure=AP&query=q2");
  same(store.get().query, "");
});

Deno.test("a link to a section of the page changes nothing that was chosen", () => {
  const { view, entries, listeners } = fakeWindow("#measure=AP");
  const store = createState(bookOf(), view);
  entries[0].hash = "#queries";
  listeners.get("hashchange")?.();
  same(store.get().measure, 1);
});

Deno.test("a page without an address of its own still works", () => {
  const { view } = fakeWindow();
  view.history.pushState = () => {
    throw new Error("SecurityError");
  };
  const store = createState(bookOf(), view);
  store.set({ query: "q2" }, { push: true });
  same(store.get().query, "q2");
  store.close({ query: "" });
  same(store.get().query, "");
});
