/** A chart on the page: a figure that follows the size of the page, is read by pointer and keyboard, and can be saved as a file. */
import { integerText } from "../data/format.js";
import { alongKey, announce, bdi, fill, h, placeByKey } from "../dom.js";
import { download, downloadSheet } from "./files.js";
import { circleAt, dashOf, emptyScene, lineAt, nearestSpot, rectAt, SMALL_SIZE, textAt } from "./scene.js";
import { pngBlob, standaloneSvg, toSvg } from "./svg.js";
import { fitText, textWidth } from "./text.js";
/** @import { Sheet } from "./files.js" */
/** @import { Mark, Scene, Spot } from "./scene.js" */

/** @typedef {string | (() => string)} ChartWords a text, or a function that returns it */
/**
 * @typedef {object} Chart
 * @property {ChartWords} title
 * @property {ChartWords} [sentence] below the title
 * @property {(width: number) => Scene} draw
 * @property {(width: number) => Scene} [drawAlone] for a file, if it has to show more than the page
 * @property {() => Sheet} csv
 * @property {(datum: number) => void} [onPick]
 * @property {string} [pickWord] what Enter and a click do: open, by default
 * @property {(filter: string) => void} [onSelect] called with the filter of an area that was dragged over
 */

const NARROWEST_CHART = 220;

/** Charts on the page, with the functions that draw them. @type {Map<Element, () => void>} */
const kitCharts = new Map();

/** @param {ChartWords | undefined} words */
const chartWords = (words) => (typeof words === "function" ? words() : words ?? "");

/** `beforeprint` comes before the layout for paper, so a class applies that layout first and charts take their widths from it. @param {boolean} printed */
function printCharts(printed) {
  document.documentElement.classList.toggle("printing", printed);
  for (const [figure, update] of kitCharts) {
    if (figure.isConnected) update();
    else kitCharts.delete(figure);
  }
}

/** Add a chart to an element. @param {Element} host @param {Chart} chart @returns {{update: () => void, element: HTMLElement}} update: redraw after a change of the data */
export function mountChart(host, chart) {
  const drawing = h("div.kit-drawing");
  const [title, sentence] = [h("h3.kit-title.size-15"), h("p.kit-sentence.soft.size-13")];
  /** @type {{scene: Scene | null, width: number, frame: number}} */
  const now = { scene: null, width: 0, frame: 0 };
  const menu = saveMenu(chart, () => chart.drawAlone?.(Math.max(NARROWEST_CHART, now.width)) ?? now.scene);
  const figure = h("figure.kit-figure", h("figcaption.kit-caption.anywhere", title, menu.element, sentence), drawing);
  const reader = new ChartReader(drawing, () => now.scene, chart);
  const widthNow = () => Math.floor(drawing.getBoundingClientRect().width);
  const update = () => {
    const width = widthNow();
    if (!width) return; // hidden: the observer reports when it is shown
    now.width = width;
    now.scene = chart.draw(Math.max(NARROWEST_CHART, width));
    fill(title, chartWords(chart.title));
    fill(sentence, chartWords(chart.sentence));
    menu.name();
    describeDrawing(drawing, now.scene, chart.onPick ? chart.pickWord ?? "open" : "");
    const picture = toSvg(now.scene);
    picture.setAttribute("class", "kit-picture");
    picture.setAttribute("aria-hidden", "true");
    fill(drawing, picture);
    reader.refresh();
  };
  const resized = () => {
    cancelAnimationFrame(now.frame);
    now.frame = requestAnimationFrame(() => {
      if (widthNow() !== now.width && !document.documentElement.classList.contains("printing")) update();
    });
  };
  if (!kitCharts.size) {
    addEventListener("beforeprint", () => printCharts(true));
    addEventListener("afterprint", () => printCharts(false));
  }
  kitCharts.set(figure, update);
  host.append(figure);
  update();
  new ResizeObserver(resized).observe(drawing);
  return { update, element: figure };
}

/** @param {HTMLElement} drawing @param {Scene} scene @param {string} pick what picking does, or "" */
function describeDrawing(drawing, scene, pick) {
  const walked = pick !== "" && scene.spots.length > 0;
  const how = walked ? ` Use the arrow keys to move through the data, Enter to ${pick}.` : "";
  drawing.classList.toggle("kit-brush", Boolean(scene.brush));
  drawing.setAttribute("role", walked ? "application" : "img");
  drawing.setAttribute("aria-label", scene.label + how);
  drawing.toggleAttribute("aria-roledescription", walked);
  if (walked) drawing.setAttribute("aria-roledescription", "chart");
  drawing.toggleAttribute("tabindex", walked);
  if (walked) drawing.tabIndex = 0;
}

/** A menu that saves a chart, labelled with its title: one stop of the Tab key. @param {Chart} chart @param {() => Scene | null} scene */
function saveMenu(chart, scene) {
  const title = () => chartWords(chart.title);
  const alone = () => {
    const shown = scene();
    return shown ? standaloneSvg(shown, title(), chartWords(chart.sentence)) : "";
  };
  /** @type {[string, (name: string) => unknown][]} */
  const takers = [
    ["CSV", () => downloadSheet(chart.csv())],
    ["SVG", (name) => download(`${name}.svg`, "image/svg+xml", alone())],
    ["PNG", async (name) => download(`${name}.png`, "image/png", await pngBlob(alone()))],
  ];
  // Rendering takes a moment, which the button indicates; it is not `disabled`, because it would lose the focus.
  const save = async (/** @type {HTMLElement} */ button, /** @type {(name: string) => unknown} */ take) => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    try {
      await take(chart.csv().name);
    } catch (error) {
      announce(`Cannot save the file: ${error instanceof Error ? error.message : error}`);
    }
    button.removeAttribute("aria-disabled");
  };
  const buttons = takers.map(([format, take]) => {
    const button = h("button.kit-button.soft", { onclick: () => save(button, take) }, format);
    return button;
  });
  const opener = h("summary.kit-button.soft", "Save");
  const menu = h("details.kit-save", opener, h("div.kit-buttons.row.box", buttons));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.hasAttribute("open")) return;
    menu.removeAttribute("open");
    opener.focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.removeAttribute("open");
  });
  const name = () => {
    opener.setAttribute("aria-label", `Save “${title()}”`);
    takers.forEach(([format], i) => {
      buttons[i].title = `Save “${title()}” as ${format}`;
      buttons[i].setAttribute("aria-label", buttons[i].title);
    });
  };
  return { element: menu, name };
}

// ── pointer and keyboard, in coordinates of the scene ──

const DRAG_FROM = 6; // pixels; less is a click

/** Marks that highlight a spot. @param {Scene} scene @param {Spot} spot @returns {Mark[]} */
function highlightMarks({ plot, hover, cross, spots }, { x, y, r, box, datum }) {
  if (box) return [rectAt(box.x, box.y, box.width, box.height, { fill: "ink", opacity: 0.1 })];
  const rings = cross ? spots.filter((spot) => spot.datum === datum) : [{ x, y, r: (r ?? 2) + 1 }];
  const marks = rings.map((ring) => circleAt(ring.x, ring.y, (ring.r ?? 2) + 2, { stroke: "ink", width: 1.5 }));
  return hover === "x" ? [lineAt(x, plot.y, x, plot.y + plot.height, "soft", { opacity: 0.6 }), ...marks] : marks;
}

/** Handles hovering, moving through and picking data. */
class ChartReader {
  /** @param {HTMLElement} drawing @param {() => Scene | null} scene @param {Chart} chart */
  constructor(drawing, scene, { onPick, onSelect }) {
    this.drawing = drawing;
    this.scene = scene;
    this.pick = onPick;
    this.select = onSelect;
    /** @type {Spot | null} */
    this.spot = null;
    /** @type {Element | null} */
    this.overlay = null;
    this.finger = false;
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
    const [datum, held] = [this.spot?.datum, document.activeElement === this.drawing];
    const again = this.scene()?.spots.find((spot) => spot.datum === datum);
    hideTip();
    this.highlight((held && again) || null);
  }

  /** @param {Spot | null} spot */
  highlight(spot) {
    const scene = this.scene();
    this.overlay?.remove();
    this.spot = scene && spot;
    this.drawing.classList.toggle("kit-over", Boolean(spot && this.pick));
    if (scene && spot) this.cover(scene, highlightMarks(scene, spot));
  }

  leave() {
    this.highlight(null);
    hideTip();
  }

  /** Draw marks over the picture. @param {Scene} scene @param {Mark[]} marks */
  cover(scene, marks) {
    this.overlay?.remove();
    this.overlay = toSvg({ ...emptyScene(scene.width, scene.height, ""), marks });
    this.overlay.classList.add("kit-overlay");
    this.overlay.setAttribute("aria-hidden", "true");
    this.drawing.append(this.overlay);
  }

  /** Where the picture lies in the window, and how many of its pixels one of the scene takes. */
  frame() {
    const box = (this.drawing.firstElementChild ?? this.drawing).getBoundingClientRect();
    return { left: box.left, top: box.top, zoom: box.width / (this.scene()?.width ?? 1) || 1 };
  }

  /** @param {MouseEvent} event */
  inScene(event) {
    const { left, top, zoom } = this.frame();
    return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
  }

  /** @param {MouseEvent} event */
  pointed(event) {
    const scene = this.scene();
    const { x, y } = this.inScene(event);
    return scene && nearestSpot(scene, x, y);
  }

  /** @param {PointerEvent} event */
  handleDown(event) {
    this.finger = event.pointerType === "touch";
    this.dragged = false;
    const drags = this.select && this.scene()?.brush && !this.finger && event.button === 0;
    this.from = drags ? this.inScene(event) : null;
    if (!drags) return;
    event.preventDefault(); // no selection of text
    this.drawing.setPointerCapture(event.pointerId);
    this.drawing.focus({ preventScroll: true });
  }

  /** Outline the area that is dragged over. @param {PointerEvent} event */
  drag(event) {
    const [scene, from, to] = [this.scene(), this.from, this.inScene(event)];
    if (!scene || !from || Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y)) < DRAG_FROM) return;
    this.dragged = true;
    hideTip();
    const [x, w] = [Math.min(from.x, to.x), Math.abs(to.x - from.x)];
    const [y, height] = scene.hover === "x"
      ? [scene.plot.y, scene.plot.height]
      : [Math.min(from.y, to.y), Math.abs(to.y - from.y)];
    const paints = [{ fill: "accent", opacity: 0.15 }, { stroke: "accent", width: 1 }];
    this.cover(scene, paints.map((paint) => rectAt(x, y, w, height, paint)));
  }

  /** @param {PointerEvent} event */
  handleUp(event) {
    const [from, scene, to] = [this.from, this.scene(), this.inScene(event)];
    this.from = null;
    if (!from || !this.dragged || !scene?.brush) return;
    this.leave();
    const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
    const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    const filter = scene.brush({ x: left, y: top }, { x: right, y: bottom });
    if (filter) this.select?.(filter);
  }

  /** @param {Spot} spot @param {number} x @param {number} y */
  show(spot, x, y) {
    if (spot !== this.spot) this.highlight(spot);
    const lines = this.scene()?.tip(spot.datum) ?? [];
    const more = this.finger && this.pick ? ["Tap again to open"] : [];
    if (lines.length) showTip([...lines, ...more], x, y, this.finger);
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
    if (this.dragged) return void (this.dragged = false);
    const spot = this.pointed(event);
    const seen = !this.finger || spot?.datum === this.spot?.datum;
    if (!spot) return this.leave();
    if (!this.pick || !seen) return this.show(spot, event.clientX, event.clientY);
    this.leave();
    this.pick(spot.datum);
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const scene = this.scene();
    if (!scene || !this.pick || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return this.leave();
    const order = [...new Set(scene.spots.map((spot) => spot.datum))];
    const from = this.spot ? order.indexOf(this.spot.datum) : -1;
    const picked = (event.key === "Enter" || event.key === " ") && from >= 0;
    const to = picked ? -1 : placeByKey(alongKey(event.key), from, order.length, 10);
    if (picked || to >= 0) event.preventDefault();
    if (to >= 0) this.walk(scene, order, to);
    if (!picked) return;
    hideTip();
    this.pick(order[from]);
  }

  /** @param {Scene} scene @param {number[]} order @param {number} to */
  walk(scene, order, to) {
    const spot = scene.spots.find((one) => one.datum === order[to]);
    if (!spot) return;
    const { left, top, zoom } = this.frame();
    this.finger = false;
    this.show(spot, left + spot.x * zoom, top + spot.y * zoom);
    announce(`${scene.tip(spot.datum).join(", ")}; ${integerText(to + 1)} of ${integerText(order.length)}`);
  }
}

// ── the tooltip of the page, hidden from screen readers: its text is announced when the keyboard selects a datum ──

/** @type {HTMLElement | null} */
let kitTip = null;
const TIP_GAP = 14;
const TIP_EDGE = 6;

/** Show lines of text next to a point; above it for touch, where a finger would hide them. @param {string[]} lines @param {number} x @param {number} y @param {boolean} [finger] */
function showTip(lines, x, y, finger = false) {
  const element = kitTip ??= h("div.kit-tip.box.soft.size-12.anywhere", { "aria-hidden": "true" });
  if (!element.isConnected) {
    document.body.append(element);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
    document.addEventListener("scroll", hideTip, { capture: true, passive: true });
  }
  fill(element, lines.map((line) => h("div", { dir: "auto" }, line)));
  element.hidden = false;
  const { width, height } = element.getBoundingClientRect();
  const wide = document.documentElement.clientWidth;
  const place = tipPlace({ x, y, width, height, wide, high: window.innerHeight, finger });
  element.style.left = `${place.left}px`;
  element.style.top = `${place.top}px`;
}

/** Return the position of the tooltip: right of and below the point, or on the other side if there is no space. @param {{x: number, y: number, width: number, height: number, wide: number, high: number, finger?: boolean}} of */
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

function hideTip() {
  if (kitTip) kitTip.hidden = true;
}

// ── legends ──

/** @typedef {{text: string, note?: string, colour: string, style?: number, swatch?: "line" | "bar" | "dot" | "ring"}} Entry note: text after the name; style: index of the dash pattern */
const LEGEND_ROW = 20;
const LEGEND_SAMPLE = 30;

/** Lay out entries in rows; return the marks and their height. @param {Entry[]} entries @param {number} width @returns {{marks: Mark[], height: number}} */
export function legendMarks(entries, width) {
  /** @type {Mark[]} */
  const marks = [];
  let [x, row] = [0, 0];
  for (const entry of entries) {
    const { note = "" } = entry;
    const sample = entry.swatch ? 16 : LEGEND_SAMPLE + 6;
    const noted = note && textWidth(note, SMALL_SIZE) + 7;
    const text = fitText(entry.text, Math.min(260, width - sample - Number(noted)), SMALL_SIZE);
    const named = sample + textWidth(text, SMALL_SIZE);
    const wide = named + Number(noted);
    if (x > 0 && x + wide > width) [x, row] = [0, row + 1];
    const middle = (row + 0.5) * LEGEND_ROW;
    marks.push(...sampleMarks(entry, x, middle), textAt(x + sample, middle + 4, text, { fill: "ink" }));
    if (note) marks.push(textAt(x + named + 7, middle + 4, note));
    x += wide + 18;
  }
  return { marks, height: entries.length ? (row + 1) * LEGEND_ROW : 0 };
}

/** @param {Entry} entry @param {number} x @param {number} y @returns {Mark[]} */
function sampleMarks({ colour, style = 0, swatch = "line" }, x, y) {
  if (swatch === "bar") return [lineAt(x + 5, y - 6, x + 5, y + 6, colour, { width: 2 })];
  if (swatch === "dot") return [circleAt(x + 5, y, 3.5, { fill: colour })];
  if (swatch === "ring") return [circleAt(x + 5, y, 5, { fill: "paper", stroke: colour, width: 1.5 })];
  return [lineAt(x, y, x + LEGEND_SAMPLE, y, colour, { width: 2, dash: dashOf(style) })];
}

/** A legend as an element, shared by several charts. Pointing at a name highlights its run; a click keeps it. @param {Entry[]} entries @param {(entry: number) => void} light called with an entry, or -1 */
export function legendElement(entries, light) {
  let kept = -1;
  const keep = (/** @type {number} */ i) => {
    kept = kept === i ? -1 : i;
    buttons.forEach((button, j) => button.setAttribute("aria-pressed", String(j === kept)));
    light(kept);
  };
  const buttons = entries.map((entry, i) => {
    const sample = toSvg({ ...emptyScene(LEGEND_SAMPLE, 12, ""), marks: sampleMarks(entry, 0, 6) });
    sample.setAttribute("aria-hidden", "true");
    const acts = { onpointerenter: () => light(i), onpointerleave: () => light(kept), onclick: () => keep(i) };
    const name = bdi(entry.text, { class: "clip" });
    return h("button.kit-entry.row", { "aria-pressed": "false", title: entry.text, ...acts }, sample, name);
  });
  return h(
    "ul.kit-legend.size-13",
    { "aria-label": "Runs; select one to highlight it" },
    buttons.map((one) => h("li", one)),
  );
}
