/**
 * The page's own words in the user's language. What models, tools and benchmarks say stays as it is.
 */
import en from "/static/i18n/en.js";
import zhCN from "/static/i18n/zh-cn.js";

export const LANGUAGES = { en: ["English", en], "zh-CN": ["简体中文", zhCN] };
const STORED = "rpent.language";

let language = choose();
document.documentElement.lang = language;

function choose() {
  const stored = localStorage.getItem(STORED);
  if (stored in LANGUAGES) return stored;
  return navigator.languages.some((tag) => tag.toLowerCase().startsWith("zh")) ? "zh-CN" : "en";
}

/** The language in use: `en`, `zh-CN`. */
export const currentLanguage = () => language;

/** Use another language from now on; the caller draws the page anew. */
export function setLanguage(tag) {
  language = tag;
  localStorage.setItem(STORED, tag);
  document.documentElement.lang = tag;
}

/**
 * Return a text of the page.
 *
 * @param {string} key Such as `library.empty`.
 * @param {Object<string, any>} [values] What stands for `{name}` in the text.
 */
export function t(key, values = {}) {
  const text = LANGUAGES[language][1][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A number as the language writes it. */
export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);

/** A moment (seconds since the epoch) as the language writes it. */
export const moment = (seconds) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(seconds * 1000));
