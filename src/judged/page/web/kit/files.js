import { toCanvas } from "./canvas.js";
import { lightPalette, svgElement, toSvg } from "./svg.js";
import { plainText, wrapText } from "./text.js";
/** @import { Mark, Scene } from "./scene.js" */

/**
 * CSV output (RFC 4180).
 *
 * @typedef {{name: string, header: string[], rows: any[][]}} Sheet name: file name without extension
 */

/** Format a cell: numbers in full precision; text that a spreadsheet would evaluate as a formula is prefixed. @param {unknown} value */
export function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {Sheet} sheet */
export function csvText({ header, rows }) {
  return [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

// ── File downloads ──

/** Return a name that is valid on every file system. @param {string} name */
export function safeFileName(name) {
  const [, stem, ending] = /** @type {RegExpMatchArray} */ (plainText(name).match(/^(.*?)(\.[A-Za-z0-9]{1,8})?$/s));
  const letters = Array.from(
    stem.replace(/[\s\\/:*?"<>|#%&{}$!'`=+]+/gu, "-").replace(/-{2,}/g, "-").replace(/^[-.]+|[-.]+$/g, ""),
  );
  const short = letters.slice(0, 80).join("");
  return `${/^(con|prn|aux|nul|com\d|lpt\d)?$/i.test(short) ? `judged${short && "-"}${short}` : short}${ending ?? ""}`;
}

/** @param {string} name @param {string} type @param {Blob | string} content */
export function download(name, type, content) {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = safeFileName(name);
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers start reading later
}

// ── Export a chart as a standalone picture: light theme, white background, with its title ──

const EXPORT_MARGIN = 16;
const EXPORT_TITLE = 14;
const EXPORT_ROW = 20;
const EXPORT_SENTENCE = 12;
const EXPORT_LINE = 16;
const EXPORT_FAMILY = "sans-serif";

/** Add the title and the sentence below it, without which the picture could not be read alone. @param {Scene} scene @param {string} title @param {string} [sentence] @returns {Scene} */
export function titledScene(scene, title, sentence = "") {
  const lines = title ? wrapText(title, scene.width, EXPORT_TITLE, true) : [];
  const below = sentence ? wrapText(sentence, scene.width, EXPORT_SENTENCE) : [];
  const head = lines.length * EXPORT_ROW + below.length * EXPORT_LINE;
  const top = EXPORT_MARGIN + (head ? head + 8 : 0);
  const [width, height] = [scene.width + 2 * EXPORT_MARGIN, scene.height + top + EXPORT_MARGIN];
  /** @type {Mark[]} */
  const titles = lines.map((text, i) => {
    return {
      kind: "text",
      x: EXPORT_MARGIN,
      y: EXPORT_MARGIN + 14 + i * EXPORT_ROW,
      text,
      fill: "ink",
      size: EXPORT_TITLE,
      bold: true,
    };
  });
  /** @type {Mark[]} */
  const sentences = below.map((text, i) => ({
    kind: "text",
    x: EXPORT_MARGIN,
    y: EXPORT_MARGIN + lines.length * EXPORT_ROW + 10 + i * EXPORT_LINE,
    text,
    fill: "soft",
    size: EXPORT_SENTENCE,
  }));
  /** @type {Mark[]} */
  const marks = [{ kind: "rect", x: 0, y: 0, w: width, h: height, fill: "paper" }, ...titles, ...sentences, {
    kind: "group",
    x: EXPORT_MARGIN,
    y: top,
    marks: scene.marks,
  }];
  return { ...scene, width, height, marks, spots: [] };
}

/** @param {Scene} scene @param {string} title @param {string} [sentence] */
export function standaloneSvg(scene, title, sentence) {
  const svg = toSvg(titledScene(scene, title, sentence), lightPalette);
  svg.setAttribute("font-family", EXPORT_FAMILY);
  const [name, words] = [svgElement("title", {}), svgElement("desc", {})];
  name.append(plainText(title));
  words.append(plainText(scene.label));
  svg.prepend(name, words);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
}

/** @param {Scene} scene @param {string} title @param {string} sentence @param {number} [ratio] @returns {Promise<Blob>} */
export function pngBlob(scene, title, sentence, ratio = 3) {
  const canvas = toCanvas(titledScene(scene, title, sentence), lightPalette, ratio, EXPORT_FAMILY);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the image is too large for this browser"))),
      "image/png",
    );
  });
}
