/**
 * Measures as people read them, in the page's language; what is missing is a dash.
 */
import { currentLanguage, number, t } from "/static/js/i18n.js";

export const MISSING = "–";
const missing = (value) => value === null || value === undefined || !Number.isFinite(Number(value));

/** Seconds: `4.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(seconds) {
  if (missing(seconds)) return MISSING;
  if (seconds < 60) return t("shell.unit.s", { s: number(seconds, { maximumFractionDigits: seconds < 10 ? 1 : 0 }) });
  const whole = Math.round(seconds);
  const two = (value) => String(value).padStart(2, "0");
  if (whole < 3600) return t("shell.unit.min", { min: Math.floor(whole / 60), s: two(whole % 60) });
  return t("shell.unit.h", { h: Math.floor(whole / 3600), min: two(Math.floor((whole % 3600) / 60)) });
}

/** US dollars; small sums keep the digits that matter. */
export function cost(usd) {
  if (missing(usd)) return MISSING;
  return number(usd, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: usd !== 0 && usd < 0.1 ? 4 : 2,
  });
}

/** A count; from ten thousand on in short (`12.3K`, `1.2万`). */
export function count(value) {
  if (missing(value)) return MISSING;
  return Math.abs(value) < 10000 ? number(value) : number(value, { notation: "compact", maximumFractionDigits: 1 });
}

/** Bytes: `12.3 MB`. */
export function bytes(size) {
  if (missing(size)) return MISSING;
  const step = size < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(size) / 3));
  return `${number(size / 1000 ** step, { maximumFractionDigits: step ? 1 : 0 })} ${["B", "kB", "MB", "GB"][step]}`;
}

const STEPS = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago a moment (seconds since the epoch) was: `5 minutes ago`. */
export function ago(seconds, now = Date.now() / 1000) {
  if (missing(seconds) || !seconds) return MISSING;
  const format = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: "auto", style: "short" });
  const past = seconds - now;
  for (const [unit, size] of STEPS) if (Math.abs(past) >= size) return format.format(Math.trunc(past / size), unit);
  return t("shell.justNow");
}
