/** Pointer and keyboard interaction with a drawing, in coordinates of the scene, for both renderers. */
import { announce } from "../dom/dom.js";
import { integerText } from "../data/format.js";
import { livePalette } from "./palette.js";
import { emptyScene, nearestSpot } from "./scene.js";
import { toSvg } from "./svg.js";
import { hideTip, showTip } from "./tooltip.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Spot} Spot */
/** @typedef {import("./scene.js").Mark} Mark */
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
    this.cover(scene, [
      { kind: "rect", x, y, w, h, fill: "accent", opacity: 0.15 },
      { kind: "rect", x, y, w, h, stroke: "accent", width: 1 },
    ]);
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
