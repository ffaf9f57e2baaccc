/** The share of judged documents at each rank. */
import { percent } from "../data/format.js";
import { wordScene } from "../kit/scene.js";
import { curveCsv, curveScene } from "./curve.js";

/** @typedef {import("../data/data.js").Book} Book */
/** @typedef {import("../data/data.js").Picture} Picture */

const LOG_FROM = 100;

/** The shares as curves. @param {Book} book @returns {Picture | null} */
export function coveragePicture(book) {
  const { coverage, runs } = book.facts;
  if (!coverage) return null;
  const { ranks, shares } = coverage;
  /** @type {Picture["lines"]} */
  const lines = runs.map((name, run) => ({
    name,
    run,
    x: ranks,
    y: shares[run],
    at: null,
    low: null,
    high: null,
    rule: "line",
    mark: "",
  }));
  const log = Math.max(0, ...ranks) > LOG_FROM;
  return {
    kind: "coverage",
    title: "Judged documents",
    x: "rank",
    y: "judged documents",
    at: "rank",
    log,
    unit: true,
    lines,
    notes: [],
  };
}

/** @param {Book} book @param {import("./common.js").View} view @param {number} width */
export function coverageScene(book, view, width) {
  const picture = coveragePicture(book);
  if (!picture) {
    return wordScene(width, "Rankings are not available, so the share of judged documents is unknown.");
  }
  return curveScene(book, view, picture, width, {
    texts: (ticks) => ticks.map(percent),
    value: (share) => percent(share),
  });
}

/** @param {Book} book @returns {import("../kit/csv.js").Sheet} */
export function coverageCsv(book) {
  const picture = coveragePicture(book);
  return picture
    ? { ...curveCsv(picture), name: "judged-by-rank" }
    : { name: "judged-by-rank", header: ["run", "rank", "judged"], rows: [] };
}
