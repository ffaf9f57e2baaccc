/** Draw a scene on a canvas, for thousands of marks that would be too slow as elements. */
import { TEXT_SIZE } from "./scene.js";
import { fontFamily } from "./text.js";
/** @import { Mark, Scene, TextMark } from "./scene.js" */
/** @import { Palette } from "./svg.js" */

/**
 * @param {Scene} scene @param {Palette} palette @param {number} [ratio] device pixels per pixel
 * @param {string} [family] font family @returns {HTMLCanvasElement}
 */
export function toCanvas(scene, palette, ratio = 1, family = fontFamily()) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(scene.width * ratio));
  canvas.height = Math.max(1, Math.round(scene.height * ratio));
  canvas.style.width = `${scene.width}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(ratio, ratio);
  context.direction = "ltr";
  drawMarks(context, scene.marks, palette, family);
  return canvas;
}

/** @param {CanvasRenderingContext2D} context @param {Mark[]} marks @param {Palette} palette @param {string} family */
function drawMarks(context, marks, palette, family) {
  const opacity = context.globalAlpha;
  for (const mark of marks) {
    context.globalAlpha = opacity * (mark.opacity ?? 1);
    if (mark.kind === "group") {
      context.translate(mark.x, mark.y);
      drawMarks(context, mark.marks, palette, family);
      context.translate(-mark.x, -mark.y);
    } else if (mark.kind === "text") drawText(context, mark, palette, family);
    else drawShape(context, mark, palette);
  }
  context.globalAlpha = opacity;
}

/**
 * @param {CanvasRenderingContext2D} context @param {Exclude<Mark, {kind: "group"} | {kind: "text"}>} mark
 * @param {Palette} palette
 */
function drawShape(context, mark, palette) {
  const path = mark.kind === "path" ? new Path2D(mark.d) : null;
  if (mark.kind !== "path") tracePath(context, mark);
  if (mark.kind !== "line" && mark.fill) {
    context.fillStyle = palette(mark.fill);
    if (path) context.fill(path);
    else context.fill();
  }
  if (!mark.stroke) return;
  context.strokeStyle = palette(mark.stroke);
  context.lineWidth = mark.width ?? 1;
  context.lineCap = mark.round ? "round" : "butt";
  context.lineJoin = mark.kind === "path" ? "round" : "miter";
  context.setLineDash(mark.dash ?? []);
  if (path) context.stroke(path);
  else context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {Exclude<Mark, {kind: "group"} | {kind: "text"} | {kind: "path"}>} mark */
function tracePath(context, mark) {
  context.beginPath();
  if (mark.kind === "rect") context.rect(mark.x, mark.y, Math.max(0, mark.w), Math.max(0, mark.h));
  else if (mark.kind === "circle") context.arc(mark.x, mark.y, mark.r, 0, 2 * Math.PI);
  else {
    context.moveTo(mark.x1, mark.y1);
    context.lineTo(mark.x2, mark.y2);
  }
}

/**
 * @param {CanvasRenderingContext2D} context @param {TextMark} mark @param {Palette} palette
 * @param {string} family
 */
function drawText(context, mark, palette, family) {
  context.font = `${mark.bold ? "600 " : ""}${mark.size ?? TEXT_SIZE}px ${family}`;
  context.textAlign = mark.anchor === "middle" ? "center" : mark.anchor === "end" ? "right" : "left";
  if (mark.halo) {
    context.strokeStyle = palette(mark.halo);
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.setLineDash([]);
    context.strokeText(mark.text, mark.x, mark.y);
  }
  context.fillStyle = palette(mark.fill ?? "ink");
  context.fillText(mark.text, mark.x, mark.y);
}
