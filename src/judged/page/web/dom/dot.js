/** A disc in the colour of a run. */
import { keepEnds } from "../kit/text.js";
import { h } from "./dom.js";

const LONGEST_NAME = 36;

/**
 * @param {import("../data/data.js").Book} book @param {number} run @param {{a: number, b: number}} pair the runs in focus
 */
export function runDot(book, run, pair) {
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  dot.style.borderColor = `var(--${book.colour(run, pair)})`; // borders are printed, backgrounds are not
  return dot;
}

/** Words as nodes: names of runs are shortened and isolated. @param {import("../data/data.js").Book} book @param {import("../data/data.js").Words} words */
export function wordNodes({ facts, short }, words) {
  return words.map((word) =>
    typeof word === "string"
      ? word
      : h("bdi", { class: "name", title: facts.runs[word] }, keepEnds(short[word], LONGEST_NAME))
  );
}
