/**
 * Names of colours, and the colours of a page.
 *
 * @typedef {(name: string) => string} Palette
 */

/** As page.css has them for a light page: pictures that leave the page are on white. */
export const LIGHT = Object.freeze({
  paper: "#ffffff",
  panel: "#f6f7f8",
  ink: "#1b1e23",
  soft: "#59616d",
  faint: "#d9dde2",
  grid: "#eceef1",
  accent: "#1f5fbf",
  better: "#14795a",
  worse: "#b3401f",
  same: "#6b7280",
  focus: "#1f5fbf",
  run0: "#0b66a8",
  run1: "#c8500a",
  run2: "#0a7d5c",
  run3: "#a0478a",
  run4: "#8a6a00",
  run5: "#2f8fc4",
  run6: "#5b5f66",
  run7: "#7a4fd0",
  run8: "#b0304a",
  run9: "#3d7a1e",
});

/** @type {Palette} */
export function lightPalette(name) {
  return /** @type {Record<string, string>} */ (LIGHT)[name] ?? LIGHT.ink;
}

/** The colours follow the page by themselves, in another theme and in print: for SVG, which knows variables. @type {Palette} */
export function livePalette(name) {
  return `var(--${name})`;
}

/** The colours that an element has now: for a canvas, which does not. @param {Element} element @returns {Palette} */
export function readPalette(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, style.getPropertyValue(`--${name}`).trim() || lightPalette(name));
    return /** @type {string} */ (known.get(name));
  };
}
