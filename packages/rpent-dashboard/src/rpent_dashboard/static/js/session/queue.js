/**
 * The session's tasks: what runs, what waits, what is done.
 */
import { del, post } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { currentLanguage, moment, t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";
import { act } from "/static/js/session/act.js";
import { OPEN_STATES, plannerAndModel, taskBadge } from "/static/js/session/status.js";
import { confirmDialog } from "/static/js/shell/dialog.js";
import { inline } from "/static/js/shell/inline.js";

const GROUPS = {
  now: (task) => ["starting", "running"].includes(task.status),
  waiting: (task) => task.status === "queued",
  done: (task) => !OPEN_STATES.includes(task.status),
};

/**
 * Make the queue panel.
 *
 * @param {{onShow: (id: string) => void, form: HTMLElement}} options `onShow`: a task was chosen to be looked at. `form`:
 *   what makes the next task; it stands between what is to come and what is done.
 * @returns {{element: HTMLElement, update: (state: object, shown: string|null) => void}}
 */
export function queuePanel({ onShow, form }) {
  const rows = new Map();
  const groups = Object.fromEntries(Object.keys(GROUPS).map((name) => [name, group(name)]));
  const empty = h("p", { class: "muted" }, t("session.queue.empty"));
  const { now, waiting, done } = groups;
  const element = h("div", { class: "session-queue" }, empty, now.section, waiting.section, form, done.section);

  function update(state, shown) {
    empty.hidden = state.tasks.length > 0;
    for (const task of state.tasks) {
      if (!rows.has(task.id)) rows.set(task.id, taskRow(onShow));
      rows.get(task.id).update(task, state, task.id === shown);
    }
    for (const [name, belongs] of Object.entries(GROUPS)) {
      const tasks = state.tasks.filter(belongs);
      if (name === "done") tasks.reverse();
      groups[name].update(tasks.map(({ id }) => rows.get(id).element));
    }
  }
  return { element, update };
}

function group(name) {
  const count = h("span", { class: "session-count" });
  const list = h("ul", { class: "session-tasks" });
  const section = h(
    "section",
    { class: `session-group session-group-${name}`, "aria-labelledby": `queue-${name}` },
    h("h3", { id: `queue-${name}` }, t(`session.queue.${name}`), " ", count),
    list,
  );
  function update(elements) {
    section.hidden = elements.length === 0;
    setText(count, elements.length);
    const same = elements.length === list.children.length && elements.every((node, at) => list.children[at] === node);
    if (same) return;
    const focused = document.activeElement;
    list.replaceChildren(...elements);
    if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  }
  return { section, update };
}

function taskRow(onShow) {
  let id = null;
  let drawn = "";
  const label = h("button", { type: "button", class: "session-task-label", on: { click: () => onShow(id) } });
  const facts = h("div", { class: "session-task-facts" });
  const detail = h("p", { class: "session-task-detail" });
  const buttons = h("div", { class: "session-task-buttons" });
  const element = h("li", { class: "session-task" }, label, h("div", { class: "session-task-row" }, facts, buttons), detail);

  function update(task, state, shown) {
    id = task.id;
    element.classList.toggle("session-shown", shown);
    label.setAttribute("aria-pressed", String(shown));
    const now = JSON.stringify([task, state.open]);
    if (now === drawn) return;
    drawn = now;
    setText(label, task.label);
    label.disabled = !task.run && task.status !== "starting" && task.status !== "running";
    const tag = task.tag && task.tag !== task.label ? h("code", { class: "muted" }, task.tag) : null;
    fill(facts, taskBadge(task), h("span", {}, plannerAndModel(task)), tag, when(task));
    fill(detail, inline(whatWasSaid(task)));
    detail.hidden = !task.detail;
    const had = document.activeElement?.closest?.(".session-task-buttons") === buttons;
    fill(buttons, actions(task, state));
    if (had && !buttons.contains(document.activeElement)) label.focus({ preventScroll: true });
  }
  return { element, update };
}

/** How it ended, as one line: the sentence and the hint. */
export const whatWasSaid = ({ detail, hint }) => [detail, hint].filter(Boolean).join(" ");

function when(task) {
  const at = task.ended_at ?? task.started_at;
  if (!at || task.status === "queued") return null;
  const date = new Date(at * 1000);
  const today = date.toDateString() === new Date().toDateString();
  const text = today ? new Intl.DateTimeFormat(currentLanguage(), { timeStyle: "short" }).format(date) : moment(at);
  return h("time", { class: "muted", datetime: date.toISOString(), title: moment(at) }, text);
}

function actions(task, state) {
  const { id, label } = task;
  const path = `/api/session/tasks/${encodeURIComponent(id)}`;
  const button = (name, onClick, danger = false) =>
    h(
      "button",
      {
        type: "button",
        class: danger ? "btn btn-small btn-danger" : "btn btn-small",
        "aria-label": t(`session.queue.${name}Task`, { task: label }),
        on: { click: onClick },
      },
      t(`session.queue.${name}`),
    );
  const stop = async () => {
    if (await confirmDialog(t("session.stop.title"), t("session.stop.text", { task: label }), t("session.queue.stop")))
      await act(`stop:${id}`, () => post(`${path}/stop`), { done: t("session.stop.done") });
  };
  const withdraw = () => act(`withdraw:${id}`, () => del(path), { done: t("session.queue.withdrawn", { task: label }) });
  const again = () => act(`again:${id}`, () => post(`${path}/again`), { done: t("session.queue.queued", { task: label }) });
  return [
    task.run &&
      h("a", { class: "btn btn-small", href: routeTo("run", [task.run]), "aria-label": t("session.queue.openTask", { task: label }) }, t("session.queue.open")),
    state.open && ["starting", "running"].includes(task.status) && button("stop", stop, true),
    state.open && task.status === "queued" && button("withdraw", withdraw),
    state.open && !OPEN_STATES.includes(task.status) && button("again", again),
  ];
}
