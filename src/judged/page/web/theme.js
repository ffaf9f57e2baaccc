// Runs before the first paint: apply the saved theme, or the preference of the system.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("judged-theme");
  } catch {
    // Storage may be unavailable for a page opened from disk.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen ?? (dark ? "dark" : "light");
})();
