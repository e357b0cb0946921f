/**
 * The session's head: the robot, who plans, the shared services, and the way out.
 */
import { post, whoAmI } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { act } from "/static/js/session/act.js";
import { plannerAndModel, serviceBadge } from "/static/js/session/status.js";
import { confirmDialog } from "/static/js/shell/dialog.js";

/**
 * Make the head.
 *
 * @returns {{element: HTMLElement, update: (state: object) => void}}
 */
export function sessionHead() {
  let drawn = "";
  const title = h("h1", { class: "session-title" });
  const planner = h("span", { class: "session-planner" });
  const activity = h("span", { class: "session-activity" });
  const services = h("ul", { class: "session-services", "aria-label": t("session.services") });
  const problem = h("p", { class: "notice notice-error", role: "alert", hidden: true });
  const close = h("button", { type: "button", class: "btn btn-small btn-danger session-close", on: { click: closeSession } }, t("session.close"));
  const element = h(
    "header",
    { class: "session-head" },
    h("div", { class: "session-head-row" }, title, planner, activity, services, close),
    problem,
  );

  function update(state) {
    const now = JSON.stringify([state.name, state.robot, state.planner, state.model, state.services, state.activity, state.open, state.problem]);
    if (now === drawn) return;
    drawn = now;
    setText(title, state.robot);
    title.title = state.name;
    setText(planner, plannerAndModel(state));
    setText(activity, t(`session.activity.${state.open ? state.activity : "closed"}`));
    activity.dataset.activity = state.activity;
    fill(services, state.services.map((service) => serviceItem(service, state)));
    services.hidden = state.services.length === 0;
    setText(problem, state.problem);
    problem.hidden = !state.problem;
    close.disabled = !state.open;
  }
  return { element, update };
}

function serviceItem(service, state) {
  const label = state.dashboard?.service_labels?.[service.service] ?? service.service;
  return h(
    "li",
    { title: service.detail || null },
    h("span", { class: "session-service-name" }, label),
    serviceBadge(service.state),
    service.shared ? h("span", { class: "muted" }, t("session.shared")) : null,
  );
}

async function closeSession() {
  const { one_session: last } = await whoAmI();
  const text = [t("session.closing.text"), last ? t("session.closing.command") : ""].filter(Boolean).join(" ");
  if (await confirmDialog(t("session.closing.title"), text, t("session.close")))
    await act("close", () => post("/api/session/close"), { done: t("session.closing.done") });
}
