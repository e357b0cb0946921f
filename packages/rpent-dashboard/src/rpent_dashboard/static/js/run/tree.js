/**
 * Plain data as a tree that opens branch by branch, and as one line.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

const MOST_ENTRIES = 200;
const LONG = 400;

/**
 * @param {any} value Plain data.
 * @param {number} [open] How many levels are open at first.
 * @returns {HTMLElement}
 */
export function tree(value, open = 1) {
  if (value === null || typeof value !== "object") return h("div", { class: "run-tree" }, leaf(value));
  return h("div", { class: "run-tree" }, entriesOf(value, open));
}

function entriesOf(value, open) {
  const entries = Object.entries(value);
  const rows = entries.slice(0, MOST_ENTRIES).map(([key, entry]) => branch(key, entry, open));
  if (entries.length > MOST_ENTRIES) {
    rows.push(h("div", { class: "run-tree-more" }, t("run.more", { count: entries.length - MOST_ENTRIES })));
  }
  return rows.length ? rows : [h("div", { class: "run-tree-more" }, t("run.nothing"))];
}

function branch(key, value, open) {
  const label = h("span", { class: "run-key" }, key);
  if (value === null || typeof value !== "object") return h("div", { class: "run-leaf" }, label, ": ", leaf(value));
  if (isShort(value)) return h("div", { class: "run-leaf" }, label, ": ", h("span", { class: "run-number" }, oneLine(value)));
  const summary = h("summary", {}, label, " ", h("span", { class: "run-tree-more" }, preview(value)));
  const node = h("details", { open: open > 1 }, summary);
  const grow = () => node.childElementCount > 1 || node.append(h("div", { class: "run-branch" }, entriesOf(value, open - 1)));
  if (open > 1) grow();
  node.addEventListener("toggle", () => node.open && grow());
  return node;
}

/** A list of a few numbers or words reads best in one line. */
function isShort(value) {
  const entries = Object.values(value);
  if (!entries.length) return true;
  if (!Array.isArray(value) || entries.length > 8) return false;
  return entries.every((entry) => typeof entry === "number" || (typeof entry === "string" && entry.length < 24));
}

const preview = (value) =>
  Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).slice(0, 4).join(", ").slice(0, 60)}}`;

function leaf(value) {
  if (typeof value !== "string") return h("span", { class: "run-number" }, String(value));
  if (value.length <= LONG) return h("span", { class: "run-string" }, value);
  const text = h("span", { class: "run-string" }, `${value.slice(0, LONG)}…`);
  const more = h("button", { type: "button", class: "run-link", on: { click: () => (text.textContent = value, more.remove()) } });
  more.textContent = t("run.showAll");
  return h("span", {}, text, " ", more);
}

/** Data as one readable line: `target salad dressing, attempt 0`. */
export function oneLine(value, longest = 160) {
  const text = written(value, 2);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function written(value, depth) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return String(Number.isInteger(value) ? value : Number(value.toPrecision(5)));
  if (typeof value !== "object") return String(value).replace(/\s+/g, " ").slice(0, 200);
  if (depth <= 0) return Array.isArray(value) ? "[…]" : "{…}";
  if (Array.isArray(value) && value.some((entry) => entry && typeof entry === "object")) return `[${value.length}]`;
  if (Array.isArray(value)) return `[${value.slice(0, 12).map((entry) => written(entry, depth - 1)).join(", ")}]`;
  const entries = Object.entries(value).filter(([, entry]) => entry !== null && entry !== undefined && entry !== "");
  const parts = entries.slice(0, 12).map(([key, entry]) => `${key} ${written(entry, depth - 1)}`);
  return depth === 2 ? parts.join(" · ") : `{${parts.join(", ")}}`;
}
