/** From one value to the other: one step per document that moved, entered or left. */
import { rowsAxis, rowsScene } from "../charts/rows.js";
import { plural, shorten, signedText, valueText } from "../data/format.js";
import { h } from "../dom.js";
import { mountChart } from "../kit/chart.js";
import { extent, linearScale, niceDomain } from "../kit/scale.js";
import { crisp, lineAt, rectAt } from "../kit/scene.js";
import { rankChange } from "../sections/changes.js";
import { documentChanges } from "./moves.js";
/** @import { Detail } from "../data/data.js" */
/** @import { Mark, Scene } from "../kit/scene.js" */
/** @import { QueryView } from "./tables.js" */

/** @typedef {{name: string, note: string, from: number, to: number, total: boolean}} Step a change of the value; a total begins at 0 */

const STEPS_SHOWN = 8;
const STEP_LEAST = 0.0005; // smaller remainders are rounding

/** Return the steps from the value of a to that of b; null if the value is no sum over documents, or nothing changed. @param {QueryView} view @param {Detail} detail @param {number} level @returns {Step[] | null} */
export function waterfallSteps({ book, query, measure, a, b }, detail, level) {
  const [first, last] = [book.value(measure, a, query), book.value(measure, b, query)];
  const { steps, exact } = documentChanges(detail, a, b, measure, level);
  if (!exact || !steps.length || !Number.isFinite(first) || !Number.isFinite(last)) return null;
  const shown = steps.length > STEPS_SHOWN + 1 ? steps.slice(0, STEPS_SHOWN) : steps;
  let at = first;
  /** @type {Step[]} */
  const found = [{ name: book.short[a], note: "", from: 0, to: first, total: true }];
  for (const { place, before, after, delta } of shown) {
    const name = shorten(detail.titles[place] || detail.docs[place], 60);
    found.push({ name, note: rankChange(before, after), from: at, to: at + delta, total: false });
    at += delta;
  }
  if (Math.abs(last - at) > STEP_LEAST || shown.length < steps.length) {
    const count = steps.length - shown.length;
    const name = count ? plural(count, "other document") : "other documents";
    found.push({ name, note: "", from: at, to: last, total: false });
  }
  return [...found, { name: book.short[b], note: "", from: 0, to: last, total: true }];
}

/** @param {QueryView} view @param {Step[]} steps @param {number} width @returns {Scene} */
export function waterfallScene(view, steps, width) {
  const of = view.book.facts.measures[view.measure];
  const value = (/** @type {Step} */ { from, to, total }) =>
    total ? valueText(to, of) : signedText(to - from, of.whole ? 0 : 3);
  const label = `${of.name} from ${view.book.short[view.a]} to ${view.book.short[view.b]}: ${
    steps.filter(({ total }) => !total).map((step) => `${step.name}, ${step.note}, ${value(step)}`).join("; ")
  }.`;
  const rows = rowsScene(
    steps.map((step) => ({ name: step.name, note: step.note, value: value(step), bold: step.total })),
    width,
    label,
    { high: 24 },
  );
  const [low, high] = extent(steps.flatMap(({ from, to }) => [from, to]));
  const x = linearScale(niceDomain(Math.min(0, low), high, 5), [rows.left, rows.right]);
  rows.scene.marks.unshift(...rowsAxis(rows, x, of.name));
  steps.forEach(({ from, to, total }, i) => {
    const [y, left, right] = [rows.y(i), x.at(Math.min(from, to)), x.at(Math.max(from, to))];
    const better = (to > from) !== of.lower;
    const fill = total ? view.book.colour(i ? view.b : view.a, view) : better ? "better" : "worse";
    rows.scene.marks.push(rectAt(left, y - 8, Math.max(1.5, right - left), 16, { fill }));
    const next = steps[i + 1];
    if (next && !next.total && rows.bands.length === 1) { // on phones names are between the rows
      const at = crisp(x.at(to));
      rows.scene.marks.push(lineAt(at, y + 8, at, rows.y(i + 1) - 8, "context"));
    }
  });
  return rows.scene;
}

/** @param {QueryView} view @param {Detail} detail @param {number} level */
export function changesSection(view, detail, level) {
  if (view.b < 0) return null;
  const steps = waterfallSteps(view, detail, level);
  if (!steps) return null;
  const { facts, short } = view.book;
  const section = h("section.query-section.query-waterfall", { "aria-label": "Difference by document" });
  mountChart(section, {
    title: `Why ${short[view.b]} differs from ${short[view.a]}`,
    sentence: `${facts.measures[view.measure].name}: what each document adds or takes away because its rank changed.`,
    draw: (width) => waterfallScene(view, steps, width),
    csv: () => ({
      name: `waterfall-${facts.queries[view.query]}`,
      header: ["step", "ranks", "from", "to"],
      rows: steps.map(({ name, note, from, to }) => [name, note, Number(from.toFixed(6)), Number(to.toFixed(6))]),
    }),
  });
  return section;
}
