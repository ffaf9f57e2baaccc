/** A chart on the page: a figure that draws itself, follows the size and the theme of the page, and can be taken along as a file. */
import { announce, fill, h } from "../dom/dom.js";
import { toCanvas } from "./canvas.js";
import { csvText } from "./csv.js";
import { download } from "./download.js";
import { pngBlob, standaloneSvg } from "./export.js";
import { ChartReader, dataOf } from "./interact.js";
import { lightPalette, livePalette, readPalette } from "./palette.js";
import { countMarks } from "./scene.js";
import { toSvg } from "./svg.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {string | (() => string)} Words a text, or what gives it each time the chart is drawn */
/**
 * @typedef {object} Chart
 * @property {Words} title
 * @property {Words} [sentence] what stands below the title
 * @property {Words} [describe] what a reader who does not see the chart is told; the label of the scene, unless given
 * @property {(width: number) => Scene} draw
 * @property {(width: number) => Scene} [drawAlone] for a file, where that has to show more than the page does
 * @property {() => import("./csv.js").Sheet} csv
 * @property {(datum: number) => void} [onPick]
 * @property {number[] | (() => number[])} [order] of data, for the keyboard; that of the scene, unless given
 * @property {number} [height] kept free until the chart is drawn
 * @property {string} [hint] what keys do, for a reader who does not see it
 */

const MOST_ELEMENTS = 1500;
const NARROWEST_CHART = 220;
const KEYS_HINT = "Arrow keys walk through the data, Enter opens one.";

/** How each figure draws itself again: in other colours, or anew on paper and back. @type {WeakMap<Element, {recolour: () => void, update: (printed: boolean) => void}>} */
const kitFigures = new WeakMap();
const kitWatch = { on: false };

/** @param {Words | undefined} words */
const chartWords = (words) => (typeof words === "function" ? words() : words ?? "");

/** Whether the page is laid out for paper now. */
function isPrinting() {
  return document.documentElement.classList.contains("printing");
}

/**
 * Colours on a canvas do not follow the theme by themselves, and a chart does not follow the width of paper. One observer serves all charts.
 * A browser says that it will print before it lays the page out for paper: so a class does that first, and charts take their widths from it.
 */
function watchPage() {
  if (kitWatch.on) return;
  kitWatch.on = true;
  const root = document.documentElement;
  const figures = () => [...document.querySelectorAll(".kit-figure")].map((figure) => kitFigures.get(figure));
  const print = (/** @type {boolean} */ printed) => {
    root.classList.toggle("printing", printed);
    figures().forEach((figure) => figure?.update(printed));
  };
  new MutationObserver(() => figures().forEach((figure) => figure?.recolour())).observe(root, {
    attributeFilter: ["data-theme"],
  });
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
}

/**
 * Put a chart into a place of the page.
 *
 * @param {Element} host @param {Chart} chart
 * @returns {{update: () => void, element: HTMLElement}} update: draw again, when what it shows has changed
 */
export function mountChart(host, chart) {
  const drawing = h("div", { class: "kit-drawing" });
  const [title, sentence] = [h("span", { class: "kit-title" }), h("span", { class: "kit-sentence" })];
  /** @type {{scene: Scene | null, width: number, ratio: number, frame: number}} */
  const now = { scene: null, width: 0, ratio: 0, frame: 0 };
  const scene = () => now.scene;
  const buttons = fileButtons(chart, () => chart.drawAlone?.(Math.max(NARROWEST_CHART, now.width)) ?? now.scene);
  const caption = h("figcaption", { class: "kit-caption" }, title, buttons.element, sentence);
  const figure = h("figure", { class: "kit-figure" }, caption, drawing);
  if (chart.height) drawing.style.minHeight = `${chart.height}px`;
  const order = () => (typeof chart.order === "function" ? chart.order() : chart.order ?? dataOf(now.scene));
  const reader = new ChartReader({ drawing, scene, pick: chart.onPick, order });

  const update = (printed = false) => {
    const width = Math.floor(drawing.clientWidth);
    if (!width) return; // not on show: the observer tells when it is
    now.width = width;
    now.ratio = window.devicePixelRatio || 1;
    now.scene = chart.draw(Math.max(NARROWEST_CHART, width));
    fill(title, chartWords(chart.title));
    buttons.name();
    fill(sentence, chartWords(chart.sentence));
    describeDrawing(drawing, chart, now.scene);
    fill(drawing, renderedScene(now.scene, drawing, now.ratio, printed));
    drawing.style.minHeight = "";
    reader.redrawn();
  };
  const resized = () => {
    cancelAnimationFrame(now.frame);
    now.frame = requestAnimationFrame(() => {
      const changed = Math.floor(drawing.clientWidth) !== now.width || window.devicePixelRatio !== now.ratio;
      if (changed && !isPrinting()) update();
    });
  };
  host.append(figure);
  const recolour = () => {
    if (now.scene && isCrowded(now.scene)) fill(drawing, renderedScene(now.scene, drawing, now.ratio, false));
  };
  kitFigures.set(figure, { recolour, update });
  watchPage();
  update();
  new ResizeObserver(resized).observe(drawing);
  return { update: () => update(), element: figure };
}

/** @param {Scene} scene */
function isCrowded(scene) {
  return countMarks(scene.marks) > MOST_ELEMENTS;
}

/** @param {Scene} scene @param {HTMLElement} drawing @param {number} ratio @param {boolean} printed */
function renderedScene(scene, drawing, ratio, printed) {
  const picture = isCrowded(scene)
    ? toCanvas(scene, printed ? lightPalette : readPalette(drawing), Math.max(ratio, printed ? 2 : 1))
    : toSvg(scene, livePalette);
  picture.setAttribute("class", "kit-picture");
  picture.setAttribute("aria-hidden", "true");
  return picture;
}

/** @param {HTMLElement} drawing @param {Chart} chart @param {Scene} scene */
function describeDrawing(drawing, chart, scene) {
  const words = chartWords(chart.describe) || scene.label;
  const walked = Boolean(chart.onPick && scene.spots.length);
  drawing.setAttribute("role", walked ? "application" : "img");
  drawing.setAttribute("aria-label", walked ? `${words} ${chart.hint ?? KEYS_HINT}` : words);
  if (walked) {
    drawing.setAttribute("aria-roledescription", "chart");
    drawing.tabIndex = 0;
  } else {
    drawing.removeAttribute("aria-roledescription");
    drawing.removeAttribute("tabindex");
  }
}

/** Until what was changed on the page is seen. */
function nextFrame() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

/** The buttons of a chart, and how to name them after its title. @param {Chart} chart @param {() => Scene | null} scene */
function fileButtons(chart, scene) {
  const name = () => chart.csv().name;
  const title = () => chartWords(chart.title);
  /** @type {[string, (shown: Scene) => unknown][]} */
  const takers = [
    ["CSV", () => download(`${name()}.csv`, "text/csv;charset=utf-8", csvText(chart.csv()))],
    ["SVG", (shown) => download(`${name()}.svg`, "image/svg+xml", standaloneSvg(shown, title()))],
    ["PNG", async (shown) => download(`${name()}.png`, "image/png", await pngBlob(shown, title()))],
  ];
  const buttons = takers.map(([form, take]) => {
    const made = h(
      "button",
      { type: "button", class: "kit-button", onclick: () => takeAlong(made, form, take, scene) },
      form,
    );
    return made;
  });
  return {
    element: h("div", { class: "kit-buttons" }, buttons),
    name() {
      takers.forEach(([form], i) => {
        const label = `Save the ${form === "CSV" ? "data" : "picture"} of “${title()}” as ${form}`;
        buttons[i].setAttribute("aria-label", label);
        buttons[i].title = label;
      });
    },
  };
}

/**
 * Make a file. That of a picture takes a moment, in which the button says so; it is not `disabled`, since it would lose the focus.
 *
 * @param {HTMLElement} button @param {string} form @param {(shown: Scene) => unknown} take @param {() => Scene | null} scene
 */
async function takeAlong(button, form, take, scene) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  fill(button, "…");
  try {
    if (form === "PNG") await nextFrame();
    const shown = scene();
    if (shown) await take(shown);
  } catch (error) {
    announce(`The file could not be made: ${error instanceof Error ? error.message : error}`);
  } finally {
    button.removeAttribute("aria-disabled");
    fill(button, form);
  }
}
