import { Book } from "../../src/judged/page/web/data/data.js";
/** @import { Arithmetic, Detail, Facts, Pair } from "../../src/judged/page/web/data/data.js" */

/**
 * A small book made by hand, for tests of the page: three runs, three measures, forty queries, two slices, everything filled in.
 * The values are those of its own rankings; intervals and p-values are near enough for a picture, and stand for nothing.
 */

const DEPTH = 10;
const POOL = 24;
const CHUNK = 16;
const WORDS = "river stone lamp winter paper glass north market engine salt garden signal copper harbour thread cloud"
  .split(" ");

export const MEASURES = [
  {
    name: "nDCG@10",
    description: "Gain of the first ten, as a share of the best order's.",
    formula: "DCG@10 / IDCG@10",
  },
  { name: "RR@10", description: "One over the rank of the first relevant document.", formula: "1 / rank" },
  {
    name: "NumWrongRet@10",
    description: "Irrelevant documents among the first ten.",
    formula: "irrelevant in the first 10",
  },
].map((m, i) => ({
  ...m,
  intuition: i ? "" : "How much of the best possible gain the first ten have.",
  paper: "Järvelin & Kekäläinen 2002",
  lower: i === 2,
  whole: i === 2,
  unit: i < 2,
  places: 4,
  reach: 10,
  kind: "mean",
}));

/** The same numbers between 0 and 1 each time. @param {number} seed */
export function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {number[]} values */
const meanOf = (values) => values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN;

/** A mean with an interval of two standard errors. @param {number[]} values */
function estimated(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = meanOf(known);
  if (known.length < 2) return { mean, low: NaN, high: NaN, error: NaN };
  const error = Math.sqrt(meanOf(known.map((value) => (value - mean) ** 2)) / (known.length - 1));
  return { mean, low: mean - 2 * error, high: mean + 2 * error, error };
}

/**
 * The values of the measures, and how they came about.
 *
 * @param {(number | null)[]} grades of a ranking, from rank 1 @param {(number | null)[]} all
 */
function valued(grades, all) {
  const first = grades.slice(0, 10);
  const gain = (/** @type {number | null} */ grade, /** @type {number} */ i) =>
    (2 ** (grade ?? 0) - 1) / Math.log2(i + 2);
  const sum = (/** @type {number[]} */ parts) => parts.reduce((total, part) => total + part, 0);
  const ideal = sum(all.map((g) => g ?? 0).sort((x, y) => y - x).slice(0, 10).map(gain));
  const hit = first.findIndex((grade) => (grade ?? 0) > 0);
  const ranks = first.map((_, i) => i + 1).filter((rank) => first[rank - 1] !== null);
  const rows = ranks.map((rank) => [`${rank}`, `${first[rank - 1]}`, gain(first[rank - 1], rank - 1).toFixed(4)]);
  const [dcg, wrong] = [sum(first.map(gain)), first.filter((grade) => grade === 0).length];
  const [ndcg, rr] = [ideal > 0 ? dcg / ideal : 0, hit < 0 ? 0 : 1 / (hit + 1)];
  const headers = ["rank", "grade", "part"];
  const found = { ranks: ranks.filter((rank) => rank === hit + 1), rows: rows.filter(([rank]) => +rank === hit + 1) };
  const hidden = grades.slice(10).filter((grade) => grade !== null).length;
  const parts = ranks.map((rank) => ideal > 0 ? gain(first[rank - 1], rank - 1) / ideal : 0);
  /** @type {Arithmetic[]} */
  const why = [
    { headers, ranks, rows, closing: `${dcg.toFixed(4)} / ${ideal.toFixed(4)} = ${ndcg.toFixed(4)}`, hidden, parts },
    { headers, ...found, closing: rr.toFixed(4), hidden, parts: null },
    { headers, ranks, rows, closing: `${wrong} of ${first.length}`, hidden, parts: null },
  ];
  return { values: [ndcg, rr, wrong], why };
}

/**
 * Rankings of one query, and their values.
 *
 * @param {number} query @param {number} runs @param {number} queries
 * @returns {{detail: Detail, values: number[][]}} values[run][measure]
 */
function detailOf(query, runs, queries) {
  const random = seeded(query * 7919 + 11);
  const ease = random() ** 1.4;
  const grades = Array.from(
    { length: POOL },
    (_, i) => i % 7 === 6 ? null : random() < 0.14 ? 1 + Math.floor(random() * 3) : 0,
  );
  const docs = grades.map((_, i) => `d${query + 1}-${i + 1}`);
  const shared = grades.map(() => random());
  /** @type {number[][]} */
  const values = [];
  const rankings = Array.from({ length: runs }, (_, run) => {
    const skill = 0.02 + 0.12 * ease * (1 + [0, 0.9, 1.2, -0.2, 0.5, 0.3, 1.1, 0.1, 0.7, -0.4][run % 10]);
    const noise = shared.map((part) => 0.45 * part + 0.55 * random());
    const order = docs.map((_, i) => i).sort((i, j) =>
      skill * ((grades[j] ?? 0) - (grades[i] ?? 0)) + noise[j] - noise[i]
    );
    values.push([NaN, NaN, NaN]);
    if (run === 2 && query === queries - 1 && queries > 1) return null;
    const below = order.slice(DEPTH).flatMap((doc, i) =>
      grades[doc] === null ? [] : [/** @type {[number, number]} */ ([doc, DEPTH + i + 1])]
    );
    const made = valued(order.map((doc) => grades[doc]), grades);
    values[run] = made.values;
    return { docs: order.slice(0, DEPTH), retrieved: POOL, below: below.slice(0, 5), why: made.why };
  });
  const titles = docs.map((_, i) =>
    i % 5 === 4 ? null : `The ${WORDS[(query + i) % 16]} and the ${WORDS[(query * 3 + i) % 16]}`
  );
  const from = (query * 5) % 7;
  const texts = titles.map((title) => title && `${title}: ${WORDS.slice(from, from + 9).join(" ")}.`);
  return { detail: { docs, grades, titles, texts, rankings }, values };
}

/**
 * @param {number[][][]} values [measure][run][query]
 * @param {number} measure @param {number} a @param {number} b @param {string[]} runs @param {string} part @param {number[]} rows
 * @returns {Pair}
 */
function pairOf(values, measure, a, b, runs, part, rows) {
  const { lower, name } = MEASURES[measure];
  const known = rows.filter((q) => !Number.isNaN(values[measure][a][q]) && !Number.isNaN(values[measure][b][q]));
  const d = known.map((q) => values[measure][b][q] - values[measure][a][q]);
  const { mean, low, high, error } = estimated(d);
  const [up, down] = [d.filter((x) => x > 0).length, d.filter((x) => x < 0).length];
  const few = known.length < 5;
  const z = Math.abs(mean / error);
  const p = few ? NaN : Math.min(1, Math.exp(-0.717 * z - 0.416 * z * z));
  const verdict = few
    ? "too few queries"
    : p <= 0.05
    ? (mean > 0) !== lower ? "better" : "worse"
    : "no clear difference";
  // deno-fmt-ignore
  return {measure, a, b, part, queries: known.length, mean_a: meanOf(known.map((q) => values[measure][a][q])),
    mean_b: meanOf(known.map((q) => values[measure][b][q])), difference: mean, low: few ? NaN : low,
    high: few ? NaN : high, wins: lower ? down : up, ties: d.length - up - down, losses: lower ? up : down, p,
    adjusted: Math.min(1, 3 * p), d_z: mean / (error * Math.sqrt(d.length)),
    superiority: (up + (d.length - up - down) / 2) / d.length, cliff: (up - down) / d.length, verdict, note: "", needs: "",
    words: `${runs[b]} against ${runs[a]} by ${name}: ${verdict}`,
    headlines: /** @type {any} */ (part ? undefined : [[b, ` is ${verdict}, compared with `, a, "."], [a, " is compared with ", b, "."]]),
    sure: { short: "Sure", long: ["Chance alone gives less."] }, relative: [0.1, -0.1],
  };
}

/** @param {string[]} runs @param {number[][][]} values @returns {Facts["pictures"]} */
function picturesOf(runs, values) {
  const line = (
    /** @type {number} */ run,
    /** @type {number[]} */ x,
    /** @type {(x: number) => number} */ f,
    /** @type {number} */ band,
  ) => ({
    name: runs[run],
    run,
    x,
    y: x.map(f),
    at: /** @type {number[] | null} */ (x.map((_, i) => i + 1)),
    low: /** @type {number[] | null} */ (x.map((v) => Math.max(0, f(v) - band))),
    high: /** @type {number[] | null} */ (x.map((v) => Math.min(1, f(v) + band))),
    rule: /** @type {"line" | "step"} */ ("line"),
    mark: "",
  });
  const means = runs.map((_, run) => estimated(values[0][run]).mean || 0);
  const depths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];
  const eleven = Array.from({ length: 11 }, (_, i) => i / 10);
  const ranks = Array.from({ length: 60 }, (_, i) => 1 - Math.exp(-(i + 1) / 18));
  const shape = {
    at: "rank",
    log: false,
    unit: true,
    notes: ["The band is an interval over queries, at each point on its own."],
  };
  return [{
    ...shape,
    kind: "pr",
    title: "Precision and recall, all queries pooled",
    x: "recall",
    y: "precision",
    lines: runs.map((_, run) => ({
      ...line(run, ranks, (r) => (0.3 + means[run]) * (1 - 0.75 * r ** (1 + means[run])), 0.04),
      rule: /** @type {"step"} */ ("step"),
      mark: `AP ${means[run].toFixed(3)}`,
    })),
  }, {
    ...shape,
    kind: "ipr",
    title: "Interpolated precision at eleven levels of recall",
    x: "recall",
    y: "interpolated precision",
    at: "level",
    lines: runs.map((_, run) => line(run, eleven, (r) => (0.35 + 0.85 * means[run]) * (1 - 0.8 * r ** 1.3), 0.05)),
  }, {
    ...shape,
    kind: "at-k",
    title: "Recall by cutoff",
    x: "cutoff",
    y: "recall",
    at: "cutoff",
    log: true,
    lines: runs.map((_, run) => ({
      ...line(run, depths, (k) => 1 - Math.exp(-((k / (14 - 9 * means[run])) ** 0.6)), 0.035),
      at: depths,
    })),
  }];
}

/**
 * @param {{runs?: string[], queries?: number, change?: (facts: Facts, values: Float64Array) => void}} [options]
 *   change: what a test wants otherwise, before the book is made
 */
export function sampleBook({ runs = ["bm25", "dense", "hybrid"], queries = 40, change = () => {} } = {}) {
  const made = Array.from({ length: queries }, (_, query) => detailOf(query, runs.length, queries));
  const details = made.map(({ detail }) => detail);
  const values = MEASURES.map((_, m) => runs.map((_, run) => made.map((one) => one.values[run][m])));
  const all = details.map((_, query) => query);
  const long = all.filter((query) => query % 3 === 0);
  const slices = [{ label: "long", rows: long }, { label: "short", rows: all.filter((query) => query % 3 !== 0) }];
  const couples = runs.flatMap((_, a) => runs.map((_, b) => [a, b]).filter(([, b]) => b > a));
  const pairs = (/** @type {string} */ part, /** @type {number[]} */ rows) =>
    MEASURES.flatMap((_, m) => couples.map(([a, b]) => pairOf(values, m, a, b, runs, part, rows)));
  const summary = MEASURES.map((measure, m) => {
    const rows = values[m].map((column) => estimated(column));
    const best = (measure.lower ? Math.min : Math.max)(...rows.map((row) => row.mean));
    return rows.map(({ mean, low, high }, run) => ({
      mean,
      low,
      high,
      sign: run ? "a".repeat(run % 3) : "",
      best: mean === best,
      queries: values[m][run].filter((value) => !Number.isNaN(value)).length,
      irrelevant: measure.lower ? mean + 0.6 : mean * 0.94,
      top: measure.lower ? mean : mean + (1 - mean) * (0.2 + 0.03 * run),
      against: run ? ["+0.010 [-0.010, +0.030]", "no clear difference"] : [],
    }));
  });
  const ranks = Array.from({ length: DEPTH }, (_, i) => i + 1);
  const share = (/** @type {number} */ run, /** @type {number} */ rank) =>
    meanOf(details.flatMap((detail) => {
      const ranking = detail.rankings[run];
      return ranking ? [detail.grades[ranking.docs[rank - 1]] === null ? 0 : 1] : [];
    }));
  /** @type {Facts} */
  // deno-fmt-ignore
  const facts = {title: "Sample", version: "0.0.0", runs, measures: MEASURES, queries: all.map((query) => `q${query + 1}`),
    texts: all.map((query) => query % 11 === 10 ? null :
      `${WORDS[query % 16]} ${WORDS[(query * 7 + 3) % 16]}${query % 3 ? "" : " in the long winter"}`),
    level: 0.95, intervals: { all: "simultaneous 95% interval", slices: "95% interval" }, baseline: 0, key: "a, b: better than that run (corrected p ≤ 0.05)",
    verdicts: MEASURES.map((m) => ({words: [runs.length - 1, ` is clearly best on ${m.name}.`], more: [["Clearly better than ", 0, "."]],
      pair: runs.length > 1 ? [0, runs.length - 1] : null })),
    tops: { 10: { means: runs.map((_, run) => 2 + run / 10), found: runs.map((_, b) => runs.map((_, a) => a === b ? 0 : 5 * b + a)) } },
    unjudged: MEASURES.map((_, m) => m ? null : { change: true, words: ["Yes: ", 0, " may pass."] }),
    empty: "counts as 0",
    summary, pairs: pairs("", all), parts: slices.flatMap((slice) => pairs(slice.label, slice.rows)), slices,
    pictures: picturesOf(runs, values),
    coverage: { ranks, shares: runs.map((_, run) => ranks.map((rank) => share(run, rank))) }, grades: [0, 1, 2, 3],
    relevant: details.map((detail) => detail.grades.filter((grade) => (grade ?? 0) > 0).length),
    relevance: 1,
    markdown: "**dense is clearly best.**",
    details: [],
    warnings: [{ code: "unjudged", count: 12, text: "12 documents of the first ten are unjudged." }],
    methods: ["Means over queries, with intervals of two standard errors."], citations: ["Järvelin & Kekäläinen 2002"],
    inputs: [{ role: "qrels", name: "sample.qrels", sha256: "0".repeat(64), of: "file" }], headers: [], depth: DEPTH, chunk: CHUNK,
  };
  const flat = Float64Array.from(values.flat(2));
  change(facts, flat);
  return new Book(facts, flat, (block) => Promise.resolve(details.slice(block * CHUNK, (block + 1) * CHUNK)));
}
