/**
 * Single-key shortcuts: each page names its own, `?` lists those in force, and they can be switched off.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { openDialog } from "/static/js/shell/dialog.js";

const STORED = "rpent.shortcuts";
const groups = new Set();

/** Whether single keys do something. */
export const shortcutsOn = () => localStorage.getItem(STORED) !== "off";

/**
 * Bind keys until the returned function is called. They rest while somebody types, in dialogs, and with Ctrl, Alt or
 * Meta held.
 *
 * @param {string} title Heading in the list of shortcuts.
 * @param {Array<{keys: string[], label: string, run: (event: KeyboardEvent) => void | boolean}>} bindings `keys` as in
 *   `KeyboardEvent.key`; a `run` that returns false leaves the key to the browser.
 * @returns {() => void} Unbinds.
 */
export function bindKeys(title, bindings) {
  const group = { title, bindings };
  groups.add(group);
  return () => groups.delete(group);
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]") || !shortcutsOn()) return;
  for (const { bindings } of [...groups].reverse()) {
    const found = bindings.find(({ keys }) => keys.includes(event.key));
    if (found && found.run(event) !== false) {
      event.preventDefault();
      return;
    }
  }
});

/** Whether keys belong to what has the focus. */
function isTyping(target) {
  return (
    target instanceof Element &&
    target.closest(
      "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]",
    ) !== null
  );
}

const NAMES = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "␣", Escape: "Esc" };

/** What is done → the keys that do it. */
function byLabel(bindings) {
  const found = new Map();
  for (const { keys, label } of bindings) found.set(label, [...(found.get(label) ?? []), ...keys]);
  return found;
}

/** Show the shortcuts in force. */
export function showShortcuts() {
  const sections = [...groups].map(({ title, bindings }) => [
    h("h3", {}, title),
    h(
      "dl",
      { class: "shortcuts" },
      [...byLabel(bindings)].map(([label, keys]) => [
        h(
          "dt",
          {},
          keys.map((key) => h("kbd", {}, NAMES[key] ?? key)),
        ),
        h("dd", {}, label),
      ]),
    ),
  ]);
  const off = h("input", {
    type: "checkbox",
    checked: shortcutsOn(),
    on: { change: (event) => localStorage.setItem(STORED, event.target.checked ? "on" : "off") },
  });
  openDialog(t("shell.keys.title"), [...sections, h("label", { class: "check" }, off, t("shell.keys.enable"))]);
}
