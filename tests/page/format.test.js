import {
  between,
  integerText,
  numberText,
  percent,
  plainWords,
  plural,
  pText,
  shorten,
  signedText,
  signedValue,
  sliceName,
} from "../../src/judged/page/web/data/format.js";
import { same } from "./check.js";

Deno.test("a tie goes to the even digit, as in Python", () => {
  same(numberText(0.03125, 4), "0.0312");
  same(numberText(0.09375, 4), "0.0938");
  same(numberText(-0.03125, 4), "−0.0312");
  same(numberText(0.5, 0), "0");
  same(numberText(1.5, 0), "2");
  same(numberText(2.5, 0), "2");
});

Deno.test("what is not a tie goes to the nearest", () => {
  same(numberText(0.00005, 4), "0.0001"); // just above the tie, in binary
  same(numberText(1 / 3, 4), "0.3333");
  same(numberText(2 / 3, 4), "0.6667");
  same(numberText(-1e-9, 4), "0.0000");
  same(numberText(123456789.125, 2), "123456789.12");
});

Deno.test("what is missing is a dash", () => {
  same(numberText(NaN), "–");
  same(signedText(NaN), "–");
  same(pText(NaN), "–");
  same(percent(NaN), "–");
  same(between(NaN, NaN), "–");
});

Deno.test("differences carry a sign, p-values are never 0", () => {
  same(signedText(0.25), "+0.2500");
  same(signedText(-0.25), "−0.2500");
  same(pText(0), "<0.0001");
  same(pText(0.0312), "0.0312");
});

Deno.test("a difference that is shown as 0 has no sign", () => {
  same([0, -0, 1e-9, -1e-9].map((value) => signedText(value)), ["0.0000", "0.0000", "0.0000", "0.0000"]);
  same([signedValue(3, { whole: true }), signedValue(0, { whole: true })], ["+3", "0"]);
  same(signedText(Infinity), "+∞");
});

Deno.test("a level keeps its decimals, and what is not all is not called 100%", () => {
  same([0, 0.001, 0.5, 0.999, 1].map(percent), ["0%", "<1%", "50%", ">99%", "100%"]);
});

Deno.test("thousands have commas, and descriptions are plain in a tooltip", () => {
  same(integerText(4619), "4,619");
  same(plainWords("A share\n    of `gain`."), "A share of gain.");
  same(["", "  ", "long"].map(sliceName), ["(empty)", "(empty)", "long"]);
});

Deno.test("nouns follow their numbers, and texts are cut between letters", () => {
  same(plural(1, "query", "queries"), "1 query");
  same(plural(10000, "query", "queries"), "10,000 queries");
  same(shorten("naïve 🍲 soup", 8), "naïve 🍲…");
});
