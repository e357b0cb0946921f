/**
 * Saying something without moving the focus: to screen readers (`announce`), and to everybody (`toast`).
 */
import { append, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { inline } from "/static/js/shell/inline.js";

const SHOWN_MS = 6000;
const polite = h("div", { class: "visually-hidden", "aria-live": "polite", "aria-atomic": "true" });
const assertive = h("div", { class: "visually-hidden", "aria-live": "assertive", "aria-atomic": "true" });
const toasts = h("div", { class: "toasts", role: "region", "aria-live": "polite" });

/** The live regions; the page holds them once, from the start. */
export function liveRegions() {
  toasts.setAttribute("aria-label", t("shell.notifications"));
  return [polite, assertive, toasts];
}

/** Tell screen readers something; `urgent` interrupts what they are reading. */
export function announce(text, { urgent = false } = {}) {
  const region = urgent ? assertive : polite;
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 50);
}

/**
 * Show a short message in the corner. It goes by itself, but not while the pointer or the focus is on it; errors stay
 * until they are closed.
 *
 * @param {string} text The message.
 * @param {{kind?: "info" | "ok" | "warn" | "error", action?: {label: string, run: () => void}}} [options]
 * @returns {() => void} Takes it away.
 */
export function toast(text, { kind = "info", action = null } = {}) {
  let timer = 0;
  const close = () => {
    clearTimeout(timer);
    node.remove();
  };
  const wait = () => {
    clearTimeout(timer);
    if (kind !== "error") timer = setTimeout(close, SHOWN_MS);
  };
  const node = h(
    "div",
    {
      class: `toast notice notice-${kind}`,
      role: kind === "error" ? "alert" : null,
      on: {
        pointerenter: () => clearTimeout(timer),
        pointerleave: wait,
        focusin: () => clearTimeout(timer),
        focusout: wait,
      },
    },
    h("span", { class: "grow" }, inline(text)),
  );
  if (action)
    append(
      node,
      h(
        "button",
        { class: "btn btn-small", type: "button", on: { click: () => (close(), action.run()) } },
        action.label,
      ),
    );
  append(
    node,
    h(
      "button",
      { class: "btn btn-quiet btn-small", type: "button", "aria-label": t("shell.close"), on: { click: close } },
      "✕",
    ),
  );
  toasts.append(node);
  wait();
  return close;
}

/** Show what went wrong: the sentence, and the hint where there is one. */
export const toastError = (error) => toast([error.message, error.hint].filter(Boolean).join(" "), { kind: "error" });
