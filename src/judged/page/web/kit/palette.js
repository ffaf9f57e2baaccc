/**
 * Colours by name.
 *
 * @typedef {(name: string) => string} Palette
 */

/** The light theme of page.css, used for exported pictures. */
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
  run0: "#3f6bdc",
  run1: "#c136a6",
  run2: "#88722f",
  run3: "#620b84",
  run4: "#223546",
  run5: "#4b596f",
  run6: "#187ba9",
  run7: "#8d62b8",
  run8: "#5c4a12",
  run9: "#1632a8",
});

/** @type {Palette} */
export function lightPalette(name) {
  return /** @type {Record<string, string>} */ (LIGHT)[name] ?? LIGHT.ink;
}

/** Return a CSS variable, for SVG: follows the theme without redrawing. @type {Palette} */
export function livePalette(name) {
  return `var(--${name})`;
}

/** Return the current colours of an element, for canvas. @param {Element} element @returns {Palette} */
export function readPalette(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, style.getPropertyValue(`--${name}`).trim() || lightPalette(name));
    return /** @type {string} */ (known.get(name));
  };
}
