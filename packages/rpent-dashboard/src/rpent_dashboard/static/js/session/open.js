/**
 * An open session: its head, the run that is looked at, the panels beside it, and the composer below.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { mountRun } from "/static/js/run/page.js";
import { Composer } from "/static/js/session/composer.js";
import { failures } from "/static/js/session/failures.js";
import { sessionHead } from "/static/js/session/head.js";
import { nextTask } from "/static/js/session/next_task.js";
import { queuePanel } from "/static/js/session/queue.js";
import { tabList } from "/static/js/session/tabs.js";
import { toolsPanel } from "/static/js/session/tools.js";
import { bindKeys } from "/static/js/shell/keys.js";

const NARROW = "(max-width: 900px)";

/**
 * Make the page of an open session.
 *
 * @returns {{element: HTMLElement, update: (state: object) => void, unmount: () => void}}
 */
export function openSession() {
  let state = null;
  const run = runPane({ onFollow: () => choose(null) });
  const parts = { head: sessionHead(), next: nextTask(), tools: toolsPanel(), composer: new Composer() };
  const queue = queuePanel({ onShow: choose, form: parts.next.element });
  const tasks = h("div", { class: "session-panel" }, queue.element);
  const controls = h("div", { class: "session-panel" }, parts.tools.element);
  const tabs = tabList(t("session.panels"), [
    { name: "run", text: t("session.tab.run"), panel: run.element },
    { name: "tasks", text: t("session.tab.tasks"), panel: tasks },
    { name: "controls", text: t("session.tab.controls"), panel: controls },
  ]);
  const element = h(
    "div",
    { class: "session-open" },
    parts.head.element,
    h("div", { class: "session-columns" }, run.element, h("div", { class: "session-side" }, tabs.element, tasks, controls)),
    parts.composer.element,
  );
  const narrow = matchMedia(NARROW);
  const sayFailures = failures();
  const onWidth = () => {
    if (!narrow.matches && tabs.selected() === "run") tabs.select("tasks");
  };
  narrow.addEventListener("change", onWidth);
  tabs.select("tasks");

  const unbind = bindKeys(t("session.title"), [
    { keys: ["m"], label: t("session.key.write"), run: () => parts.composer.focus() },
    { keys: ["t"], label: t("session.tab.tasks"), run: () => tabs.select("tasks") },
    { keys: ["c"], label: t("session.tab.controls"), run: () => tabs.select("controls") },
    { keys: ["Escape"], label: t("session.composer.interrupt"), run: () => parts.composer.interrupt() },
  ]);

  function choose(id) {
    run.choose(id);
    if (!state) return;
    queue.update(state, run.update(state));
    if (narrow.matches) tabs.select("run");
  }
  function update(next) {
    if (!state && narrow.matches && next.tasks.some((task) => task.run)) tabs.select("run");
    state = next;
    sayFailures(state.tasks);
    queue.update(state, run.update(state));
    for (const part of [parts.head, parts.next, parts.tools, parts.composer]) part.update(state);
  }
  function unmount() {
    narrow.removeEventListener("change", onWidth);
    unbind();
    run.unmount();
  }
  return { element, update, unmount };
}

/** The run of the chosen task; without a choice of the one that runs, or of the last that ran. */
function runPane({ onFollow }) {
  let chosen = null;
  let key = null;
  let unmount = () => {};
  const follow = h("button", { type: "button", class: "btn btn-small", on: { click: onFollow } }, t("session.follow"));
  const bar = h("p", { class: "notice notice-info", hidden: true }, h("span", { class: "grow" }, t("session.notFollowing")), follow);
  const place = h("div", { class: "session-run-place" });
  const element = h("section", { class: "session-run" }, bar, place);

  function update(state) {
    const followed = state.tasks.find(({ id }) => id === state.current) ?? state.tasks.findLast((task) => task.run) ?? null;
    const task = state.tasks.find(({ id }) => id === chosen) ?? followed;
    bar.hidden = !task || task === followed;
    show(task);
    return task?.id ?? null;
  }

  function show(task) {
    const wanted = task ? (task.run ?? `waiting:${task.id}`) : "";
    if (wanted === key) return;
    key = wanted;
    unmount();
    unmount = () => {};
    place.replaceChildren();
    if (task?.run) unmount = mountRun(place, task.run, { embedded: true });
    else place.append(h("p", { class: "session-nothing muted" }, t(task ? "session.runStarting" : "session.noRun")));
  }

  const choose = (id) => {
    chosen = id;
  };
  return { element, update, choose, unmount: () => unmount() };
}
