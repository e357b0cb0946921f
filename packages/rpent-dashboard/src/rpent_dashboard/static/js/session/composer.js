/**
 * The line at the bottom: messages to the planner, commands, and the interrupt.
 */
import { post } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { act, sentence } from "/static/js/session/act.js";
import { completion } from "/static/js/session/completion.js";
import { draft, inputHistory } from "/static/js/session/history.js";
import { canInterrupt } from "/static/js/session/listener.js";
import { outlook, requestOf } from "/static/js/session/outlook.js";
import { inline } from "/static/js/shell/inline.js";

const CONFIRMED_MS = 3000;
const HIGHEST_PX = 220;

/** The composer; `element` is its form. */
export class Composer {
  constructor() {
    this.state = null;
    this.past = inputHistory();
    this.area = h("textarea", {
      id: "composer-text",
      rows: "1",
      spellcheck: "true",
      autocomplete: "off",
      "aria-label": t("session.composer.label"),
      "aria-describedby": "composer-effect composer-keys",
      placeholder: t("session.composer.placeholder"),
      value: draft.read(),
      on: { input: () => this.typed(), keydown: (event) => this.onKey(event) },
    });
    this.options = completion(this.area, () => this.changed());
    this.send = h("button", { type: "submit", class: "btn btn-primary" }, t("session.composer.send"));
    this.stop = h("button", { type: "button", class: "btn btn-danger", on: { click: () => this.interrupt() } }, t("session.composer.interrupt"));
    this.effect = h("p", { id: "composer-effect", class: "composer-effect" });
    this.pending = h("p", { class: "composer-pending", role: "status" });
    this.problem = h("p", { class: "composer-problem", role: "alert", hidden: true });
    this.element = this.draw();
    requestAnimationFrame(() => this.resize());
  }

  draw() {
    const onSubmit = (event) => {
      event.preventDefault();
      this.submit(false);
    };
    return h(
      "form",
      { class: "composer", "aria-label": t("session.composer.form"), on: { submit: onSubmit } },
      this.options.element,
      this.problem,
      h("div", { class: "composer-row" }, this.area, h("div", { class: "composer-buttons" }, this.stop, this.send)),
      h("div", { class: "composer-notes" }, this.effect, this.pending, h("p", { id: "composer-keys", class: "composer-keys" }, t("session.composer.keys"))),
    );
  }

  /** Show another state of the session. */
  update(state) {
    this.state = state;
    this.show();
  }

  /** Give the focus to the text. */
  focus() {
    this.area.focus();
  }

  show() {
    if (!this.state) return;
    const text = this.area.value.trim();
    const { note, refused } = outlook(text, this.state);
    const confirmed = text ? "" : (this.confirmed ?? "");
    setText(this.effect, confirmed || note);
    this.effect.classList.toggle("composer-confirmed", Boolean(confirmed));
    this.effect.classList.toggle("composer-refused", refused);
    this.send.disabled = !text || refused;
    this.stop.disabled = !canInterrupt(this.state);
    const count = this.state.pending_messages ?? 0;
    setText(this.pending, count === 1 ? t("session.composer.pendingOne") : count ? t("session.composer.pending", { count }) : "");
  }

  typed() {
    this.past.leave();
    this.changed();
    this.options.refresh();
  }

  changed() {
    draft.write(this.area.value);
    this.showProblem("");
    this.resize();
    this.show();
  }

  resize() {
    this.area.style.setProperty("height", "auto");
    this.area.style.setProperty("height", `${Math.min(this.area.scrollHeight + 2, HIGHEST_PX)}px`);
  }

  showProblem(text) {
    fill(this.problem, inline(text));
    this.problem.hidden = !text;
    if (text) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
  }

  /** Say for a moment, in place of what would happen, that it has happened. */
  confirm(done) {
    this.confirmed = done;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.confirmed = "";
      this.show();
    }, CONFIRMED_MS);
  }

  onKey(event) {
    if (event.isComposing || this.options.onKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.submit(event.ctrlKey || event.metaKey);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.interrupt();
    } else if (event.key === "ArrowUp" && (this.past.walking() || !this.area.value)) this.recall(event, this.past.back(this.area.value));
    else if (event.key === "ArrowDown" && this.past.walking()) this.recall(event, this.past.forward());
  }

  recall(event, text) {
    event.preventDefault();
    if (text === null) return;
    this.area.value = text;
    this.area.setSelectionRange(text.length, text.length);
    this.changed();
  }

  async submit(interrupts) {
    const text = this.area.value.trim();
    if (!this.state || !text || outlook(text, this.state).refused) return;
    this.options.close();
    const [request, done] = requestOf(text, this.state, interrupts);
    if (!request) return this.help();
    const failed = (error) => {
      this.showProblem(sentence(error));
      return true;
    };
    if (!(await act(`compose:${text}`, request, { done, failed }))) return;
    this.past.add(text);
    this.confirm(done);
    if (this.area.value.trim() === text) this.area.value = "";
    this.changed();
  }

  /** Show the commands. */
  help() {
    this.area.value = "/";
    this.focus();
    this.changed();
    this.options.refresh();
  }

  /** Interrupt; false where nothing is under way. */
  interrupt() {
    if (!this.state || !canInterrupt(this.state)) return false;
    act("interrupt", () => post("/api/session/interrupt"), { done: t("session.composer.interrupted") });
    return true;
  }
}
