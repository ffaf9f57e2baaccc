import { shorten } from "../data/format.js";
/** @import { Book } from "../data/data.js" */

/**
 * The filter language of the query table: words and conditions on values.
 *
 *     flu "cold season" -vaccine    words in the id or text of a query; - excludes
 *     dense<0.2  "my run">=.5       the value of a run on the selected measure
 *     AP(dense)<0.2  AP(diff)>0.1   the value of another measure
 *     dense>bm25                    compare two runs
 *     diff>0.1  |diff|>0.1          b minus a
 *     relevant<3  dense=missing     number of relevant documents; missing value
 *
 * All conditions must hold. A malformed condition is searched as text, with a note on what was expected.
 *
 * @typedef {{measure: number, a: number, b: number}} Chosen
 * @typedef {(row: number) => number} Quantity of a query
 * @typedef {(row: number) => boolean} RowTest
 * @typedef {{spelling: string, of: (chosen: Chosen) => Quantity}} Subject the left side of a condition
 * @typedef {{test: RowTest, notes: string[]}} Filter
 * @typedef {{test: RowTest, end: number, note?: undefined} | {note: string}} Reading a condition and its end, or a note
 */

const FILTER_OPERATOR = /\s*(<=|>=|!=|==|<|>|=|≤|≥|≠)\s*/y;
const FILTER_NUMBER = /[-+−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?=\s|$)/iy;
const FILTER_MISSING = /(?:missing|nan)(?=\s|$)/iy;
const FILTER_END = /(?=\s|$)/y;
const FILTER_PHRASE = /"([^"]*)(?:"|$)/y;
const FILTER_WORD = /[^\s"]+/y;

/** Values with the same four decimals are equal. @param {number} left @param {number} right */
function isShownEqual(left, right) {
  return left === right || Math.abs(left - right) < 0.00005;
}

/** All comparisons with a missing value are false. @type {Map<string, (left: number, right: number) => boolean>} */
const FILTER_TESTS = new Map([
  ["<", (left, right) => left < right],
  [">", (left, right) => left > right],
  ["<=", (left, right) => left < right || isShownEqual(left, right)],
  [">=", (left, right) => left > right || isShownEqual(left, right)],
  ["=", isShownEqual],
  ["!=", (left, right) => (left < right || left > right) && !isShownEqual(left, right)],
]);
const OPERATOR_SPELLINGS = new Map([["≤", "<="], ["≥", ">="], ["≠", "!="], ["==", "="]]);

/** Normalize a text for searching: case, accents and compatibility forms. @param {string} text */
export function searchable(text) {
  return text.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g, "");
}

/** Quote text in a sentence: shortened, with isolated text direction. @param {string} text */
function filterQuote(text) {
  return `“\u2068${shorten(text, 40)}\u2069”`;
}

/** Match a sticky pattern at a position. @param {RegExp} pattern @param {string} text @param {number} at */
function foundAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The recommended spelling of a name. @param {string} name */
export function filterName(name) {
  return /[\s"<>!]|^-|^(\|?diff\|?|relevant|missing|nan)$/i.test(name) ? `"${name}"` : name;
}

/** All subjects of conditions, longest spelling first. Names may contain spaces and operators, so they are matched as a whole instead of tokenizing the text. @param {Book} book @returns {Subject[]} */
function filterSubjects(book) {
  const { measures, relevant, runs } = book.facts;
  const spellings = (/** @type {string} */ name) => [name, `"${name}"`];
  const difference = (/** @type {Chosen} */ { measure, a, b }) => {
    const [first, second] = [book.column(measure, a), book.column(measure, b)];
    return (/** @type {number} */ row) => second[row] - first[row];
  };
  const at = (/** @type {ArrayLike<number>} */ column) => (/** @type {number} */ row) => column[row];
  /** @type {Subject[]} */
  const values = runs.flatMap((name, run) =>
    spellings(name).map((spelling) => ({ spelling, of: ({ measure }) => at(book.column(measure, run)) }))
  );
  const size = (/** @type {Quantity} */ of) => (/** @type {number} */ row) => Math.abs(of(row));
  if (runs.length > 1) {
    values.unshift({ spelling: "diff", of: difference }, {
      spelling: "|diff|",
      of: (chosen) => size(difference(chosen)),
    });
  }
  const others = measures.flatMap(({ name }, measure) =>
    spellings(name).flatMap((by) =>
      values.map(({ spelling, of }) => ({
        spelling: `${by}(${spelling})`,
        of: (/** @type {Chosen} */ chosen) => of({ ...chosen, measure }),
      }))
    )
  );
  /** @type {Subject[]} */
  const counts = relevant ? [{ spelling: "relevant", of: () => at(relevant) }] : [];
  return [...counts, ...values, ...others].sort((one, other) => other.spelling.length - one.spelling.length);
}

/**
 * Find the subject at a position, if it is followed by the right token: `bm25-rm3<0.2` does not match `bm25`. Case matters only
 * between names that differ in nothing else.
 *
 * @param {Subject[]} subjects @param {string} text @param {number} at @param {RegExp} follows
 */
function subjectAt(subjects, text, at, follows) {
  const small = text.toLowerCase();
  const folded = small.length === text.length ? small : text; // positions would not match
  const fits = (/** @type {Subject} */ { spelling }) => foundAt(follows, text, at + spelling.length);
  return subjects.find((subject) => text.startsWith(subject.spelling, at) && fits(subject)) ??
    subjects.find((subject) => folded.startsWith(subject.spelling.toLowerCase(), at) && fits(subject));
}

/** Parse the right side of an operator: a number or a subject. @param {Subject[]} subjects @param {string} text @param {number} at @param {Chosen} chosen */
function filterOperand(subjects, text, at, chosen) {
  const number = foundAt(FILTER_NUMBER, text, at);
  if (number) {
    const value = Number(number[0].replace("−", "-"));
    return { quantity: () => value, end: at + number[0].length };
  }
  const subject = subjectAt(subjects, text, at, FILTER_END);
  return subject && { quantity: subject.of(chosen), end: at + subject.spelling.length };
}

/** Parse the condition at a position; null if there is none. @param {Subject[]} subjects @param {string} text @param {number} at @param {Chosen} chosen @returns {Reading | null} */
function conditionAt(subjects, text, at, chosen) {
  const subject = subjectAt(subjects, text, at, FILTER_OPERATOR);
  if (!subject) return null;
  const left = subject.of(chosen);
  const middle = at + subject.spelling.length;
  const [all, sign] = /** @type {RegExpExecArray} */ (foundAt(FILTER_OPERATOR, text, middle));
  const operator = OPERATOR_SPELLINGS.get(sign) ?? sign;
  const start = middle + all.length;
  const missing = foundAt(FILTER_MISSING, text, start);
  const condition = filterQuote(text.slice(at, middle) + sign);
  if (missing) {
    const end = start + missing[0].length;
    if (operator === "=") return { test: (row) => Number.isNaN(left(row)), end };
    if (operator === "!=") return { test: (row) => !Number.isNaN(left(row)), end };
    return { note: `Expected = or != before ${filterQuote(missing[0])}, got ${filterQuote(sign)}.` };
  }
  const right = filterOperand(subjects, text, start, chosen);
  if (right) {
    const test = /** @type {(left: number, right: number) => boolean} */ (FILTER_TESTS.get(operator));
    return { test: (row) => test(left(row), right.quantity(row)), end: right.end };
  }
  const got = /^\S*/.exec(text.slice(start))?.[0];
  const expected = `Expected a number such as 0.2, a run or “missing” after ${condition}`;
  return { note: got ? `${expected}, got ${filterQuote(got)}.` : `${expected}.` };
}

/** Create a parser for filters. @param {Book} book */
export function createFilter(book) {
  const { queries, texts } = book.facts;
  /** @type {string[] | null} */
  let haystacks = null;
  /** @type {Subject[] | null} */
  let subjects = null;

  /** Prepare the search on first use; this takes longer than a search. */
  function warm() {
    haystacks ??= queries.map((id, row) => searchable(`${id}\n${texts?.[row] ?? ""}`));
    return haystacks;
  }

  /** Parse a filter. Never throws: malformed conditions are searched as text, with a note. @param {string} text @param {Chosen} chosen @returns {Filter} */
  function parse(text, chosen) {
    subjects ??= filterSubjects(book);
    /** @type {RowTest[]} */
    const tests = [];
    /** @type {string[]} */
    const notes = [];
    let at = 0;
    while ((at += /** @type {RegExpExecArray} */ (foundAt(/\s*/y, text, at))[0].length) < text.length) {
      const minus = text[at] === "-" && !subjectAt(subjects, text, at, FILTER_OPERATOR) &&
        /\S/.test(text[at + 1] ?? "");
      if (minus) at++;
      const reading = conditionAt(subjects, text, at, chosen);
      if (reading && reading.note === undefined) {
        tests.push(minus ? (row) => !reading.test(row) : reading.test);
        at = reading.end;
        continue;
      }
      if (reading?.note) notes.push(reading.note);
      const phrase = foundAt(FILTER_PHRASE, text, at);
      const word = phrase ?? /** @type {RegExpExecArray} */ (foundAt(FILTER_WORD, text, at));
      const needle = searchable(phrase ? phrase[1] : word[0]);
      if (needle && needle !== "-") tests.push((row) => warm()[row].includes(needle) !== minus);
      at += word[0].length;
    }
    return { test: (row) => tests.every((test) => test(row)), notes };
  }

  return { parse, warm };
}
