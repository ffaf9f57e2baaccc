/** A chart on the page: a figure that follows the size and theme of the page and can be saved as a file. */
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
/** @typedef {string | (() => string)} Words a text, or a function that returns it */
/**
 * @typedef {object} Chart
 * @property {Words} title
 * @property {Words} [sentence] below the title
 * @property {(width: number) => Scene} draw
 * @property {(width: number) => Scene} [drawAlone] for a file, if it has to show more than the page
 * @property {() => import("./csv.js").Sheet} csv
 * @property {(datum: number) => void} [onPick]
 * @property {string} [pickWord] what Enter and a click do: open, by default
 * @property {(filter: string) => void} [onSelect] called with the filter of an area that was dragged over
 */

const MOST_ELEMENTS = 1500;
const NARROWEST_CHART = 220;

/** Redraw functions of each figure. @type {WeakMap<Element, {recolour: () => void, update: (printed: boolean) => void}>} */
const kitFigures = new WeakMap();
const kitWatch = { on: false };

/** @param {Words | undefined} words */
const chartWords = (words) => (typeof words === "function" ? words() : words ?? "");

/** Return whether the page is laid out for printing. */
function isPrinting() {
  return document.documentElement.classList.contains("printing");
}

/**
 * Redraw all charts when the theme changes (canvas colours are fixed) and for printing. `beforeprint` fires before the layout for
 * paper, so a class applies that layout first and charts take their widths from it.
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
 * Add a chart to an element.
 *
 * @param {Element} host @param {Chart} chart
 * @returns {{update: () => void, element: HTMLElement}} update: redraw after a change of the data
 */
export function mountChart(host, chart) {
  const drawing = h("div", { class: "kit-drawing" });
  const [title, sentence] = [h("h3", { class: "kit-title" }), h("p", { class: "kit-sentence" })];
  /** @type {{scene: Scene | null, width: number, ratio: number, frame: number}} */
  const now = { scene: null, width: 0, ratio: 0, frame: 0 };
  const scene = () => now.scene;
  const buttons = fileButtons(chart, () => chart.drawAlone?.(Math.max(NARROWEST_CHART, now.width)) ?? now.scene);
  const caption = h("figcaption", { class: "kit-caption" }, title, buttons.element, sentence);
  const figure = h("figure", { class: "kit-figure" }, caption, drawing);
  const order = () => dataOf(now.scene);
  const reader = new ChartReader({ drawing, scene, pick: chart.onPick, order, select: chart.onSelect });

  const update = (printed = false) => {
    const width = Math.floor(drawing.getBoundingClientRect().width);
    if (!width) return; // hidden: the observer reports when it is shown
    now.width = width;
    now.ratio = window.devicePixelRatio || 1;
    now.scene = chart.draw(Math.max(NARROWEST_CHART, width));
    fill(title, chartWords(chart.title));
    buttons.name();
    fill(sentence, chartWords(chart.sentence));
    describeDrawing(drawing, now.scene, chart.onPick ? chart.pickWord ?? "open" : "");
    fill(drawing, renderedScene(now.scene, drawing, now.ratio, printed));
    reader.refresh();
  };
  const resized = () => {
    cancelAnimationFrame(now.frame);
    now.frame = requestAnimationFrame(() => {
      const changed = Math.floor(drawing.getBoundingClientRect().width) !== now.width ||
        window.devicePixelRatio !== now.ratio;
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

/** @param {HTMLElement} drawing @param {Scene} scene @param {string} pick what picking does, or "" */
function describeDrawing(drawing, scene, pick) {
  const walked = pick !== "" && scene.spots.length > 0;
  drawing.classList.toggle("kit-brush", Boolean(scene.brush));
  drawing.setAttribute("role", walked ? "application" : "img");
  drawing.setAttribute(
    "aria-label",
    walked ? `${scene.label} Use the arrow keys to move through the data, Enter to ${pick}.` : scene.label,
  );
  if (walked) {
    drawing.setAttribute("aria-roledescription", "chart");
    drawing.tabIndex = 0;
  } else {
    drawing.removeAttribute("aria-roledescription");
    drawing.removeAttribute("tabindex");
  }
}

/** Wait until the page is repainted. */
function nextFrame() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

/** A menu that saves a chart, labelled with its title: one stop of the Tab key. @param {Chart} chart @param {() => Scene | null} scene */
function fileButtons(chart, scene) {
  const name = () => chart.csv().name;
  const [title, sentence] = [() => chartWords(chart.title), () => chartWords(chart.sentence)];
  /** @type {[string, (shown: Scene) => unknown][]} */
  const takers = [
    ["CSV", () => download(`${name()}.csv`, "text/csv;charset=utf-8", csvText(chart.csv()))],
    ["SVG", (shown) => download(`${name()}.svg`, "image/svg+xml", standaloneSvg(shown, title(), sentence()))],
    ["PNG", async (shown) => download(`${name()}.png`, "image/png", await pngBlob(shown, title(), sentence()))],
  ];
  const buttons = takers.map(([format, take]) => {
    const button = h(
      "button",
      { type: "button", class: "kit-button", onclick: () => saveFile(button, format, take, scene) },
      format,
    );
    return button;
  });
  const opener = h("summary", { class: "kit-button" }, "Save");
  const menu = h("details", { class: "kit-save" }, opener, h("div", { class: "kit-buttons" }, buttons));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.hasAttribute("open")) return;
    menu.removeAttribute("open");
    opener.focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.removeAttribute("open");
  });
  return {
    element: menu,
    name() {
      opener.setAttribute("aria-label", `Save “${title()}”`);
      takers.forEach(([format], i) => {
        const label = `Save “${title()}” as ${format}`;
        buttons[i].setAttribute("aria-label", label);
        buttons[i].title = label;
      });
    },
  };
}

/**
 * Save a file. Rendering takes a moment, which the button indicates; it is not `disabled`, because it would lose the focus.
 *
 * @param {HTMLElement} button @param {string} format @param {(shown: Scene) => unknown} take @param {() => Scene | null} scene
 */
async function saveFile(button, format, take, scene) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  fill(button, "…");
  try {
    if (format === "PNG") await nextFrame();
    const shown = scene();
    if (shown) await take(shown);
  } catch (error) {
    announce(`Cannot save the file: ${error instanceof Error ? error.message : error}`);
  } finally {
    button.removeAttribute("aria-disabled");
    fill(button, format);
  }
}
