/** A short explanation of a measure, from its declaration. */
import { plainWords } from "../data/format.js";
import { bdi, fill, h } from "../dom/dom.js";

/** @typedef {import("../data/data.js").Measure} Measure */

/** @type {{panel: HTMLDialogElement | null, opener: HTMLElement | null}} */
const about = { panel: null, opener: null };

/** @returns {HTMLDialogElement} */
function aboutPanel() {
  if (about.panel?.isConnected) return about.panel;
  const panel = /** @type {HTMLDialogElement} */ (h("dialog", { class: "about", "aria-labelledby": "about-title" }));
  panel.addEventListener("click", (event) => event.target === panel && panel.close());
  panel.addEventListener("close", () => about.opener?.isConnected && about.opener.focus({ preventScroll: true }));
  document.body.append(panel);
  about.panel = panel;
  return panel;
}

/** The lines of an explanation: intuition, definition, formula, direction. @param {Measure} measure */
export function aboutLines({ intuition, description, formula, lower, unit, paper }) {
  const definition = plainWords(description.split(/\n\s*\n/)[0]);
  const range = unit ? "Values are between 0 and 1; " : "";
  const direction = lower ? "lower is better." : "higher is better.";
  return {
    lead: plainWords(intuition) || definition,
    definition: intuition ? definition : "",
    formula: plainWords(formula),
    range: range ? range + direction : direction[0].toUpperCase() + direction.slice(1),
    paper,
  };
}

/** @param {Measure} measure @param {HTMLElement} opener */
function openAbout(measure, opener) {
  const panel = aboutPanel();
  about.opener = opener;
  const { lead, definition, formula, range, paper } = aboutLines(measure);
  const close = h("button", { type: "button", class: "quiet", "aria-label": "Close" }, "×");
  close.addEventListener("click", () => panel.close());
  fill(
    panel,
    h(
      "div",
      { class: "about-body" },
      h("div", { class: "about-head" }, h("h2", { id: "about-title" }, bdi(measure.name)), close),
      h("p", { class: "about-lead" }, lead),
      definition && h("p", {}, definition),
      formula && h("p", { class: "about-formula" }, bdi(measure.name), " = ", formula),
      h("p", { class: "about-note" }, range, paper && ` ${paper}.`),
    ),
  );
  panel.showModal();
}

/** A button that explains a measure. @param {Measure} measure */
export function aboutButton(measure) {
  const button = h("button", {
    type: "button",
    class: "explain",
    "aria-label": `About ${measure.name}`,
    title: `What is ${measure.name}?`,
  }, "?");
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    openAbout(measure, button);
  });
  return button;
}
