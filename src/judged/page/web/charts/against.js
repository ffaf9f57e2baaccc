/** Differences to the baseline or the best run, with the intervals of their tests. */
import { between, plural, pText, signedText } from "../data/format.js";
import { extent, linearScale, niceDomain } from "../kit/scale.js";
import { wordScene } from "../kit/scene.js";
import { intervalMarks } from "../kit/shape.js";
import { intervalOf, isTested, meanText, nameText, verdictColour, viewedPair } from "./common.js";
import { rowsAxis, rowsLine, rowsScene } from "./forest.js";
import { rankedRuns } from "./means.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/data.js").Pair} Pair */
/** @typedef {import("./common.js").View} View */
/** @typedef {import("../kit/scene.js").Scene} Scene */

/** Return the run that others are compared with: the baseline, or the best. @param {Book} book @param {number} measure */
export function referenceRun(book, measure) {
  return book.facts.baseline >= 0 ? book.facts.baseline : rankedRuns(book, measure)[0];
}

/** @param {Book} book @param {View} view @param {number} width @returns {Scene} */
export function againstScene(book, view, width) {
  const { measures } = book.facts;
  const { measure } = view;
  const [of, first] = [measures[measure], referenceRun(book, measure)];
  const order = rankedRuns(book, measure);
  const pairs = order.map((run) => run === first ? null : viewedPair(book, { measure, a: first, b: run }));
  const [low, high] = extent([0, ...pairs.flatMap((pair) => pair ? [pair.difference, pair.low, pair.high] : [])]);
  if (pairs.every((pair) => !pair || Number.isNaN(pair.difference))) {
    return wordScene(width, `No run has a value of ${of.name}.`);
  }
  const rows = rowsScene(
    order.map((run, i) => ({
      name: book.short[run],
      note: run === first ? (book.facts.baseline >= 0 ? "baseline" : "best") : "",
      value: pairs[i]
        ? `${signedText(pairs[i].difference, 3)} ${width < 440 ? "" : pairs[i].verdict}`
        : meanText(book.facts.summary[measure][run].mean, of),
      bold: run === view.a || run === view.b,
    })),
    width,
    `Differences of ${of.name} to ${nameText(book.facts.runs[first])}, with intervals: ${
      order.flatMap((run, i) =>
        pairs[i] ? [`${book.short[run]} ${signedText(pairs[i].difference, 3)}, ${pairs[i].verdict}`] : []
      ).slice(0, 12).join("; ")
    }.`,
    { high: order.length > 12 ? 22 : 28 },
  );
  const x = linearScale(low === high ? [-1, 1] : niceDomain(low, high, 6), [rows.left, rows.right]);
  const { scene } = rows;
  const name = nameText(book.short[first], 30);
  scene.marks.unshift(...rowsAxis(rows, x, `${of.name}: difference to ${name}${of.lower ? " (lower is better)" : ""}`));
  scene.marks.push(...rowsLine(rows, x.at(0), "soft"));
  order.forEach((run, i) => {
    const pair = pairs[i];
    const y = rows.y(i);
    if (run === first) scene.marks.push({ kind: "circle", x: x.at(0), y, r: 4, fill: "ink" });
    if (!pair || Number.isNaN(pair.difference)) return;
    const colour = verdictColour(pair.verdict);
    const place = { low: x.at(pair.low), high: x.at(pair.high), at: x.at(pair.difference), y };
    scene.marks.push(...intervalMarks({ ...place, colour, hollow: colour === "soft" }));
    scene.spots.push({ x: place.at, y, datum: run, r: 4.5 });
  });
  scene.hover = "y";
  scene.plot = { x: 0, y: rows.top, width, height: rows.bottom - rows.top };
  scene.tip = (run) => pairLines(book, /** @type {Pair} */ (viewedPair(book, { measure, a: first, b: run })));
  return scene;
}

/** The tooltip of a pair. @param {Book} book @param {Pair} pair */
export function pairLines(book, pair) {
  const { runs, measures } = book.facts;
  const of = measures[pair.measure];
  return [
    `${nameText(runs[pair.b])} compared with ${nameText(runs[pair.a])}`,
    `${of.name} ${meanText(pair.mean_b, of)} and ${meanText(pair.mean_a, of)}: ${signedText(pair.difference)}`,
    ...(Number.isNaN(pair.low) ? [] : [`${intervalOf(book, pair)} ${between(pair.low, pair.high, signedText)}`]),
    `${pair.verdict}${isTested(pair) ? `, corrected p ${pText(pair.adjusted)}` : ""}`,
    plural(pair.queries, "query", "queries"),
  ];
}

/** @param {Book} book @param {View} view @returns {import("../kit/csv.js").Sheet} */
export function againstCsv(book, { measure }) {
  const { runs, measures } = book.facts;
  const first = referenceRun(book, measure);
  const header = ["run", "against", "measure", "difference", "low", "high", "p", "corrected p", "verdict"];
  const rows = rankedRuns(book, measure).flatMap((run) => {
    const pair = run === first ? null : viewedPair(book, { measure, a: first, b: run });
    return pair
      ? [[
        runs[run],
        runs[first],
        measures[measure].name,
        pair.difference,
        pair.low,
        pair.high,
        pair.p,
        pair.adjusted,
        pair.verdict,
      ]]
      : [];
  });
  return {
    name: `differences-to-${book.facts.baseline >= 0 ? "baseline" : "best"}-${measures[measure].name}`,
    header,
    rows,
  };
}
