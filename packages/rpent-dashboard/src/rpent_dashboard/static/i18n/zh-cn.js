import compare from "/static/i18n/zh-cn/compare.js";
import library from "/static/i18n/zh-cn/library.js";
import run from "/static/i18n/zh-cn/run.js";
import session from "/static/i18n/zh-cn/session.js";
import shell from "/static/i18n/zh-cn/shell.js";

export default { ...shell, ...library, ...run, ...compare, ...session };
