/**
 * The head of every page: name, pages, connection, language, theme, help.
 */
import { h } from "/static/js/dom.js";
import { currentLanguage, LANGUAGES, setLanguage, t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";
import { connectionBadge } from "/static/js/shell/connection.js";
import { showShortcuts } from "/static/js/shell/keys.js";
import { currentTheme, setTheme, THEMES } from "/static/js/shell/theme.js";

const NAV = [
  ["library", "shell.nav.runs"],
  ["session", "shell.nav.session"],
  ["launch", "shell.nav.launch"],
];
const UNDER = { run: "library", compare: "library" };

/**
 * Draw the header.
 *
 * @param {{page: string}} route Where the user is.
 * @param {() => void} redraw Draws the page anew, after a change of language.
 * @returns {HTMLElement}
 */
export function header(route, redraw) {
  return h(
    "header",
    { class: "site-header" },
    h(
      "a",
      { class: "brand", href: "#/" },
      h("img", { src: "/static/icon.svg", alt: "", width: 24, height: 24 }),
      "RPent",
    ),
    navigation(route),
    h("div", { class: "site-tools" }, connectionBadge(), languageSwitch(redraw), themeSwitch(), helpButton()),
  );
}

function navigation({ page }) {
  const links = NAV.map(([name, key]) => {
    const current = name === page ? "page" : UNDER[page] === name ? "true" : null;
    return h("a", { href: name === "library" ? "#/" : routeTo(name), "aria-current": current }, t(key));
  });
  return h("nav", { class: "site-nav", "aria-label": t("shell.nav.label") }, links);
}

function languageSwitch(redraw) {
  const options = Object.entries(LANGUAGES).map(([tag, [name]]) => h("option", { value: tag, lang: tag }, name));
  const change = (event) => {
    setLanguage(event.target.value);
    redraw();
    document.getElementById("language")?.focus();
  };
  const select = h(
    "select",
    { id: "language", class: "select-small", "aria-label": t("shell.language"), on: { change } },
    options,
  );
  select.value = currentLanguage();
  return select;
}

function themeSwitch() {
  const options = THEMES.map((theme) => h("option", { value: theme }, t(`shell.theme.${theme}`)));
  const change = (event) => setTheme(event.target.value);
  const select = h(
    "select",
    { id: "theme", class: "select-small", "aria-label": t("shell.theme.label"), on: { change } },
    options,
  );
  select.value = currentTheme();
  return select;
}

function helpButton() {
  return h(
    "button",
    {
      class: "btn btn-quiet btn-icon",
      type: "button",
      "aria-label": t("shell.keys.title"),
      title: t("shell.keys.title"),
      on: { click: showShortcuts },
    },
    "?",
  );
}
