/**
 * What a task's and a service's state is called, and how it is marked.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { outcomeBadge } from "/static/js/shell/outcome.js";

const SERVICES = {
  ready: ["✓", "ok"],
  attached: ["✓", "ok"],
  starting: ["▷", "accent"],
  stopped: ["■", "muted"],
  failed: ["✗", "error"],
  lost: ["✗", "error"],
};

/** Task states in which something is still to come. */
export const OPEN_STATES = ["queued", "starting", "running"];

/** A task's state: its outcome where it has ended. */
export const taskBadge = (task) => outcomeBadge(task.status === "ended" ? (task.outcome ?? "unknown") : task.status);

/** A service's state; a word that is not known stays as it is. */
export function serviceBadge(state) {
  const [symbol, kind] = SERVICES[state] ?? ["•", "muted"];
  return h(
    "span",
    { class: `badge badge-${kind}` },
    h("span", { class: "badge-symbol", "aria-hidden": "true" }, symbol),
    state in SERVICES ? t(`session.service.${state}`) : state,
  );
}

/** Which planner decides, and with which model. */
export const plannerAndModel = ({ planner, model }) => [planner, model].filter(Boolean).join(" · ");
