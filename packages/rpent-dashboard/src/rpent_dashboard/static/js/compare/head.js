/**
 * Who a run is: task, planner, model, outcome.
 */
import { fill, h } from "/static/js/dom.js";
import { moment, t } from "/static/js/i18n.js";
import { inline } from "/static/js/shell/inline.js";
import { outcomeBadge } from "/static/js/shell/outcome.js";

const FACTS = ["robot", "suite", "task", "seed", "planner", "model", "policy"];

/** Draw a side's head; nothing happens where it would look the same. */
export function drawHead(node, side, name, address) {
  const { row, problem } = side;
  const looks = JSON.stringify([row, problem?.message, address]);
  if (node.dataset.looks === looks) return;
  const inside = node.contains(document.activeElement);
  node.dataset.looks = looks;
  fill(node, problem && !row.key ? refusal(problem, side.key) : content(row, name, address, side.key));
  if (inside) node.querySelector("a")?.focus();
}

function content(row, name, address, key) {
  const facts = FACTS.filter((fact) => row[fact] !== null && row[fact] !== undefined && row[fact] !== "").map(
    (fact) => [h("dt", {}, t(`compare.fact.${fact}`)), h("dd", {}, String(row[fact]))],
  );
  return [
    h(
      "div",
      { class: "panel-head" },
      h("span", { class: "compare-mark" }, name),
      h("h2", { class: "grow" }, row.instruction || row.name || key),
      row.outcome && outcomeBadge(row.outcome),
    ),
    h(
      "div",
      { class: "panel-body stack-s" },
      h(
        "dl",
        { class: "facts small" },
        facts,
        row.created ? [h("dt", {}, t("compare.fact.created")), h("dd", {}, moment(row.created))] : null,
      ),
      row.detail && h("p", { class: "small muted" }, inline(row.detail)),
      row.problem && h("p", { class: "notice notice-warn small" }, row.problem),
      h("div", {}, h("a", { class: "btn btn-small", href: address }, t("compare.open", { name }))),
    ),
  ];
}

const refusal = (problem, key) =>
  h(
    "div",
    { class: "panel-body stack-s" },
    h("p", { class: "mono small" }, key),
    h("p", { class: "notice notice-error", role: "alert" }, inline([problem.message, problem.hint].filter(Boolean).join(" "))),
  );
