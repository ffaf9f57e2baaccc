/** Measure, shorten and sanitize text in charts. */
const LETTER_FULL = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{3ffff}]/u;
/** Marks that change the text direction, and characters that are invalid in XML. */
const LETTER_UNSEEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufffe\uffff]/gu;

/** @type {{measure: ((text: string, font: string) => number) | null, widths: Map<string, number>}} */
const kitRuler = { measure: null, widths: new Map() };

/** An estimate of the width of a letter in em, for use without a browser. @param {string} letter */
const letterWidth = (letter) => LETTER_FULL.test(letter) ? 1.05 : 0.6;

/** @returns {(text: string, font: string) => number} */
function browserRuler() {
  const family = getComputedStyle(document.documentElement).getPropertyValue("--font").trim() || "sans-serif";
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  return (text, font) => {
    context.font = `${font} ${family}`;
    return context.measureText(text).width;
  };
}

/** Return the width of a text: measured in a browser, otherwise estimated. @param {string} text @param {number} size @param {boolean} [bold] */
export function textWidth(text, size, bold = false) {
  const font = `${bold ? "600 " : ""}${size}px`;
  const key = `${font} ${text}`;
  const known = kitRuler.widths.get(key);
  if (known !== undefined) return known;
  if (!kitRuler.measure && typeof document !== "undefined") kitRuler.measure = browserRuler();
  const width = kitRuler.measure
    ? kitRuler.measure(text, font)
    : size * (bold ? 1.06 : 1) * Array.from(plainText(text)).reduce((sum, letter) => sum + letterWidth(letter), 0);
  if (kitRuler.widths.size > 5000) kitRuler.widths.clear();
  kitRuler.widths.set(key, width);
  return width;
}

/** Remove characters that cannot be drawn or would change the text direction. @param {string} text */
export function plainText(text) {
  return text.replace(LETTER_UNSEEN, "");
}

/** Isolate the direction of untrusted text. @param {string} text */
export function isolate(text) {
  return `\u2068${plainText(text)}\u2069`;
}

/** Keep letters from both ends: names of runs often differ only at the end. @param {string[]} letters @param {number} kept */
function bothEnds(letters, kept) {
  const [first, last] = [letters.slice(0, Math.ceil(kept / 2)), kept > 1 ? letters.slice(-Math.floor(kept / 2)) : []];
  return `${first.join("").trimEnd()}…${last.join("").trimStart()}`;
}

/** Shorten a name to a number of letters, keeping both ends. @param {string} name @param {number} most */
export function keepEnds(name, most) {
  const letters = Array.from(plainText(name));
  return letters.length <= most ? letters.join("") : bothEnds(letters, most - 1);
}

/** A name in a sentence: shortened, with isolated text direction. @param {string} name @param {number} [most] */
export function nameText(name, most = 40) {
  return isolate(keepEnds(name, most));
}

/** Shorten a name to a width, keeping both ends. @param {string} text @param {number} width @param {number} size @param {boolean} [bold] */
export function fitText(text, width, size, bold = false) {
  const letters = Array.from(plainText(text).slice(0, 4000));
  if (letters.length <= 400 && textWidth(letters.join(""), size, bold) <= width) return isolate(letters.join(""));
  let [low, high] = [1, Math.min(letters.length, 400)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(bothEnds(letters, middle), size, bold) <= width) low = middle;
    else high = middle - 1;
  }
  return isolate(bothEnds(letters, low));
}

const LONG_NAME = 20;
const COMMON_PART = 6;
const KEPT_START = 8;

/** Return the length of the common prefix, up to a boundary between parts of the name. @param {string[][]} words */
function commonStart(words) {
  const least = Math.min(...words.map((word) => word.length));
  let count = 0;
  while (count < least && words.every((word) => word[count] === words[0][count])) count++;
  while (count > 0 && /[\p{L}\p{N}]/u.test(words[0][count - 1])) count--;
  return count;
}

/** Return the width of a text in letters: wide letters count two. @param {string} text */
export function letterCount(text) {
  return Array.from(text).reduce((sum, letter) => sum + (LETTER_FULL.test(letter) ? 2 : 1), 0);
}

/** Remove the common prefix and suffix of long names. @param {string[]} names @returns {string[]} */
function withoutCommon(names) {
  const words = names.map((name) => Array.from(name));
  if (names.length < 2 || words.every((word) => word.length <= LONG_NAME)) return names;
  const start = commonStart(words);
  const rests = words.map((word) => word.slice(start));
  const end = commonStart(rests.map((rest) => [...rest].reverse()));
  if (rests.some((rest) => rest.length <= end)) return names; // one name contains another
  const [before, after] = [start >= COMMON_PART ? start : 0, end >= COMMON_PART ? end : 0];
  const cut = (/** @type {string} */ text) => text.replace(/^…+/u, "").replace(/…+$/u, "");
  return words.map((word) =>
    `${before ? "…" : ""}${cut(word.slice(before, word.length - after).join(""))}${after ? "…" : ""}`
  );
}

/**
 * Shorten long names so that any two stay different even if only their ends are shown: what all names share is removed, then what
 * those share that would look alike. Names that still look alike get a number.
 *
 * @param {string[]} names @returns {string[]}
 */
export function distinctNames(names) {
  const short = withoutCommon(names.map(plainText));
  for (let round = 0; round < 4; round++) {
    const alike = groupsAlike(short);
    if (!alike.length) return short;
    for (const group of alike) {
      const told = withoutCommon(group.map((i) => short[i]));
      group.forEach((i, place) => {
        const start = told[place] === short[i]
          ? ""
          : Array.from(short[i]).slice(0, KEPT_START).join("").replace(/…+$/u, "");
        short[i] = `${start}${told[place]}`;
      });
    }
  }
  for (const group of groupsAlike(short)) group.forEach((i) => short[i] = `${i + 1}: ${short[i]}`);
  return short;
}

/** Return the indices of names that look alike when shortened. @param {string[]} names @returns {number[][]} */
function groupsAlike(names) {
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  names.forEach((name, i) => {
    const letters = Array.from(name);
    const key = letters.length <= LONG_NAME ? name : bothEnds(letters, LONG_NAME - 4);
    groups.set(key, [...(groups.get(key) ?? []), i]);
  });
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Break a text into lines; words that are too long are shortened. @param {string} text @param {number} width @param {number} size @param {boolean} [bold] @returns {string[]} */
export function wrapText(text, width, size, bold = false) {
  /** @type {string[]} */
  const lines = [];
  for (const word of plainText(text).split(" ")) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(longer, size, bold) <= width) lines[lines.length - 1] = longer;
    else lines.push(textWidth(word, size, bold) <= width ? word : fitText(word, width, size, bold));
  }
  return lines;
}
