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
  context: "#9aa1ab",
  run0: "#315fd0",
  run1: "#994882",
  run2: "#8a9a00",
  run3: "#28303c",
  run4: "#308fbc",
  run5: "#5c0b8e",
  run6: "#c269ff",
  run7: "#573a0a",
  run8: "#a88f5f",
  run9: "#c13e5e",
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
