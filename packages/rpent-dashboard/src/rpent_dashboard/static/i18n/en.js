import compare from "/static/i18n/en/compare.js";
import library from "/static/i18n/en/library.js";
import run from "/static/i18n/en/run.js";
import session from "/static/i18n/en/session.js";
import shell from "/static/i18n/en/shell.js";

export default { ...shell, ...library, ...run, ...compare, ...session };
