/**
 * Who hears what is written, and what is held against it.
 */
import { t } from "/static/js/i18n.js";

/** Whether text is a command rather than a message. */
export const isCommand = (text) => text.startsWith("/");

/** The command that queues a task. */
export const TASK_COMMAND = "/rpent-task";

/** All commands. */
export const COMMANDS = [TASK_COMMAND, "/interrupt", "/stop", "/help"];

/** The planner that leaves everything to a person. */
export const MANUAL = "manual";

/** The task that runs now, or null. */
export const currentTask = (state) => state.tasks.find(({ id }) => id === state.current) ?? null;

/** Why a message would be heard by nobody; empty where somebody listens. */
export function nobodyListens(state) {
  if (!state.open) return t("session.composer.closed");
  const task = currentTask(state);
  if (!task) return t("session.composer.noTask");
  if (state.activity === "closing") return t("session.composer.ending");
  const converses = state.conversation ?? usesModel(state, task.planner);
  if (!converses) return t("session.composer.noConversation", { planner: task.planner });
  return "";
}

function usesModel(state, planner) {
  return state.planners.find(({ name }) => name === planner)?.uses_model ?? true;
}

/** Whether there is something that an interrupt would stop: the planner's work, or a call that somebody made by form. */
export const canInterrupt = (state) => state.open && state.activity === "busy";
