/**
 * Three regions beside each other where there is room; on a narrow screen one at a time, behind tabs.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

const NAMES = ["conversation", "watch", "details"];

/** Put the parts together. */
export function layout(head, conversation, watch, details, embedded) {
  const regions = [conversation, watch, details];
  const tabs = NAMES.map((name) => {
    const tab = h("button", { type: "button", role: "tab", "aria-controls": `run-${name}` }, t(`run.tab.${name}`));
    tab.addEventListener("click", () => choose(name));
    return tab;
  });
  const list = h("div", { class: "tabs run-tabs", role: "tablist", "aria-label": t("run.parts") }, tabs);
  const place = h("div", { class: "run-regions" }, regions);
  const node = h("div", { class: `run${embedded ? " is-embedded" : ""}` }, head, list, place);
  regions.forEach((region, index) => {
    region.id = `run-${NAMES[index]}`;
    region.classList.add("run-region", `run-region-${NAMES[index]}`);
  });

  function choose(name) {
    node.dataset.tab = name;
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(NAMES[index] === name));
      tab.tabIndex = NAMES[index] === name ? 0 : -1;
    });
  }
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = (NAMES.indexOf(node.dataset.tab) + by + NAMES.length) % NAMES.length;
    choose(NAMES[at]);
    tabs[at].focus();
  });
  choose("watch");
  return node;
}
