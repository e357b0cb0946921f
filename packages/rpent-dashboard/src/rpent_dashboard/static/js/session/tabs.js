/**
 * Panels behind tabs, with the arrow keys as in any tab list.
 */
import { h } from "/static/js/dom.js";

/**
 * Make tabs.
 *
 * @param {string} label What the tabs are about.
 * @param {{name: string, text: string, panel: HTMLElement}[]} tabs
 * @returns {{element: HTMLElement, select: (name: string) => void, selected: () => string}} `element` holds the list
 *   of tabs only; the panels are where the caller put them.
 */
export function tabList(label, tabs) {
  let chosen = "";
  const buttons = tabs.map(({ name, text, panel }) => {
    panel.id = `panel-${name}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    return h(
      "button",
      { type: "button", id: `tab-${name}`, role: "tab", class: `session-tab-${name}`, "aria-controls": panel.id, dataset: { name }, on: { click: () => select(name) } },
      text,
    );
  });
  const element = h("div", { class: "tabs session-tabs", role: "tablist", "aria-label": label, on: { keydown: onKey } }, buttons);

  function select(name) {
    chosen = name;
    tabs.forEach((tab, at) => {
      const on = tab.name === name;
      buttons[at].setAttribute("aria-selected", String(on));
      buttons[at].tabIndex = on ? 0 : -1;
      tab.panel.classList.toggle("session-panel-off", !on);
    });
  }
  function onKey(event) {
    const shown = buttons.filter((button) => button.offsetParent !== null);
    const at = shown.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const button = shown[(next + shown.length) % shown.length];
    select(button.dataset.name);
    button.focus();
  }
  return { element, select, selected: () => chosen };
}
