/** Legends above a plot. */
import { bdi, h } from "../dom/dom.js";
import { livePalette } from "./palette.js";
import { emptyScene, SMALL_SIZE } from "./scene.js";
import { toSvg } from "./svg.js";
import { fitText, textWidth } from "./text.js";
import { dashOf, markerMark } from "./shape.js";

/** @typedef {import("./scene.js").Mark} Mark */
/**
 * @typedef {{text: string, note?: string, colour: string, style?: number, swatch?: "line" | "bar" | "dot" | "ring"}} Entry
 *   note: text after the name; style: index of dash pattern and marker
 */

const LEGEND_ROW = 20;
const LEGEND_SAMPLE = 30;

/**
 * Lay out entries in rows; return the marks and their height.
 *
 * @param {Entry[]} entries @param {number} width @param {number} [y] the top @returns {{marks: Mark[], height: number}}
 */
export function legendMarks(entries, width, y = 0) {
  /** @type {Mark[]} */
  const marks = [];
  let [x, row] = [0, 0];
  for (const entry of entries) {
    const sample = entry.swatch ? 16 : LEGEND_SAMPLE + 6;
    const noted = entry.note ? textWidth(entry.note, SMALL_SIZE) + 7 : 0;
    const text = fitText(entry.text, Math.min(260, width - sample - noted), SMALL_SIZE);
    const named = sample + textWidth(text, SMALL_SIZE);
    const wide = named + noted;
    if (x > 0 && x + wide > width) [x, row] = [0, row + 1];
    const middle = y + row * LEGEND_ROW + LEGEND_ROW / 2;
    marks.push(...sampleMarks(entry, x, middle));
    marks.push({ kind: "text", x: x + sample, y: middle + 4, text, fill: "ink", size: SMALL_SIZE });
    if (entry.note) {
      marks.push({ kind: "text", x: x + named + 7, y: middle + 4, text: entry.note, fill: "soft", size: SMALL_SIZE });
    }
    x += wide + 18;
  }
  return { marks, height: entries.length ? (row + 1) * LEGEND_ROW : 0 };
}

/** @param {Entry} entry @param {number} x @param {number} y @returns {Mark[]} */
function sampleMarks({ colour, style = 0, swatch = "line" }, x, y) {
  if (swatch === "bar") return [{ kind: "line", x1: x + 5, x2: x + 5, y1: y - 6, y2: y + 6, stroke: colour, width: 2 }];
  if (swatch === "dot") return [{ kind: "circle", x: x + 5, y, r: 3.5, fill: colour }];
  if (swatch === "ring") return [{ kind: "circle", x: x + 5, y, r: 5, fill: "paper", stroke: colour, width: 1.5 }];
  return [
    { kind: "line", x1: x, x2: x + LEGEND_SAMPLE, y1: y, y2: y, stroke: colour, width: 2, dash: dashOf(style) },
    markerMark(style, x + LEGEND_SAMPLE / 2, y, colour),
  ];
}

/**
 * A legend as an element, shared by several charts. Pointing at a name or focusing it highlights its run; a click keeps it.
 *
 * @param {Entry[]} entries @param {(entry: number) => void} [light] called with an entry, or -1
 */
export function legendElement(entries, light = () => {}) {
  const sample = (/** @type {Entry} */ entry) => {
    const scene = { ...emptyScene(LEGEND_SAMPLE, 12, ""), marks: sampleMarks(entry, 0, 6) };
    const svg = toSvg(scene, livePalette);
    svg.setAttribute("aria-hidden", "true");
    return svg;
  };
  let kept = -1;
  const buttons = entries.map((entry, i) => {
    const button = h(
      "button",
      { type: "button", class: "kit-entry", "aria-pressed": "false", title: entry.text },
      sample(entry),
      bdi(entry.text),
    );
    button.addEventListener("pointerenter", () => light(i));
    button.addEventListener("pointerleave", () => light(kept));
    button.addEventListener("click", () => {
      kept = kept === i ? -1 : i;
      buttons.forEach((other, j) => other.setAttribute("aria-pressed", String(j === kept)));
      light(kept);
    });
    return button;
  });
  return h(
    "ul",
    { class: "kit-legend", "aria-label": "Runs; select one to highlight it" },
    buttons.map((button) => h("li", {}, button)),
  );
}
