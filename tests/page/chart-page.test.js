import { differenceScene, scatterHeight, scatterScene } from "../../src/judged/page/web/charts/by-query.js";
import { viewedPair } from "../../src/judged/page/web/charts/common.js";
import { curveScene, linePaint } from "../../src/judged/page/web/charts/curve.js";
import { matrixPair, matrixScene } from "../../src/judged/page/web/charts/matrix.js";
import { againstScene, rankedRuns, referenceRun, slicesScene } from "../../src/judged/page/web/charts/rows.js";
import { same } from "./check.js";
import { sampleBook } from "./sample.js";
/** @import { Scene } from "../../src/judged/page/web/kit/scene.js" */

const VIEW = { measure: 0, a: 0, b: 1, slice: null };

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
  const book = sampleBook();
  const [picture] = book.facts.pictures;
  const texts = (/** @type {Scene} */ scene) =>
    scene.marks.flatMap((mark) => mark.kind === "text" && /dense/.test(mark.text) ? [mark.text] : []);
  same(texts(curveScene(book, VIEW, picture, 400)).length, 1);
  const bare = curveScene(book, VIEW, picture, 400, { named: false });
  same(texts(bare), []);
  same(bare.tip(0).some((line) => line.includes(picture.lines[0].mark)), true);
});

Deno.test("an interval of a difference is filled exactly if the verdict is clear", () => {
  const book = sampleBook();
  for (const measure of [0, 1, 2]) {
    const scene = againstScene(book, { ...VIEW, measure }, 700);
    const others = rankedRuns(book, measure).filter((run) => run !== referenceRun(book, measure));
    same(scene.spots.map(({ datum }) => datum), others);
    const hollow = scene.marks.filter((mark) => mark.kind === "circle" && mark.fill === "paper").length;
    const unclear = others.filter((run) =>
      viewedPair(book, { measure, a: referenceRun(book, measure), b: run })?.verdict === "no clear difference"
    );
    same(hollow, unclear.length);
  }
});

Deno.test("the matrix has every pair once, best first, and a datum names its pair", () => {
  const book = sampleBook({ runs: ["a", "b", "c", "d"], queries: 20 });
  const scene = matrixScene(book, VIEW, 600);
  const order = rankedRuns(book, 0);
  same(scene.spots.length, 6);
  same(
    scene.spots.map(({ datum }) => matrixPair(book, VIEW, datum)).every(({ a, b }) =>
      order.indexOf(b) < order.indexOf(a)
    ),
    true,
  );
  const filled =
    scene.marks.filter((mark) => mark.kind === "rect" && (mark.fill === "better" || mark.fill === "worse")).length;
  same(filled, book.facts.pairs.filter(({ measure, verdict }) => measure === 0 && /better|worse/.test(verdict)).length);
});

Deno.test("no two of thirty runs have the same colour: the pair is in focus, the others are grey", () => {
  const book = sampleBook({ runs: Array.from({ length: 30 }, (_, i) => `r${i}`), queries: 5 });
  const view = { ...VIEW, a: 11, b: 1 };
  const colours = book.facts.runs.map((_, run) => book.colour(run, view));
  same([colours[1], colours[11]], ["run0", "run1"]);
  same(colours.filter((colour) => colour !== "context").length, 2);
  same(book.colour(5, { ...view, lit: 5 }), "run2");
  same(linePaint(book, { ...view, lit: 5 }, 5).strong, true);
  const ten = sampleBook({ runs: Array.from({ length: 10 }, (_, i) => `r${i}`), queries: 5 });
  same(new Set(ten.facts.runs.map((_, run) => ten.colour(run, view))).size, 10);
});

Deno.test("of five runs and more, curves other than the pair are grey and thin, until the legend lights one", () => {
  const book = sampleBook({ runs: Array.from({ length: 7 }, (_, i) => `r${i}`), queries: 5 });
  const strokes = (/** @type {number} */ lit) =>
    curveScene(book, { ...VIEW, lit }, book.facts.pictures[1], 800).marks.flatMap((mark) =>
      mark.kind === "path" && mark.stroke ? [mark.stroke] : []
    );
  same(strokes(-1).filter((stroke) => stroke === "context").length, 5);
  same(strokes(4).filter((stroke) => stroke === "context").length, 4);
  same(strokes(4).includes("run4"), true);
});

Deno.test("the crosshair tells the values of all runs at a rank", () => {
  const book = sampleBook();
  const scene = curveScene(book, VIEW, book.facts.pictures[2], 800);
  same([scene.hover, scene.cross], ["x", true]);
  same(scene.tip(3).length, 4);
  same(scene.spots.filter(({ datum }) => datum === 3).length, 3);
});

Deno.test("the row of a slice has its verdict and corrected p at every width", () => {
  for (const width of [300, 358, 800]) {
    const texts = slicesScene(sampleBook(), VIEW, width).marks.flatMap((mark) =>
      mark.kind === "text" ? [mark.text] : []
    );
    same(texts.filter((text) => /(better|worse|no clear difference|equal), p [<\d]/.test(text)).length, 3);
  }
});
