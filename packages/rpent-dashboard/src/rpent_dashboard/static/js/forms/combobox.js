/**
 * A text field with a list of suggestions: all of them when it opens, fewer while somebody types.
 */
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { activeOption } from "/static/js/shell/listbox.js";

/**
 * Add a list to a text input that stands in the page's tree already.
 *
 * @param {HTMLInputElement} input
 * @returns {{offer: (options: Array<{value: any, label?: string}>) => void}} `offer` sets what is suggested; nothing
 *   makes it a plain field again.
 */
export function combobox(input) {
  const list = h("ul", { id: `${input.id}-list`, class: "combo-list", role: "listbox", popover: "manual" });
  const box = h("div", { class: "combo" });
  let options = [];
  let shown = [];
  const active = activeOption(list, input);
  let choosing = false;
  /** Clicked before there were options: it opens when they come. */
  let wanted = false;

  input.before(box);
  box.append(input, h("span", { class: "combo-mark", "aria-hidden": "true" }, "▾"), list);
  input.addEventListener("click", () => {
    wanted = options.length === 0;
    if (isOpen()) close();
    else open(options);
  });
  input.addEventListener("blur", () => close());
  input.addEventListener("input", () => {
    wanted = false;
    if (!choosing) open(matching());
  });
  input.addEventListener("keydown", onKey);

  const isOpen = () => list.matches(":popover-open");

  function matching() {
    const typed = input.value.trim().toLowerCase();
    return options.filter(({ value, label }) => `${value} ${label ?? ""}`.toLowerCase().includes(typed));
  }

  function open(offered) {
    shown = offered;
    if (!shown.length || input.disabled) return close();
    list.setAttribute(
      "aria-label",
      t("shell.form.suggestions", { field: input.labels[0]?.textContent.trim() || input.id }),
    );
    fill(list, shown.map(optionItem));
    if (!isOpen()) list.showPopover();
    input.setAttribute("aria-expanded", "true");
    place();
    addEventListener("scroll", onScroll, true);
    addEventListener("resize", close);
    return active.moveTo(shown.findIndex(({ value }) => String(value) === input.value.trim()));
  }

  function close() {
    if (isOpen()) list.hidePopover();
    if (options.length) input.setAttribute("aria-expanded", "false");
    removeEventListener("scroll", onScroll, true);
    removeEventListener("resize", close);
    active.moveTo(-1);
  }

  const onScroll = (event) => event.target !== list && close();

  /** Below the field, or above it where there is more room; the top layer is cut off by nothing. */
  function place() {
    const { top, bottom, left, width } = input.getBoundingClientRect();
    const below = innerHeight - bottom;
    const above = below < 200 && top > below;
    const set = (name, value) => list.style.setProperty(name, value);
    set("left", `${left}px`);
    set("min-width", `${width}px`);
    set("max-width", `${Math.max(width, Math.min(480, innerWidth - left - 8))}px`);
    set("max-height", `${Math.min(300, (above ? top : below) - 10)}px`);
    set("top", above ? "auto" : `${bottom + 3}px`);
    set("bottom", above ? `${innerHeight - top + 3}px` : "auto");
  }

  function optionItem({ value, label }, at) {
    const on = { pointerdown: (event) => event.preventDefault(), click: () => accept(at) };
    return h(
      "li",
      { id: `${list.id}-${at}`, role: "option", "aria-selected": "false", on },
      h("span", { class: "combo-value" }, String(value)),
      label ? h("span", { class: "combo-label" }, label) : null,
    );
  }

  function accept(at) {
    choosing = true;
    input.value = String(shown[at].value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    choosing = false;
    close();
  }

  function onKey(event) {
    if (!options.length || event.isComposing || event.ctrlKey || event.metaKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && !isOpen()) open(options);
    else if (by) active.moveTo((Math.max(active.at, by < 0 ? 0 : -1) + by + shown.length) % shown.length);
    else if (event.key === "Enter" && isOpen() && active.at >= 0) accept(active.at);
    else if (event.key === "Escape" && isOpen()) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function offer(found) {
    options = found;
    box.classList.toggle("has-options", options.length > 0);
    if (options.length) {
      input.setAttribute("role", "combobox");
      input.setAttribute("aria-autocomplete", "list");
      input.setAttribute("aria-controls", list.id);
      input.setAttribute("aria-expanded", String(isOpen()));
    } else
      for (const name of ["role", "aria-autocomplete", "aria-controls", "aria-expanded"]) input.removeAttribute(name);
    if (isOpen() || (wanted && document.activeElement === input)) open(options);
    wanted = false;
  }
  return { offer };
}
