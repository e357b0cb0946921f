/**
 * Code and bold within a line, as messages, descriptions and planners write them.
 */
import { h } from "/static/js/dom.js";

/**
 * @param {string} text Anybody's text; no part of it becomes HTML, a link or an address.
 * @returns {Array<string|HTMLElement>}
 */
export function inline(text) {
  return String(text ?? "").split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part) => {
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.length > 4 && part.startsWith("**") && part.endsWith("**")) return h("strong", {}, part.slice(2, -2));
    return part;
  });
}
