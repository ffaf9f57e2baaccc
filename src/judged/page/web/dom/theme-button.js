/** The choice between light and dark. */
import { byId, fill } from "./dom.js";

/** Set up the button that switches between light and dark; it is labelled with the other theme. */
export function mountTheme() {
  const [root, button] = [document.documentElement, byId("theme")];
  const other = () => (root.dataset.theme === "dark" ? "light" : "dark");
  const say = () => fill(button, `${other()[0].toUpperCase()}${other().slice(1)}`);
  button.addEventListener("click", () => {
    root.dataset.theme = other();
    say();
    try {
      localStorage.setItem("judged-theme", root.dataset.theme);
    } catch {
      // Storage may be unavailable for a page opened from disk; the choice then lasts until it is closed.
    }
  });
  button.setAttribute("aria-label", "Light or dark colours");
  button.hidden = false;
  say();
}
