/**
 * The line at the bottom: messages to the planner, commands, and the interrupt.
 */
import { post } from "/static/js/api.js";
import { h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { act, sentence } from "/static/js/session/act.js";
import { completion } from "/static/js/session/completion.js";
import { draft, inputHistory } from "/static/js/session/history.js";
import { COMMANDS, TASK_COMMAND, canInterrupt, isCommand, nobodyListens } from "/static/js/session/listener.js";

const CONFIRMED_MS = 3000;

/**
 * Make the composer.
 *
 * @returns {{element: HTMLElement, update: (state: object) => void, interrupt: () => boolean, focus: () => void}}
 */
export function composer() {
  let state = null;
  let confirmed = "";
  let timer = 0;
  const past = inputHistory();
  const area = h("textarea", {
    id: "composer-text",
    rows: "1",
    spellcheck: "true",
    autocomplete: "off",
    "aria-label": t("session.composer.label"),
    "aria-describedby": "composer-effect composer-keys",
    placeholder: t("session.composer.placeholder"),
    value: draft.read(),
  });
  const send = h("button", { type: "submit", class: "btn btn-primary" }, t("session.composer.send"));
  const stop = h("button", { type: "button", class: "btn btn-danger", on: { click: interrupt } }, t("session.composer.interrupt"));
  const effect = h("p", { id: "composer-effect", class: "composer-effect" });
  const pending = h("p", { class: "composer-pending", role: "status" });
  const problem = h("p", { class: "composer-problem", role: "alert", hidden: true });
  const options = completion(area, changed);
  const element = h(
    "form",
    { class: "composer", "aria-label": t("session.composer.form"), on: { submit: onSubmit } },
    options.element,
    problem,
    h("div", { class: "composer-row" }, area, h("div", { class: "composer-buttons" }, stop, send)),
    h("div", { class: "composer-notes" }, effect, pending, h("p", { id: "composer-keys", class: "composer-keys" }, t("session.composer.keys"))),
  );
  area.addEventListener("input", () => {
    past.leave();
    changed();
    options.refresh();
  });
  area.addEventListener("keydown", onKey);

  function changed() {
    draft.write(area.value);
    showProblem("");
    resize();
    show();
  }

  function resize() {
    area.style.setProperty("height", "auto");
    area.style.setProperty("height", `${Math.min(area.scrollHeight + 2, 220)}px`);
  }

  function showProblem(text) {
    setText(problem, text);
    problem.hidden = !text;
    area.toggleAttribute("aria-invalid", Boolean(text));
  }

  function show() {
    if (!state) return;
    const text = area.value.trim();
    const { note, refused } = outlook(text, state);
    setText(effect, (!text && confirmed) || note);
    effect.classList.toggle("composer-confirmed", Boolean(!text && confirmed));
    effect.classList.toggle("composer-refused", refused);
    send.disabled = !text || refused;
    stop.disabled = !canInterrupt(state);
    const count = state.pending_messages ?? 0;
    setText(pending, count === 1 ? t("session.composer.pendingOne") : count ? t("session.composer.pending", { count }) : "");
  }

  function onKey(event) {
    if (event.isComposing || options.onKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit(event.ctrlKey || event.metaKey);
    } else if (event.key === "Escape") {
      event.preventDefault();
      interrupt();
    } else if (event.key === "ArrowUp" && (past.walking() || !area.value)) recall(event, past.back(area.value));
    else if (event.key === "ArrowDown" && past.walking()) recall(event, past.forward());
  }

  function recall(event, text) {
    event.preventDefault();
    if (text === null) return;
    area.value = text;
    area.setSelectionRange(text.length, text.length);
    changed();
  }

  function onSubmit(event) {
    event.preventDefault();
    submit(false);
  }

  async function submit(interrupts) {
    const text = area.value.trim();
    if (!state || !text || outlook(text, state).refused) return;
    options.close();
    const failed = (error) => {
      showProblem(sentence(error));
      return true;
    };
    const [request, done] = isCommand(text) ? commandRequest(text, state) : messageRequest(text, interrupts);
    if (!request) return help();
    if (!(await act(`compose:${text}`, request, { done, failed }))) return;
    past.add(text);
    confirm(done);
    if (area.value.trim() === text) area.value = "";
    changed();
  }

  /** Say for a moment, in place of what would happen, that it has happened. */
  function confirm(done) {
    confirmed = done;
    clearTimeout(timer);
    timer = setTimeout(() => ((confirmed = ""), show()), CONFIRMED_MS);
  }

  function help() {
    area.value = "/";
    area.focus();
    changed();
    options.refresh();
  }

  /** Interrupt; false where nothing is under way. */
  function interrupt() {
    if (!state || !canInterrupt(state)) return false;
    act("interrupt", () => post("/api/session/interrupt"), { done: t("session.composer.interrupted") });
    return true;
  }

  function update(next) {
    state = next;
    show();
  }
  requestAnimationFrame(resize);
  return { element, update, interrupt, focus: () => area.focus() };
}

function messageRequest(text, interrupts) {
  return [() => post("/api/session/messages", { text, interrupt: interrupts }), t("session.composer.sent")];
}

/** What a command asks of the server, and what to say when it is done; nothing where it asks nothing. */
function commandRequest(text, state) {
  const name = commandName(text);
  if (name === "/help") return [];
  if (name === "/interrupt") return [() => post("/api/session/interrupt"), t("session.composer.interrupted")];
  if (name === "/stop") return [() => post(`/api/session/tasks/${encodeURIComponent(state.current)}/stop`), t("session.stop.done")];
  return [() => post("/api/session/tasks", { command: text }), t("session.composer.queued")];
}

const commandName = (text) => text.split(/\s/, 1)[0];

/** What would happen to a text: a note for the user, and whether it would be refused. */
function outlook(text, state) {
  if (!state.open) return { note: t("session.composer.closed"), refused: true };
  if (isCommand(text)) return commandOutlook(commandName(text), state);
  const reason = nobodyListens(state);
  if (reason) return { note: `${reason} ${t("session.composer.commandsWork", { command: TASK_COMMAND })}`, refused: true };
  const to = { awaiting: "toWaiting", starting: "toStarting" }[state.activity] ?? "toPlanner";
  return { note: t(`session.composer.${to}`), refused: false };
}

function commandOutlook(name, state) {
  const known = COMMANDS.includes(name);
  if (!known && COMMANDS.some((command) => command.startsWith(name))) return { note: t("session.composer.command"), refused: true };
  if (!known) return { note: t("session.composer.unknown", { name, commands: COMMANDS.join(" ") }), refused: true };
  if (name === "/interrupt" && !canInterrupt(state)) return { note: t("session.composer.nothing"), refused: true };
  if (name === "/stop" && !state.current) return { note: t("session.composer.nothing"), refused: true };
  return { note: t(`session.command.${name.slice(1)}`), refused: false };
}
