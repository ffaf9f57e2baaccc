/** Words of the query, marked in texts. */
import { h } from "../dom.js";
import { searchable } from "../table/filter.js";

const WORD_PATTERN = /[\p{L}\p{N}]+/gu;
/** Words that say nothing about the subject. */
const COMMON_WORDS = new Set(
  ("a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or " +
    "our should so some than that the their them then there these they this those to too was we were what when where which who why will " +
    "with would you your").split(" "),
);

/** Return the words of a query that are worth marking. @param {string} text @returns {Set<string>} */
export function wordsOf(text) {
  const words = Array.from(text.matchAll(WORD_PATTERN), ([word]) => searchable(word));
  return new Set(words.filter((word) => !COMMON_WORDS.has(word)));
}

/** Return whether two words are the same, up to a plural. @param {Set<string>} words @param {string} word */
function holdsWord(words, word) {
  return words.has(word) || words.has(word.replace(/s$/, "")) || words.has(`${word}s`);
}

/** Split a text into parts, those of the query set apart. @param {string} text @param {Set<string>} words @returns {{text: string, found: boolean}[]} */
export function splitWords(text, words) {
  /** @type {{text: string, found: boolean}[]} */
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(WORD_PATTERN)) {
    if (!holdsWord(words, searchable(match[0]))) continue;
    if (match.index > last) parts.push({ text: text.slice(last, match.index), found: false });
    parts.push({ text: match[0], found: true });
    last = match.index + match[0].length;
  }
  if (last < text.length) parts.push({ text: text.slice(last), found: false });
  return parts;
}

/** A text with words marked. @param {string} text @param {Set<string>} words @returns {(string | Node)[]} */
export function markedWords(text, words) {
  return splitWords(text, words).map((part) => part.found ? h("mark", part.text) : part.text);
}
