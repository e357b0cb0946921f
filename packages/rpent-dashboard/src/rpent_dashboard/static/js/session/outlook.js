/**
 * What becomes of a text: a message to the planner, a command, or nothing, and why.
 */
import { post } from "/static/js/api.js";
import { t } from "/static/js/i18n.js";
import { COMMANDS, MANUAL, TASK_COMMAND, canInterrupt, currentTask, isCommand, nobodyListens } from "/static/js/session/listener.js";

/**
 * What would happen to a text.
 *
 * @returns {{note: string, refused: boolean}} A note for the user, and whether it would be refused.
 */
export function outlook(text, state) {
  if (!state.open) return { note: t("session.composer.closed"), refused: true };
  if (isCommand(text)) return commandOutlook(commandName(text), state);
  const reason = nobodyListens(state);
  if (reason) return { note: `${reason} ${t("session.composer.commandsWork", { command: TASK_COMMAND })}`, refused: true };
  if (currentTask(state)?.planner === MANUAL) return { note: t("session.composer.toRecord"), refused: false };
  const to = { awaiting: "toWaiting", starting: "toStarting" }[state.activity] ?? "toPlanner";
  return { note: t(`session.composer.${to}`), refused: false };
}

function commandOutlook(name, state) {
  const refuse = (key, values) => ({ note: t(`session.composer.${key}`, values), refused: true });
  if (!COMMANDS.includes(name)) {
    if (COMMANDS.some((command) => command.startsWith(name))) return refuse("command");
    return refuse("unknown", { name, commands: COMMANDS.join(" ") });
  }
  const idle = (name === "/interrupt" && !canInterrupt(state)) || (name === "/stop" && !state.current);
  return idle ? refuse("nothing") : { note: t(`session.command.${name.slice(1)}`), refused: false };
}

/**
 * What a text asks of the server.
 *
 * @param {boolean} interrupts Whether a message also interrupts.
 * @returns {[(() => Promise<any>)?, string?]} The request, and what to say when it is done; empty where the page itself
 *   answers.
 */
export function requestOf(text, state, interrupts) {
  if (!isCommand(text)) return [() => post("/api/session/messages", { text, interrupt: interrupts }), t("session.composer.sent")];
  const name = commandName(text);
  if (name === "/help") return [];
  if (name === "/interrupt") return [() => post("/api/session/interrupt"), t("session.composer.interrupted")];
  if (name === "/stop") return [() => post(`/api/session/tasks/${encodeURIComponent(state.current)}/stop`), t("session.stop.done")];
  return [() => post("/api/session/tasks", { command: text }), t("session.composer.queued")];
}

const commandName = (text) => text.split(/\s/, 1)[0];
