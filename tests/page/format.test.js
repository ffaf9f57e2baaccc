import { between, counted, fixed, percent, pText, shortened, signed } from "../../src/judged/render/page/format.js";
import { same } from "./check.js";

Deno.test("a tie goes to the even digit, as in Python", () => {
  same(fixed(0.03125, 4), "0.0312");
  same(fixed(0.09375, 4), "0.0938");
  same(fixed(-0.03125, 4), "-0.0312");
  same(fixed(0.5, 0), "0");
  same(fixed(1.5, 0), "2");
  same(fixed(2.5, 0), "2");
});

Deno.test("what is not a tie goes to the nearest", () => {
  same(fixed(0.00005, 4), "0.0001"); // just above the tie, in binary
  same(fixed(1 / 3, 4), "0.3333");
  same(fixed(2 / 3, 4), "0.6667");
  same(fixed(-1e-9, 4), "0.0000");
  same(fixed(123456789.125, 2), "123456789.12");
});

Deno.test("what is missing is a dash", () => {
  same(fixed(NaN), "–");
  same(signed(NaN), "–");
  same(pText(NaN), "–");
  same(percent(NaN), "–");
  same(between(NaN, NaN), "–");
});

Deno.test("differences carry a sign, p-values are never 0", () => {
  same(signed(0.25), "+0.2500");
  same(signed(-0.25), "-0.2500");
  same(pText(0), "<0.0001");
  same(pText(0.0312), "0.0312");
});

Deno.test("nouns follow their numbers, and texts are cut between letters", () => {
  same(counted(1, "query", "queries"), "1 query");
  same(counted(10000, "query", "queries"), "10,000 queries");
  same(shortened("naïve 🍲 soup", 8), "naïve 🍲…");
});
