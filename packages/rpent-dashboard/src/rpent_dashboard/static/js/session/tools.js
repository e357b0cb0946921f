/**
 * The robot's tools that a person may call, each with a form; they rest while a planner holds the robot.
 */
import { get } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { MANUAL, currentTask } from "/static/js/session/listener.js";
import { toolForm } from "/static/js/session/tool_form.js";
import { toastError } from "/static/js/shell/announce.js";

/**
 * Make the panel.
 *
 * @returns {{element: HTMLElement, update: (state: object) => void}}
 */
export function toolsPanel() {
  let asked = "";
  let state = null;
  let forms = [];
  const note = h("p", { class: "notice session-tools-note", role: "status" });
  const list = h("div", { class: "session-tools" });
  const element = h("section", { class: "stack", "aria-label": t("session.tools.title") }, note, list);

  function update(next) {
    state = next;
    const reason = whyNot(state);
    setText(note, reason || t(currentTask(state)?.planner === MANUAL ? "session.tools.yoursManual" : "session.tools.yours"));
    note.classList.toggle("notice-ok", !reason);
    note.classList.toggle("notice-info", Boolean(reason));
    for (const form of forms) form.disable(Boolean(reason));
    const now = JSON.stringify([state.current, state.can_call, state.activity === "starting"]);
    if (now === asked) return;
    asked = now;
    if (state.current) fetchTools(now);
  }

  async function fetchTools(mine) {
    try {
      const tools = await get("/api/session/tools");
      if (mine === asked) draw(tools);
    } catch (error) {
      if (mine === asked && error.status !== 409) toastError(error);
    }
  }

  function draw(tools) {
    const names = JSON.stringify(tools);
    if (list.dataset.tools === names) return;
    list.dataset.tools = names;
    forms = tools.map((tool) => toolForm(tool, state.robot));
    for (const form of forms) form.disable(Boolean(whyNot(state)));
    fill(list, forms.map((form) => form.element));
  }
  return { element, update };
}

/** Why the tools rest; empty where they may be called. */
function whyNot(state) {
  if (state.can_call) return state.activity === "busy" ? t("session.tools.underWay") : "";
  if (!state.open) return t("session.composer.closed");
  const task = currentTask(state);
  if (!task) return t("session.tools.noTask");
  if (state.activity === "starting") return t("session.tools.starting");
  if (state.activity === "closing") return t("session.composer.ending");
  if (state.holds) return t("session.tools.held", { planner: task.planner });
  return t("session.tools.notNow");
}
