/**
 * Small pieces that the rows and panels of a run are made of.
 */
import { h } from "/static/js/dom.js";
import { currentLanguage, t } from "/static/js/i18n.js";

/** A small label. */
export const chip = (text, look = "muted") => h("span", { class: `badge badge-${look} run-chip` }, text);

/** A symbol beside the colour, so that nobody depends on the colour. */
export function symbol(name) {
  const sign = { error: "✗", warning: "▲", ok: "✓" }[name];
  return sign ? h("span", { class: `run-sign run-sign-${name}`, "aria-hidden": "true" }, sign) : null;
}

/** `<details>` whose state is remembered and whose content is made when it is first opened. */
export function remembered(context, id, open, summary, make) {
  const isOpen = context.open.get(id) ?? open;
  const node = h("details", { class: "run-details", open: isOpen }, h("summary", {}, summary));
  const grow = () => node.childElementCount > 1 || node.append(...[make()].flat().filter(Boolean));
  if (isOpen) grow();
  node.addEventListener("toggle", () => {
    context.open.set(id, node.open);
    if (node.open) grow();
  });
  return node;
}

let format = null;
let formatLanguage = "";

/** Time of day. */
export function clock(seconds) {
  if (formatLanguage !== currentLanguage()) {
    formatLanguage = currentLanguage();
    format = new Intl.DateTimeFormat(formatLanguage, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  }
  return seconds ? format.format(new Date(seconds * 1000)) : "";
}

const named = (area) => (name) => {
  const text = t(`run.${area}.${name}`);
  return text === `run.${area}.${name}` ? String(name ?? "") : text;
};

/** Names of what the core reports; what is not known stays as it is. */
export const stateName = named("state");
export const stageName = named("stage");
export const reasonName = named("reason");
export const statusName = named("plannerStatus");
