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
 */

const KEY_STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** Marks that highlight a spot. @param {Scene} scene @param {Spot} spot @returns {Mark[]} */
function highlightMarks({ plot, hover }, spot) {
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
  return hover === "x" ? [column, ring] : [ring];
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
    drawing.addEventListener("pointerdown", (event) => this.finger = event.pointerType === "touch");
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
    this.overlay = toSvg(
      { ...emptyScene(scene.width, scene.height, ""), marks: highlightMarks(scene, spot) },
      livePalette,
    );
    this.overlay.classList.add("kit-overlay");
    this.overlay.setAttribute("aria-hidden", "true");
    drawing.append(this.overlay);
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
    const { left, top, zoom } = this.frame();
    return scene && nearestSpot(scene, (event.clientX - left) / zoom, (event.clientY - top) / zoom);
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
    const spot = this.pointed(event);
    if (spot) this.show(spot, event.clientX, event.clientY);
    else this.leave();
  }

  /** A finger first sees what it would pick. @param {MouseEvent} event */
  handleClick(event) {
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
