/** A chart on the page: a figure that follows the size and theme of the page and can be saved as a file. */
import { integerText } from "../data/format.js";
import { announce, bdi, fill, h } from "../dom.js";
import { toCanvas } from "./canvas.js";
import { csvText, download, pngBlob, standaloneSvg } from "./files.js";
import { countMarks, dashOf, emptyScene, markerMark, nearestSpot, SMALL_SIZE } from "./scene.js";
import { lightPalette, livePalette, readPalette, toSvg } from "./svg.js";
import { fitText, textWidth } from "./text.js";
/** @import { Sheet } from "./files.js" */
/** @import { Mark, Scene, Spot } from "./scene.js" */

/** @typedef {string | (() => string)} Words a text, or a function that returns it */
/**
 * @typedef {object} Chart
 * @property {Words} title
 * @property {Words} [sentence] below the title
 * @property {(width: number) => Scene} draw
 * @property {(width: number) => Scene} [drawAlone] for a file, if it has to show more than the page
 * @property {() => Sheet} csv
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
  const drawing = h("div.kit-drawing");
  const [title, sentence] = [h("h3.kit-title"), h("p.kit-sentence")];
  /** @type {{scene: Scene | null, width: number, ratio: number, frame: number}} */
  const now = { scene: null, width: 0, ratio: 0, frame: 0 };
  const scene = () => now.scene;
  const buttons = fileButtons(chart, () => chart.drawAlone?.(Math.max(NARROWEST_CHART, now.width)) ?? now.scene);
  const caption = h("figcaption.kit-caption", title, buttons.element, sentence);
  const figure = h("figure.kit-figure", caption, drawing);
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
  const takers = [["CSV", () => download(`${name()}.csv`, "text/csv;charset=utf-8", csvText(chart.csv()))], [
    "SVG",
    (shown) => download(`${name()}.svg`, "image/svg+xml", standaloneSvg(shown, title(), sentence())),
  ], ["PNG", async (shown) => download(`${name()}.png`, "image/png", await pngBlob(shown, title(), sentence()))]];
  const buttons = takers.map(([format, take]) => {
    const button = h("button.kit-button", { onclick: () => saveFile(button, format, take, scene) }, format);
    return button;
  });
  const opener = h("summary.kit-button", "Save");
  const menu = h("details.kit-save", opener, h("div.kit-buttons", buttons));
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

// ── Pointer and keyboard interaction with a drawing, in coordinates of the scene, for both renderers ──

/**
 * @typedef {object} Stage the drawing and its scene
 * @property {HTMLElement} drawing
 * @property {() => Scene | null} scene
 * @property {((datum: number) => void) | undefined} pick
 * @property {() => number[]} order of the data for the keyboard
 * @property {((filter: string) => void) | undefined} select called with the filter of an area that was dragged over
 */

const DRAG_FROM = 6; // pixels; less is a click
const KEY_STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** Marks that highlight a spot. @param {Scene} scene @param {Spot} spot @returns {Mark[]} */
function highlightMarks({ plot, hover, cross, spots }, spot) {
  if (spot.box) {
    return [{
      kind: "rect",
      x: spot.box.x,
      y: spot.box.y,
      w: spot.box.width,
      h: spot.box.height,
      fill: "ink",
      opacity: 0.1,
    }];
  }
  /** @type {Mark} */
  const ring = { kind: "circle", x: spot.x, y: spot.y, r: (spot.r ?? 2) + 3, stroke: "ink", width: 1.5 };
  /** @type {Mark} */
  const column = {
    kind: "line",
    x1: spot.x,
    x2: spot.x,
    y1: plot.y,
    y2: plot.y + plot.height,
    stroke: "soft",
    opacity: 0.6,
  };
  /** @type {Mark[]} */
  const rings = cross
    ? spots.filter(({ datum }) => datum === spot.datum).map(({ x, y, r = 2 }) => ({ ...ring, x, y, r: r + 2 }))
    : [ring];
  return hover === "x" ? [column, ...rings] : rings;
}

/** Return the distinct data of a scene. @param {Scene | null} scene */
export function dataOf(scene) {
  return scene ? [...new Set(scene.spots.map((spot) => spot.datum))] : [];
}

/**
 * Return the position that a key leads to (from -1: outside); null for other keys.
 *
 * @param {string} key @param {number} from @param {number} count
 */
export function stepFrom(key, from, count) {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (!(key in KEY_STEPS)) return null;
  if (from < 0) return 0;
  return Math.max(0, Math.min(count - 1, from + KEY_STEPS[/** @type {keyof typeof KEY_STEPS} */ (key)]));
}

/** Handles hovering, moving through and picking data. */
export class ChartReader {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {Spot | null} */
    this.spot = null;
    /** @type {Element | null} */
    this.overlay = null;
    this.finger = false;
    const { drawing } = stage;
    /** Where dragging began; null if nothing is dragged. @type {{x: number, y: number} | null} */
    this.from = null;
    this.dragged = false;
    drawing.addEventListener("pointerdown", (event) => this.handleDown(event));
    drawing.addEventListener("pointerup", (event) => this.handleUp(event));
    drawing.addEventListener("pointercancel", () => this.from = null);
    drawing.addEventListener("pointermove", (event) => this.handleMove(event));
    drawing.addEventListener("pointerleave", (event) => event.pointerType === "touch" || this.leave());
    drawing.addEventListener("blur", () => this.leave());
    drawing.addEventListener("click", (event) => this.handleClick(event));
    drawing.addEventListener("keydown", (event) => this.handleKey(event));
  }

  /** There is a new drawing: the highlight of a reader with a keyboard stays on the same datum. */
  refresh() {
    const [datum, held] = [this.spot?.datum, document.activeElement === this.stage.drawing];
    const again = this.stage.scene()?.spots.find((spot) => spot.datum === datum);
    hideTip();
    this.highlight((held && again) || null);
  }

  /** @param {Spot | null} spot */
  highlight(spot) {
    const { drawing, pick } = this.stage;
    const scene = this.stage.scene();
    this.overlay?.remove();
    this.spot = scene && spot;
    drawing.classList.toggle("kit-over", Boolean(spot && pick));
    if (!scene || !spot) return;
    this.cover(scene, highlightMarks(scene, spot));
  }

  leave() {
    this.highlight(null);
    hideTip();
  }

  /** Where the picture lies in the window, and how many of its pixels one of the scene takes. */
  frame() {
    const { drawing } = this.stage;
    const box = (drawing.firstElementChild ?? drawing).getBoundingClientRect();
    return { left: box.left, top: box.top, zoom: box.width / (this.stage.scene()?.width ?? 1) || 1 };
  }

  /** @param {MouseEvent} event */
  pointed(event) {
    const scene = this.stage.scene();
    const { x, y } = this.inScene(event);
    return scene && nearestSpot(scene, x, y);
  }

  /** @param {MouseEvent} event */
  inScene(event) {
    const { left, top, zoom } = this.frame();
    return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
  }

  /** @param {PointerEvent} event */
  handleDown(event) {
    this.finger = event.pointerType === "touch";
    this.dragged = false;
    const { select, scene, drawing } = this.stage;
    this.from = select && scene()?.brush && !this.finger && event.button === 0 ? this.inScene(event) : null;
    if (!this.from) return;
    event.preventDefault(); // no selection of text
    drawing.setPointerCapture(event.pointerId);
    drawing.focus({ preventScroll: true });
  }

  /** Outline the area that is dragged over. @param {PointerEvent} event */
  drag(event) {
    const [scene, from, to] = [this.stage.scene(), this.from, this.inScene(event)];
    if (!scene || !from || Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y)) < DRAG_FROM) return;
    this.dragged = true;
    hideTip();
    const { plot } = scene;
    const flat = scene.hover === "x"; // the area is as high as the plot
    const [x, w] = [Math.min(from.x, to.x), Math.abs(to.x - from.x)];
    const [y, h] = flat ? [plot.y, plot.height] : [Math.min(from.y, to.y), Math.abs(to.y - from.y)];
    this.cover(scene, [{ kind: "rect", x, y, w, h, fill: "accent", opacity: 0.15 }, {
      kind: "rect",
      x,
      y,
      w,
      h,
      stroke: "accent",
      width: 1,
    }]);
  }

  /** @param {PointerEvent} event */
  handleUp(event) {
    const [from, scene] = [this.from, this.stage.scene()];
    this.from = null;
    if (!from || !this.dragged || !scene?.brush) return;
    const to = this.inScene(event);
    this.leave();
    const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
    const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    const filter = scene.brush({ x: left, y: top }, { x: right, y: bottom });
    if (filter) this.stage.select?.(filter);
  }

  /** Draw marks over the picture. @param {Scene} scene @param {Mark[]} marks */
  cover(scene, marks) {
    this.overlay?.remove();
    this.overlay = toSvg({ ...emptyScene(scene.width, scene.height, ""), marks }, livePalette);
    this.overlay.classList.add("kit-overlay");
    this.overlay.setAttribute("aria-hidden", "true");
    this.stage.drawing.append(this.overlay);
  }

  /** @param {Spot} spot @param {number} x @param {number} y */
  show(spot, x, y) {
    if (spot !== this.spot) this.highlight(spot);
    const lines = this.stage.scene()?.tip(spot.datum) ?? [];
    if (lines.length) {
      showTip(this.finger && this.stage.pick ? [...lines, "Tap again to open"] : lines, x, y, this.finger);
    }
  }

  /** @param {PointerEvent} event */
  handleMove(event) {
    if (event.pointerType === "touch") return; // a moving finger scrolls
    if (this.from) this.drag(event);
    if (this.dragged && this.from) return;
    const spot = this.pointed(event);
    if (spot) this.show(spot, event.clientX, event.clientY);
    else this.leave();
  }

  /** A finger first sees what it would pick. @param {MouseEvent} event */
  handleClick(event) {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    const spot = this.pointed(event);
    const seen = !this.finger || spot?.datum === this.spot?.datum;
    if (!spot) this.leave();
    else if (!this.stage.pick || !seen) this.show(spot, event.clientX, event.clientY);
    else {
      this.leave();
      this.stage.pick(spot.datum);
    }
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const { pick } = this.stage;
    if (!pick || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return this.leave();
    const order = this.stage.order();
    const from = this.spot ? order.indexOf(this.spot.datum) : -1;
    const picked = (event.key === "Enter" || event.key === " ") && from >= 0;
    const to = picked || !order.length ? null : stepFrom(event.key, from, order.length);
    if (picked || to !== null) event.preventDefault();
    if (to !== null) this.walked(order, to);
    if (!picked) return;
    hideTip();
    pick(order[from]);
  }

  /** @param {number[]} order @param {number} to */
  walked(order, to) {
    const scene = this.stage.scene();
    const spot = scene?.spots.find((one) => one.datum === order[to]);
    if (!scene || !spot) return;
    const { left, top, zoom } = this.frame();
    this.finger = false;
    this.show(spot, left + spot.x * zoom, top + spot.y * zoom);
    announce(`${scene.tip(spot.datum).join(", ")}; ${integerText(to + 1)} of ${integerText(order.length)}`);
  }
}

// ── The tooltip of the page. It is hidden from screen readers, because its text is announced when the keyboard selects a datum ──

/** @type {{element: HTMLElement | null}} */
const kitTip = { element: null };

const TIP_GAP = 14;
const TIP_EDGE = 6;

/** @returns {HTMLElement} */
function tipElement() {
  if (kitTip.element?.isConnected) return kitTip.element;
  const element = h("div.kit-tip", { "aria-hidden": "true", hidden: true });
  document.body.append(element);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
  document.addEventListener("scroll", hideTip, { capture: true, passive: true });
  kitTip.element = element;
  return element;
}

/**
 * Show lines of text next to a point; above it for touch, where a finger would hide them.
 *
 * @param {string[]} lines @param {number} x @param {number} y @param {boolean} [finger]
 */
export function showTip(lines, x, y, finger = false) {
  const element = tipElement();
  fill(element, lines.map((line, i) => h("div", { class: i ? "kit-tip-line" : "kit-tip-name", dir: "auto" }, line)));
  element.hidden = false;
  const { width, height } = element.getBoundingClientRect();
  const page = document.documentElement;
  const place = tipPlace({ x, y, width, height, wide: page.clientWidth, high: window.innerHeight, finger });
  element.style.left = `${place.left}px`;
  element.style.top = `${place.top}px`;
}

/**
 * Return the position of the tooltip: right of and below the point, or on the other side if there is no space.
 *
 * @param {{x: number, y: number, width: number, height: number, wide: number, high: number, finger?: boolean}} of
 */
export function tipPlace({ x, y, width, height, wide, high, finger = false }) {
  const right = x + TIP_GAP + width + TIP_EDGE <= wide;
  const left = finger ? x - width / 2 : right ? x + TIP_GAP : x - TIP_GAP - width;
  const above = y - TIP_GAP * (finger ? 2 : 1) - height;
  const below = y + TIP_GAP;
  const top = (finger && above >= TIP_EDGE) || below + height + TIP_EDGE > high ? above : below;
  const kept = (/** @type {number} */ at, /** @type {number} */ most) =>
    Math.max(TIP_EDGE, Math.min(at, most - TIP_EDGE));
  return { left: kept(left, wide - width), top: kept(top, high - height) };
}

export function hideTip() {
  if (kitTip.element) kitTip.element.hidden = true;
}

// ── Legends above a plot ──

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
      "button.kit-entry",
      { "aria-pressed": "false", title: entry.text },
      sample(entry),
      bdi(entry.text, { class: "clip" }),
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
    "ul.kit-legend",
    { "aria-label": "Runs; select one to highlight it" },
    buttons.map((button) => h("li", button)),
  );
}
