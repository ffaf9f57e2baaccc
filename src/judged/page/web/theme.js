// Before anything is painted: light or dark, as the reader chose, or as the system prefers.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("judged-theme");
  } catch {
    // A page from disk may have no storage.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen ?? (dark ? "dark" : "light");
})();
