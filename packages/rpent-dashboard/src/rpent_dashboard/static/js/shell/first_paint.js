// Runs before the first paint (no module, no defer), so that a dark page never flashes in white.
(() => {
  const stored = localStorage.getItem("rpent.theme");
  const dark = stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
