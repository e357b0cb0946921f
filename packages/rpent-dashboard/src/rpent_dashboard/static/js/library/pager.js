/**
 * Below the list: which part of it is shown, and the way to the others.
 */
import { fill, h } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { PAGE } from "/static/js/library/query.js";

/**
 * Draw the pager; it hides where all runs are on view.
 *
 * @param {HTMLElement} node
 * @param {{total: number, shown: number, offset: number}} part
 * @param {(offset: number) => void} turn
 */
export function drawPager(node, { total, shown, offset }, turn) {
  node.hidden = total <= PAGE;
  if (node.hidden) return;
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.to : "";
  const button = (name, key, at) => {
    const props = { class: "btn", type: "button", dataset: { to: name }, disabled: at < 0 || at >= total };
    return h("button", { ...props, on: { click: () => turn(at) } }, t(key));
  };
  const ends = { from: number(offset + 1), to: number(offset + shown), total: number(total) };
  fill(
    node,
    button("previous", "library.newerPage", offset - PAGE),
    h("span", { class: "muted" }, t("library.range", ends)),
    button("next", "library.olderPage", offset + PAGE),
  );
  if (focused) node.querySelector(`[data-to="${focused}"]`)?.focus();
}
