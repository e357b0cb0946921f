/**
 * The little markup that planners write (bold, code, lists, code blocks, tables, headings), as elements. Whatever is
 * not understood stays text; no text becomes HTML, a link or an address.
 */
import { h } from "/static/js/dom.js";
import { inline } from "/static/js/shell/inline.js";

/** Longest text that is looked through for markup; a longer one is shown as it is. */
const LONGEST = 20_000;

/**
 * @param {string} text What a planner said.
 * @returns {HTMLElement[]}
 */
export function markup(text) {
  if (text.length > LONGEST) return [h("p", { class: "run-plain" }, text)];
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = readBlock(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

const FENCE = /^\s*```/;
const BULLET = /^\s*[-*•]\s+(.*)$/;
const NUMBERED = /^\s*\d{1,3}[.)]\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

function readBlock(lines, at) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  if (FENCE.test(line)) return readCode(lines, at + 1);
  if (ROW.test(line) && RULE.test(lines[at + 1] ?? "")) return readTable(lines, at);
  if (BULLET.test(line)) return readList(lines, at, "ul", BULLET);
  if (NUMBERED.test(line)) return readList(lines, at, "ol", NUMBERED);
  const heading = HEADING.exec(line);
  if (heading) return [h("p", { class: "run-md-heading" }, inline(heading[1])), at + 1];
  return readParagraph(lines, at);
}

function readCode(lines, at) {
  const end = lines.findIndex((line, index) => index >= at && FENCE.test(line));
  const to = end < 0 ? lines.length : end;
  return [h("pre", { class: "run-code", tabindex: "0" }, h("code", {}, lines.slice(at, to).join("\n"))), to + 1];
}

function readList(lines, at, tag, pattern) {
  const entries = [];
  let match = pattern.exec(lines[at]);
  while (match) {
    entries.push(h("li", {}, inline(match[1])));
    at += 1;
    match = at < lines.length ? pattern.exec(lines[at]) : null;
  }
  const start = tag === "ol" ? Number.parseInt(lines[at - entries.length], 10) : 1;
  return [h(tag, { start: start > 1 ? start : null }, entries), at];
}

function readTable(lines, at) {
  const head = cells(lines[at]);
  const rows = [];
  at += 2;
  while (at < lines.length && ROW.test(lines[at])) {
    rows.push(cells(lines[at]));
    at += 1;
  }
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, inline(cell))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, inline(cell)))))),
  );
  return [h("div", { class: "run-table", tabindex: "0" }, table), at];
}

const cells = (line) => line.trim().slice(1, -1).split("|").map((cell) => cell.trim());

function readParagraph(lines, at) {
  const text = [];
  while (at < lines.length && lines[at].trim() && !(text.length && startsBlock(lines[at]))) {
    text.push(lines[at]);
    at += 1;
  }
  return [h("p", { class: "run-plain" }, inline(text.join("\n"))), at];
}

const startsBlock = (line) => [FENCE, BULLET, NUMBERED, HEADING].some((pattern) => pattern.test(line));
