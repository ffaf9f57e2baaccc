/** Create elements. Text is never parsed as markup. */

/**
 * Create an element with properties and children: `h("button", { class: "quiet", onclick: open }, "open")`.
 * Names with a dash, `role`, `class`, `for` and the like become attributes; `on…` become listeners; null and false are skipped.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | number | null | undefined | false | (Node | string | number | null | undefined | false)[])} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return fill(element, ...children);
}

/**
 * Replace the children of an element, and return it.
 *
 * @template {Element} E
 * @param {E} element
 * @param {...(Node | string | number | null | undefined | false | (Node | string | number | null | undefined | false)[])} children
 * @returns {E}
 */
export function fill(element, ...children) {
  element.replaceChildren();
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

/** Return the element with an id. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Announce a text to screen readers. @param {string} text */
export function announce(text) {
  fill(byId("announcer"), text);
}

/**
 * Isolate untrusted text, which may contain marks that change the text direction.
 *
 * @param {string} text
 * @param {Record<string, any>} [properties]
 */
export function bdi(text, properties = {}) {
  return h("bdi", properties, text);
}
