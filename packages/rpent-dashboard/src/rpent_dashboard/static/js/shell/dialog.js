/**
 * A modal dialog: the browser's own element, which keeps the focus inside, closes on Escape and gives the focus back.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

let count = 0;

/**
 * Open a dialog.
 *
 * @param {string} title Its heading.
 * @param {any} content What `h` takes as children.
 * @param {any[]} [actions] Further buttons at its foot.
 * @param {string} [closing] Text of the button that closes it.
 * @returns {HTMLDialogElement} Closed with `close()`; it removes itself.
 */
export function openDialog(title, content, actions = [], closing = t("shell.close")) {
  const id = `dialog-${(count += 1)}`;
  const close = h("button", { class: "btn", type: "button", on: { click: () => dialog.close() } }, closing);
  const dialog = h(
    "dialog",
    {
      class: "dialog",
      "aria-labelledby": id,
      on: { close: () => dialog.remove(), click: (event) => event.target === dialog && dialog.close() },
    },
    h(
      "div",
      { class: "dialog-body stack" },
      h("h2", { id }, title),
      content,
      h("div", { class: "row row-end" }, actions, close),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Ask before something that cannot be undone.
 *
 * @returns {Promise<boolean>} Whether the user agreed.
 */
export function confirmDialog(title, text, label) {
  return new Promise((resolve) => {
    let agreed = false;
    const yes = h(
      "button",
      { class: "btn btn-danger", type: "button", on: { click: () => ((agreed = true), dialog.close()) } },
      label,
    );
    const dialog = openDialog(title, h("p", {}, text), [yes], t("shell.cancel"));
    dialog.addEventListener("close", () => resolve(agreed));
  });
}
