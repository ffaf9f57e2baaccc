/**
 * Downloads, and tables as CSV (RFC 4180).
 *
 * @typedef {{name: string, header: string[], rows: any[][]}} Sheet name: file name without extension
 */
import { plainText } from "./text.js";

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

/** Return a name that is valid on every file system. @param {string} name */
export function safeFileName(name) {
  const [, stem, ending] = /** @type {RegExpMatchArray} */ (plainText(name).match(/^(.*?)(\.[A-Za-z0-9]{1,8})?$/s));
  const words = stem.replace(/[\s\\/:*?"<>|#%&{}$!'`=+]+/gu, "-").replace(/-{2,}/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  const short = Array.from(words).slice(0, 80).join("");
  return `${/^(con|prn|aux|nul|com\d|lpt\d)?$/i.test(short) ? `judged${short && "-"}${short}` : short}${ending ?? ""}`;
}

/** @param {string} name @param {string} type @param {Blob | string} content */
export function download(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = safeFileName(name);
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers start reading later
}

/** @param {Sheet} sheet */
export function downloadSheet(sheet) {
  download(`${sheet.name}.csv`, "text/csv;charset=utf-8", csvText(sheet));
}
