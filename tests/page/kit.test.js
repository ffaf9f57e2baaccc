import { legendMarks, tipPlace } from "../../src/judged/page/web/kit/chart.js";
import { csvCell, csvText, safeFileName } from "../../src/judged/page/web/kit/files.js";
import {
  bottomAxis,
  extent,
  leftAxis,
  linearScale,
  logScale,
  niceDomain,
  roomyTicks,
  tickTexts,
} from "../../src/judged/page/web/kit/scale.js";
import {
  bandPath,
  emptyScene,
  intervalMarks,
  linePath,
  nearestSpot,
  wordScene,
} from "../../src/judged/page/web/kit/scene.js";
import { titledScene } from "../../src/judged/page/web/kit/svg.js";
import {
  distinctNames,
  fitText,
  isolate,
  nameText,
  plainText,
  textWidth,
  wrapText,
} from "../../src/judged/page/web/kit/text.js";
import { same } from "./check.js";

/** @param {string} text */
const bare = (text) => text.replace(/[\u2068\u2069]/g, "");

Deno.test("ticks are round numbers without the dust of binary fractions", () => {
  same(linearScale([0, 1], [0, 100]).ticks(10), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  same(linearScale([-0.31, 0.29], [0, 100]).ticks(6), [-0.3, -0.2, -0.1, 0, 0.1, 0.2]);
  same(linearScale([0, 12345], [0, 100]).ticks(5), [0, 2000, 4000, 6000, 8000, 10000, 12000]);
});

Deno.test("a scale goes from data to pixels, also upside down", () => {
  same(linearScale([0, 10], [100, 0]).at(2.5), 75);
  same(linearScale([5, 5], [0, 100]).at(5), 0);
  same(logScale([1, 100], [0, 200]).at(10), 100);
  same(logScale([1, 1000], [0, 300]).ticks(20), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
  same(logScale([1, 1000], [0, 300]).ticks(5), [1, 10, 100, 1000]);
  same(logScale([1, 8], [0, 300]).ticks(3), [1, 2, 5]);
});

Deno.test("round ends hold all numbers; equal ones get room", () => {
  same(niceDomain(0.12, 0.58), [0.1, 0.6]);
  same(niceDomain(0.5, 0.5), [0.44, 0.56]);
  same(niceDomain(0, 0), [-1, 1]);
  same(niceDomain(NaN, NaN), [0, 1]);
  same(niceDomain(-37, 1e6, 5), [-200000, 1000000]);
});

Deno.test("the extent leaves out what is missing", () => {
  same(extent([3, NaN, -1, Infinity]), [-1, 3]);
  same(extent([NaN]).every(Number.isNaN), true);
});

Deno.test("the texts of ticks have the decimals that the finest needs", () => {
  same(tickTexts([0, 0.25, 0.5]), ["0.00", "0.25", "0.50"]);
  same(tickTexts([-0.2, 0, 0.2]), ["−0.2", "0.0", "0.2"]);
  same(tickTexts([0, 5000, 10000]), ["0", "5,000", "10,000"]);
  same(tickTexts([0, 2e8]), ["0", "2e8"]);
  same(tickTexts([0, 2e-9]), ["0", "2e−9"]);
});

Deno.test("texts of ticks do not touch, whatever the width", () => {
  for (const width of [60, 120, 300, 1200]) {
    for (
      const domain of /** @type {[number, number][]} */ ([[0, 1], [0, 1e6], [-0.00004, 0.00003], [-1234567, 7654321]])
    ) {
      const scale = linearScale(domain, [0, width]);
      const ticks = roomyTicks(scale);
      const texts = tickTexts(ticks);
      ticks.forEach((tick, i) => {
        if (!i) return;
        const room = scale.at(tick) - scale.at(ticks[i - 1]);
        same(room > (textWidth(texts[i], 11) + textWidth(texts[i - 1], 11)) / 2, true);
      });
    }
  }
});

Deno.test("an axis of ranks begins at 1 and has no halves", () => {
  same(roomyTicks(linearScale([1, 10], [0, 300]), true), [1, 2, 4, 6, 8, 10]);
  same(roomyTicks(linearScale([1, 3], [0, 900]), true), [1, 2, 3]);
});

Deno.test("titles of axes stand above and below, clear of the ticks", () => {
  const bottom = bottomAxis(linearScale([0, 1], [40, 300]), { y: 200, wide: 320, top: 30, title: "recall" });
  const texts = bottom.filter((mark) => mark.kind === "text");
  same(texts.at(-1)?.text, "recall");
  same(texts.slice(0, -1).every(({ y }) => y < /** @type {any} */ (texts.at(-1)).y - 12), true);
  const left = leftAxis(linearScale([0, 1], [200, 30]), { x: 40, right: 300, title: "precision", titleY: 20 });
  const [title] = left.filter((mark) => mark.kind === "text" && mark.text === "precision");
  same(title.kind === "text" && title.y, 20);
});

Deno.test("lines and bands break where a number is missing", () => {
  same(linePath([[0, 1], [1, NaN], [2, 3], [3, 4]]), "M0 1M2 3L3 4");
  same(linePath([[0, 1], [2, 3]], "step"), "M0 1L0 3L2 3");
  same(bandPath([0, 1, 2, 3], [0, 0, NaN, 5], [1, 2, 3, 6]), "M0 1L1 2L1 0L0 0ZM3 6L3 5Z");
  same(linePath([]), "");
});

Deno.test("an interval that is missing leaves its dot alone", () => {
  same(intervalMarks({ low: NaN, high: NaN, at: 5, y: 5, colour: "ink" }).map(({ kind }) => kind), ["circle"]);
  same(intervalMarks({ low: 1, high: 9, at: 5, y: 5, colour: "ink" }).length, 4);
  same(intervalMarks({ low: NaN, high: NaN, at: NaN, y: 5, colour: "ink" }).length, 0);
});

Deno.test("names are cut in the middle, since runs differ at their ends", () => {
  same(bare(nameText("abcdefghij", 5)), "ab…ij");
  same(bare(nameText("short", 5)), "short");
  const [one, two] = ["1", "2"].map((end) => fitText(`run-${"x".repeat(1000)}-v${end}`, 120, 12));
  same(textWidth(one, 12) <= 120, true);
  same(one !== two && bare(two).endsWith("-v2"), true);
  same(bare(fitText("🍲🍲🍲🍲🍲🍲", 40, 12)).includes("\ud83c…"), false);
});

Deno.test("long names lose what they share, and stay apart", () => {
  const names = ["bm25", "dense"].map((name) => `castorini-anserini-${name}-with-feedback-v2`);
  same(distinctNames(names), ["…bm25…", "…dense…"]);
  same(distinctNames(["bm25", "bm25-rm3"]), ["bm25", "bm25-rm3"]);
  same(distinctNames([names[0]]), [names[0]]);
  const nested = ["a-long-name-of-a-run", "a-long-name-of-a-run-twice-a-run"];
  same(new Set(distinctNames(nested)).size, 2);
  for (const pair of [["x".repeat(1000), "x".repeat(999)], ["", "y".repeat(50)], ["a-".repeat(30), "a-".repeat(31)]]) {
    same(new Set(distinctNames(pair)).size, 2);
  }
});

Deno.test("marks that turn the direction of text stay out of a drawing, and names keep theirs to themselves", () => {
  same(plainText("a\u202Eb\u2067c\u0000\uD800d\ne"), "abcde");
  same(isolate("a\u2069b"), "\u2068ab\u2069");
});

Deno.test("titles are broken between words", () => {
  const lines = wrapText("one two three four five six seven", 80, 14, true);
  same(lines.length > 1 && lines.every((line) => textWidth(line, 14, true) <= 80), true);
  same(lines.join(" "), "one two three four five six seven");
});

Deno.test("cells of text that begin like a formula are told to be text; numbers stay numbers", () => {
  same(["=1+1", "+a", "-a", "@a", "\ta"].map(csvCell), ["'=1+1", "'+a", "'-a", "'@a", "'\ta"]);
  same(csvCell("\r=x"), '"\'\r=x"');
  same([-0.1, 1 / 3, 1e-20, NaN, null, undefined].map(csvCell), ["-0.1", "0.3333333333333333", "1e-20", "", "", ""]);
  same(csvCell('say "a, b"\n'), '"say ""a, b""\n"');
  same(csvText({ name: "x", header: ["query", "value"], rows: [["q,1", 0.5]] }), 'query,value\r\n"q,1",0.5\r\n');
});

Deno.test("names of files are safe on every system", () => {
  same(safeFileName("means-nDCG@10.csv"), "means-nDCG@10.csv");
  same(safeFileName("../../etc/pass wd.svg"), "etc-pass-wd.svg");
  same(safeFileName("a\u202Egpj:\u0000|b.png"), "agpj-b.png");
  same(safeFileName("con.csv"), "judged-con.csv");
  same(safeFileName("///.csv"), "judged.csv");
  same(safeFileName(`${"x".repeat(1000)}.csv`).length, 84);
});

Deno.test("the pointer means the nearest spot within its reach", () => {
  const scene = emptyScene(200, 100, "", { x: 0, y: 0, width: 200, height: 100 });
  scene.spots = [{ x: 10, y: 10, datum: 1 }, { x: 100, y: 90, datum: 2 }, {
    x: 175,
    y: 50,
    datum: 3,
    box: { x: 150, y: 0, width: 50, height: 100 },
  }];
  same(nearestSpot(scene, 20, 20)?.datum, 1);
  same(nearestSpot(scene, 60, 50), null);
  same(nearestSpot(scene, 198, 3)?.datum, 3);
  scene.hover = "x";
  same(nearestSpot(scene, 80, 5)?.datum, 2);
  same(nearestSpot(scene, 80, 300), null);
  scene.hover = "y";
  same(nearestSpot(scene, 80, 5)?.datum, 1);
});

Deno.test("a tooltip stays on the screen", () => {
  const size = { width: 100, height: 50, wide: 400, high: 300 };
  same(tipPlace({ x: 50, y: 50, ...size }), { left: 64, top: 64 });
  same(tipPlace({ x: 390, y: 290, ...size }), { left: 276, top: 226 });
  same(tipPlace({ x: 5, y: 100, ...size, finger: true }), { left: 6, top: 22 });
  same(tipPlace({ x: 10, y: 10, width: 900, height: 50, wide: 400, high: 300 }).left, 6);
});

Deno.test("a legend is broken into rows that fit", () => {
  const entries = Array.from(
    { length: 9 },
    (_, i) => ({ text: `run ${i} ${"x".repeat(i * 40)}`, colour: `run${i}`, note: "AP 0.5" }),
  );
  const { marks, height } = legendMarks(entries, 300);
  same(height >= 60, true);
  for (const mark of marks) if (mark.kind === "text") same(mark.x + textWidth(mark.text, 11) <= 301, true);
});

Deno.test("a picture of its own has its title, on white", () => {
  const scene = titledScene(
    wordScene(300, "nothing"),
    "A title that is much too long for one line of three hundred pixels",
  );
  same(scene.marks[0].kind === "rect" && scene.marks[0].fill, "paper");
  same(scene.marks.filter(({ kind }) => kind === "text").length, 2);
  same([scene.width, scene.marks.length], [332, 4]);
});
