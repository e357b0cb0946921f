/**
 * Light, dark, or as the system has it. `first_paint.js` does the same before the first paint.
 */
export const THEMES = ["auto", "light", "dark"];
const STORED = "rpent.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

system.addEventListener("change", apply);

/** The user's choice: `auto`, `light`, `dark`. */
export function currentTheme() {
  const stored = localStorage.getItem(STORED);
  return THEMES.includes(stored) ? stored : "auto";
}

/** Choose a theme from now on. */
export function setTheme(theme) {
  localStorage.setItem(STORED, theme);
  apply();
}

function apply() {
  const theme = currentTheme();
  const dark = theme === "dark" || (theme === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
