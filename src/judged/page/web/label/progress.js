/** Progress through the documents: what comes next, and how long it takes. */
import { integerText, plural } from "../data/format.js";

/** A longer pause between two judgments is a break, which does not count as time spent. */
const LONGEST_GAP = 120_000;

/**
 * Return the next place without a judgment: after a place, then from the start; -1 if there is none.
 *
 * @param {number[]} order @param {number} at @param {(item: number) => boolean} isJudged
 */
export function nextUnjudged(order, at, isJudged) {
  for (let step = 1; step <= order.length; step++) {
    const place = (at + step) % order.length;
    if (!isJudged(order[place])) return place;
  }
  return -1;
}

/**
 * Return the time spent on judgments, from their times, and the usual time of one; NaN with fewer than four.
 *
 * @param {string[]} times @returns {{spent: number, each: number}} milliseconds
 */
export function timeSpent(times) {
  const sorted = times.map((time) => Date.parse(time)).filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((time, i) => time - sorted[i]).filter((gap) => gap <= LONGEST_GAP);
  const spent = gaps.reduce((sum, gap) => sum + gap, 0);
  return { spent, each: gaps.length < 3 ? NaN : spent / gaps.length };
}

/** Write a duration in words. @param {number} milliseconds */
export function durationText(milliseconds) {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1) return "under 1 min";
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`;
}

/** Say how long the judgments took, and how long the rest takes. @param {number} done @param {number} total @param {string[]} times @returns {[string, string]} */
export function progressTexts(done, total, times) {
  const { spent, each } = timeSpent(times);
  const took = spent >= 60_000 ? `${durationText(spent)} so far` : "";
  if (done >= total || Number.isNaN(each)) return [took, ""];
  const rest = each * (total - done);
  return [took, `${rest < 30_000 ? "" : "about "}${durationText(rest)} left`];
}

/** Count the documents of each grade. @param {number[]} numbers @param {(number | null)[]} grades */
export function gradeCounts(numbers, grades) {
  return numbers.map((number) => grades.filter((grade) => grade === number).length);
}

/**
 * Say what an import did.
 *
 * @param {{others: number, unknown: number, offScale: number}} found @param {number} total records of the file @param {number} changed
 */
export function importText({ others, unknown, offScale }, total, changed) {
  const left = [
    others ? `${plural(others, "judgment")} of other judges` : "",
    unknown ? `${integerText(unknown)} of documents that are not yours on this page` : "",
    offScale ? `${integerText(offScale)} with a grade that is not on the scale` : "",
  ].filter(Boolean);
  const first = `${plural(total, "judgment")} read, ${changed ? plural(changed, "document") : "nothing"} changed.`;
  return left.length ? `${first} Left out: ${left.join(", ")}.` : first;
}
