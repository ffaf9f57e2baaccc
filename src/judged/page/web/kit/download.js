/** File downloads. */
import { plainText } from "./text.js";

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
