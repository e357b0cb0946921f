/**
 * How a run ended, as a badge: a symbol and a word beside the colour.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

const LOOKS = {
  success: ["✓", "ok"],
  failure: ["✗", "error"],
  unknown: ["–", "muted"],
  running: ["▶", "accent"],
  queued: ["…", "muted"],
  starting: ["▷", "accent"],
  interrupted: ["‖", "warn"],
  infrastructure: ["!", "warn"],
  damaged: ["⚠", "error"],
  failed: ["✗", "error"],
  withdrawn: ["–", "muted"],
  ended: ["■", "muted"],
};

/** What people read for an outcome (or a state of a task); a word that is not known stays as it is. */
export const outcomeText = (outcome) => (Object.hasOwn(LOOKS, outcome) ? t(`shell.outcome.${outcome}`) : outcome);

/** The badge of an outcome: `success`, `failure`, `unknown`, `running`, `interrupted`, …. */
export function outcomeBadge(outcome, props = {}) {
  const [symbol, kind] = Object.hasOwn(LOOKS, outcome) ? LOOKS[outcome] : ["•", "muted"];
  return h(
    "span",
    { class: `badge badge-${kind}`, dataset: { outcome }, ...props },
    h("span", { class: "badge-symbol", "aria-hidden": "true" }, symbol),
    outcomeText(outcome),
  );
}
