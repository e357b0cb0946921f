/**
 * The next task by form: which one, and who plans it.
 */
import { get, post } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { schemaForm } from "/static/js/forms/schema_form.js";
import { act, sentence } from "/static/js/session/act.js";
import { taskChoices } from "/static/js/session/choices.js";
import { TASK_COMMAND } from "/static/js/session/listener.js";
import { modelFirst, modelsFor, pluginChoice } from "/static/js/session/plugin_choice.js";
import { plannerAndModel } from "/static/js/session/status.js";
import { inline } from "/static/js/shell/inline.js";

/**
 * Make the panel.
 *
 * @returns {{element: HTMLElement, update: (state: object) => void}}
 */
export function nextTask() {
  let drawn = "";
  let form = null;
  let planner = null;
  let state = null;
  const fields = h("div", {});
  const plannerPlace = h("div", { class: "panel-body" });
  const plannerNow = h("span", { class: "muted" });
  const problem = h("p", { class: "notice notice-error", role: "alert", hidden: true });
  const button = h("button", { type: "submit", class: "btn btn-primary" }, t("session.next.queue"));
  const element = h(
    "details",
    { class: "panel session-next", open: true },
    h("summary", { class: "panel-head" }, h("h2", {}, t("session.next.title"))),
    h(
      "form",
      { class: "panel-body stack", novalidate: true, "aria-label": t("session.next.title"), on: { submit: onSubmit } },
      fields,
      h("details", { class: "panel session-next-planner" }, h("summary", { class: "panel-head" }, h("span", {}, t("session.next.planner")), plannerNow), plannerPlace),
      problem,
      h("div", { class: "row" }, button),
    ),
  );

  function update(next) {
    state = next;
    button.disabled = !state.open;
    const now = JSON.stringify([state.name, state.schema, state.planners, state.planner, state.planner_config]);
    if (now === drawn) return;
    drawn = now;
    draw();
  }

  async function draw() {
    form = schemaForm(state.schema, { suggest: taskChoices(TASK_COMMAND) });
    fill(fields, form.node);
    const { models = [] } = await get("/api/launch").catch(() => ({}));
    planner = pluginChoice({ id: "next-planner", label: t("session.planner"), plugins: state.planners, suggest: modelsFor(models), primary: modelFirst, onChange: showPlanner });
    planner.choose(state.planner, state.planner_config);
    fill(plannerPlace, planner.element);
    showPlanner();
  }

  function showPlanner() {
    const model = planner.form()?.peek().model;
    setText(plannerNow, plannerAndModel({ planner: planner.name(), model }));
  }

  async function onSubmit(event) {
    event.preventDefault();
    setProblem("");
    const chosen = planner?.form();
    if (!form?.validate() || (chosen && !chosen.validate())) return;
    const body = { values: form.values(), ...plannerOf(planner, state) };
    await act("queue", () => post("/api/session/tasks", body), { done: t("session.composer.queued"), failed });
  }

  function failed(error) {
    const [part, ...path] = error.field.split(".");
    const holder = part === "values" ? form : part === "planner_config" ? planner?.form() : null;
    if (!holder?.showError(path.join("."), sentence(error))) setProblem(sentence(error));
    return true;
  }
  function setProblem(text) {
    fill(problem, inline(text));
    problem.hidden = !text;
  }
  return { element, update };
}

/** The planner to send; nothing where it is the session's own, unchanged. Null takes a value of the session back. */
function plannerOf(planner, state) {
  if (!planner) return {};
  const given = planner.form()?.values() ?? {};
  if (planner.name() !== state.planner) return { planner: planner.name(), planner_config: given };
  const before = state.planner_config;
  const names = new Set([...Object.keys(given), ...Object.keys(before)]);
  const changed = [...names].filter((name) => JSON.stringify(given[name]) !== JSON.stringify(before[name]));
  if (!changed.length) return {};
  return { planner: state.planner, planner_config: Object.fromEntries(changed.map((name) => [name, given[name] ?? null])) };
}
