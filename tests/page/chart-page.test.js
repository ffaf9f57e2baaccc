import { criticalScene } from "../../src/judged/page/web/charts/critical.js";
import { curveScene } from "../../src/judged/page/web/charts/curve.js";
import { differenceScene } from "../../src/judged/page/web/charts/difference.js";
import { scatterHeight, scatterScene } from "../../src/judged/page/web/charts/scatter.js";
import { slicesScene } from "../../src/judged/page/web/charts/slices.js";
import { same } from "./check.js";
import { sampleBook } from "./sample.js";

/** @typedef {import("../../src/judged/page/web/kit/scene.js").Scene} Scene */

const VIEW = { measure: 0, a: 0, b: 1, slice: null };
const LONG = ["x", "W", "y", "z"].map((letter) => `run-${letter.repeat(1000)}`);

Deno.test("bars are as high as the points beside them", () => {
  const book = sampleBook();
  const height = scatterHeight(book, VIEW, 440);
  same(scatterScene(book, VIEW, 440).height, height);
  same(differenceScene(book, VIEW, 700, height).height, height);
});

Deno.test("thousands of queries at one place make no blot", () => {
  const change = (/** @type {any} */ _, /** @type {Float64Array} */ values) => values.fill(0);
  const scene = scatterScene(sampleBook({ runs: ["a", "b"], queries: 3000, change }), VIEW, 400);
  const dots = scene.marks.flatMap((mark) => mark.kind === "circle" ? [mark.r] : []);
  same([dots.length, Math.max(...dots) <= 8], [1, true]);
});

Deno.test("the words of the sides lie above the plot, where no dot is hidden", () => {
  const { marks, plot } = scatterScene(sampleBook(), VIEW, 400);
  const words = marks.flatMap((mark) => mark.kind === "text" && / better$/.test(mark.text) ? [mark] : []);
  same(words.map(({ fill }) => fill), ["better", "worse"]);
  same(words.every(({ y }) => y < plot.y), true);
});

Deno.test("curves below a legend of their own have none, and say in the tooltip what it said", () => {
  const [picture] = sampleBook().facts.pictures;
  const texts = (/** @type {Scene} */ scene) =>
    scene.marks.flatMap((mark) => mark.kind === "text" && /dense/.test(mark.text) ? [mark.text] : []);
  same(texts(curveScene(picture, 400)).length, 1);
  const bare = curveScene(picture, 400, { named: false });
  same(texts(bare), []);
  same(bare.tip(0).at(-1), picture.lines[0].mark);
});

Deno.test("the axis of mean ranks keeps half of the width, whatever the names", () => {
  for (const runs of [["a", "b", "c"], LONG]) {
    for (const width of [300, 358, 560, 1200]) {
      const { marks } = criticalScene(sampleBook({ runs, queries: 20 }), VIEW, width);
      const longest = Math.max(
        ...marks.map((mark) => mark.kind === "line" && mark.y1 === mark.y2 && mark.width === 1 ? mark.x2 - mark.x1 : 0),
      );
      same(longest >= width / 2 - 1, true);
    }
  }
});

Deno.test("the row of a slice has its verdict and corrected p at every width", () => {
  for (const width of [300, 358, 800]) {
    const texts = slicesScene(sampleBook(), VIEW, width).marks.flatMap((mark) =>
      mark.kind === "text" ? [mark.text] : []
    );
    same(texts.filter((text) => /(better|worse|no clear difference|equal), p [<\d]/.test(text)).length, 3);
  }
});
