/**
 * Completion of commands in a text area: a listbox above it, driven by the keyboard without leaving the text.
 */
import { get } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { COMMANDS } from "/static/js/session/listener.js";
import { activeOption } from "/static/js/shell/listbox.js";

const WAIT_MS = 60;

/**
 * Complete commands in a text area.
 *
 * @param {HTMLTextAreaElement} area
 * @param {() => void} onChange Called after an option was put into the text.
 * @returns {{element: HTMLElement, refresh: () => void, close: () => void, onKey: (event: KeyboardEvent) => boolean}}
 *   `onKey` returns true for a key that the list has taken.
 */
export function completion(area, onChange) {
  const list = h("ul", { id: "completion", class: "completion", role: "listbox", "aria-label": t("session.completions"), hidden: true });
  let found = { start: 0, end: 0, options: [], text: "" };
  const active = activeOption(list, area);
  let timer = 0;
  let asking = null;

  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-haspopup", "listbox");
  area.setAttribute("aria-controls", list.id);
  area.addEventListener("blur", () => close());

  function close() {
    clearTimeout(timer);
    asking?.abort();
    asking = null;
    list.hidden = true;
    list.replaceChildren();
    active.moveTo(-1);
  }

  function refresh() {
    clearTimeout(timer);
    asking?.abort();
    asking = null;
    active.moveTo(-1);
    if (!area.value.startsWith("/")) close();
    else timer = setTimeout(fetchOptions, WAIT_MS);
  }

  async function fetchOptions() {
    asking?.abort();
    const mine = (asking = new AbortController());
    const text = area.value;
    const query = new URLSearchParams({ text, cursor: area.selectionStart });
    try {
      const answer = await get(`/api/session/complete?${query}`, { signal: mine.signal });
      if (mine === asking && document.activeElement === area) show({ ...answer, text });
    } catch {
      if (mine === asking) close();
    }
  }

  function show(answer) {
    const typed = area.value.slice(answer.start, answer.end);
    const options = answer.options.filter(({ insert }) => insert.trim() !== typed || answer.options.length > 1);
    found = { ...answer, options };
    list.hidden = options.length === 0;
    fill(list, options.map(optionItem));
    const naming = answer.start === 0 && !options.some(({ insert }) => insert.trim() === typed);
    active.moveTo(naming && options.length ? 0 : -1);
  }

  function optionItem({ insert, label }, at) {
    return h(
      "li",
      {
        id: `completion-${at}`,
        role: "option",
        "aria-selected": "false",
        on: { pointerdown: (event) => event.preventDefault(), click: () => accept(at) },
      },
      h("span", { class: "completion-insert" }, insert.trim()),
      h("span", { class: "completion-label" }, COMMANDS.includes(insert.trim()) ? t(`session.command.${insert.trim().slice(1)}`) : label),
    );
  }

  function accept(at) {
    const { start, end, options } = found;
    const { insert } = options[at];
    const space = start > 0 && !/[\s=]$/.test(insert) && end === area.value.length ? " " : "";
    area.setRangeText(insert + space, start, end, "end");
    close();
    onChange();
    refresh();
  }

  function onKey(event) {
    if (list.hidden || event.isComposing) return false;
    const stale = found.text !== area.value;
    const count = found.options.length;
    if (event.key === "ArrowDown") active.moveTo((active.at + 1) % count);
    else if (event.key === "ArrowUp") active.moveTo(active.at <= 0 ? count - 1 : active.at - 1);
    else if (event.key === "Tab" && !event.shiftKey) {
      if (!stale) accept(Math.max(active.at, 0));
    } else if (event.key === "Enter" && !event.shiftKey && active.at >= 0 && !stale) accept(active.at);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    return true;
  }

  return { element: list, refresh, close, onKey };
}
