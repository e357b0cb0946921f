/**
 * The runs that are selected for comparing, and the bar that says so.
 */
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";

/** Select a run or not. Two can be; a third takes the place of the first. */
export function select(selected, key, on) {
  const rest = selected.filter((entry) => entry !== key);
  return on ? [...rest, key].slice(-2) : rest;
}

/** Draw the bar; it hides while nothing is selected. */
export function drawSelection(node, selected, clear) {
  node.hidden = selected.length === 0;
  if (node.hidden) return;
  const ready = selected.length === 2;
  fill(
    node,
    h("span", { role: "status" }, t(ready ? "library.selectedTwo" : "library.selectedOne")),
    ready && h("a", { class: "btn btn-primary", href: routeTo("compare", selected) }, t("library.compare")),
    h("button", { class: "btn", type: "button", on: { click: clear } }, t("library.clearSelection")),
  );
}
