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
