/**
 * One run in the list: a row of the table, which narrow screens show as a card.
 */
import { h } from "/static/js/dom.js";
import { moment, t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";
import { ago, cost, count, duration, MISSING } from "/static/js/shell/format.js";
import { outcomeBadge } from "/static/js/shell/outcome.js";

/** Address of a run's picture. */
export const pictureAddress = (key, { path, sha256 }) =>
  `/api/runs/${encodeURIComponent(key)}/pictures/${sha256 || "-"}/${path.split("/").map(encodeURIComponent).join("/")}`;

/** Whether a row changes with time although its data stays. */
export const isRunning = (run) => run.state === "running";

/**
 * Draw a run.
 *
 * @param {Object} run A row of `/api/runs`.
 * @param {boolean} selected Whether it is selected for comparing.
 * @param {{select: (key: string, on: boolean) => void, inSession: (name: string) => void}} actions
 */
export function runRow(run, selected, actions) {
  return h(
    "tr",
    { class: selected ? "lib-row is-selected" : "lib-row", role: "row", dataset: { key: run.key } },
    cell("lib-select", selectBox(run, selected, actions)),
    cell("lib-picture", thumbnail(run)),
    cell("lib-task", taskOf(run, actions)),
    cell("lib-planner", plannerOf(run)),
    cell(
      "lib-outcome",
      outcomeBadge(run.outcome),
      run.attempts > 1 && h("div", { class: "muted small" }, t("library.attempts", { count: run.attempts })),
    ),
    cell("lib-when", whenOf(run)),
    cell(
      "lib-duration num",
      named("duration"),
      duration(isRunning(run) ? Date.now() / 1000 - run.created : run.duration_s),
    ),
    cell("lib-cost num", named("cost"), cost(run.cost_usd)),
    cell("lib-calls num", named("calls"), count(run.tool_calls)),
  );
}

const cell = (name, ...content) => h("td", { class: name, role: "cell" }, content);

/** The column's name, where the card has no heads. */
const named = (column) => h("span", { class: "cell-name muted" }, `${t(`library.column.${column}`)} `);

function selectBox(run, selected, { select }) {
  const label = t("library.select", { name: run.name });
  return h("input", {
    type: "checkbox",
    checked: selected,
    "aria-label": label,
    on: { change: (event) => select(run.key, event.target.checked) },
  });
}

function thumbnail(run) {
  if (!run.thumbnail) return h("span", { class: "thumbnail thumbnail-none", "aria-hidden": "true" });
  return h("img", {
    class: "thumbnail",
    src: pictureAddress(run.key, run.thumbnail),
    alt: "",
    loading: "lazy",
    decoding: "async",
    width: 64,
    height: 64,
  });
}

function taskOf(run, { inSession }) {
  const facts = [
    run.robot,
    run.suite,
    run.task !== null && run.task !== undefined && t("library.task", { task: run.task }),
    run.seed !== null && run.seed !== undefined && t("library.seed", { seed: run.seed }),
  ];
  const session =
    run.session &&
    h(
      "button",
      {
        class: "link-button",
        type: "button",
        title: t("library.onlySession"),
        on: { click: () => inSession(run.session) },
      },
      `▤ ${run.session}`,
    );
  return [
    h("a", { class: "lib-link", href: routeTo("run", [run.key]) }, run.instruction || run.name),
    h(
      "div",
      { class: "muted small lib-facts" },
      facts.filter(Boolean).map((fact) => h("span", {}, fact)),
      session,
    ),
    run.problem ? h("div", { class: "small lib-problem" }, run.problem) : null,
  ];
}

function plannerOf(run) {
  const planners = run.planners?.length > 1 ? run.planners.join(" → ") : (run.planner ?? MISSING);
  return [
    h("span", {}, planners || MISSING),
    run.model && h("div", { class: "muted small mono lib-model", title: run.model }, run.model),
    run.policy && h("div", { class: "muted small" }, run.policy),
  ];
}

function whenOf(run) {
  if (!run.created) return MISSING;
  return h(
    "time",
    { datetime: new Date(run.created * 1000).toISOString(), title: moment(run.created) },
    ago(run.created),
  );
}
