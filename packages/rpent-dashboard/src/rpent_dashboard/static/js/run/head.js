/**
 * The head of a run: what it is about, how it stands, and what a reader should know of its directory.
 */
import { fill, h, setText } from "/static/js/dom.js";
import { currentLanguage, t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";
import { shownSeconds } from "/static/js/run/model.js";
import { duration } from "/static/js/shell/format.js";
import { outcomeBadge } from "/static/js/shell/outcome.js";

const LEVELS = { damaged_manifest: "error", problem: "error", interrupted: "warn", no_events: "warn" };

export class Head {
  constructor(key, model, { embedded }) {
    this.key = key;
    this.model = model;
    this.embedded = embedded;
    this.name = key.replaceAll("~", "/");
    this.detail = null;
    this.badge = h("span", { class: "run-state" });
    this.heading = h(embedded ? "h2" : "h1", { class: "run-title" }, this.name);
    this.facts = h("p", { class: "run-facts small muted" });
    this.notices = h("div", { class: "run-notices stack-s" });
    this.now = h("span", { class: "run-now small" });
    this.node = h(
      "header",
      { class: "run-head" },
      h("div", { class: "row run-head-line" }, this.badge, this.heading, this.now),
      this.facts,
      this.notices,
    );
  }

  setDetail(detail) {
    this.detail = detail;
    this.problem = null;
    this.drawn = "";
  }

  /** The server could not say what this run is. */
  setProblem(error) {
    this.problem = error;
    this.drawn = "";
  }

  /** What the browser's tab is called. */
  title(running) {
    const sign = { success: "✓", failure: "✗", running: "▶", interrupted: "‖" }[this.#outcome(running)] ?? "■";
    return `${sign} ${this.#instruction()} · RPent`;
  }

  draw(running) {
    setText(this.heading, this.#instruction());
    setText(this.now, this.#activity(running));
    setText(this.facts, this.#facts());
    const outcome = this.#outcome(running);
    const wanted = `${outcome} ${this.model.broken} ${this.model.unknown}`;
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    fill(this.badge, outcome ? outcomeBadge(outcome) : "");
    fill(this.notices, this.#notices());
  }

  #instruction() {
    const { model, detail } = this;
    return model.instruction || model.started?.instruction || detail?.row?.instruction || this.name;
  }

  #outcome(running) {
    const { outcome } = this.model;
    if (!outcome && this.problem) return ""; // it was deleted, or cannot be read
    if (!outcome) return running ? "running" : (this.detail?.row?.outcome ?? "running");
    if (outcome.benchmark_success === true) return "success";
    if (["interrupted", "infrastructure"].includes(outcome.reason)) return outcome.reason;
    return outcome.benchmark_success === false ? "failure" : "unknown";
  }

  #activity(running) {
    if (!running) return "";
    if (this.model.awaiting) return t("run.awaitingShort");
    const call = this.model.calls.at(-1);
    if (call?.status === "running") return `▶ ${call.name}`;
    const stage = this.model.stages.findLast((known) => known.status === "started");
    return stage?.stage === "session" ? t("run.thinks") : t("run.starts");
  }

  #facts() {
    const { model, detail } = this;
    const row = detail?.row ?? {};
    const robot = model.started?.robot ?? row.robot;
    const planner = model.resumes.findLast((known) => known.planner)?.planner || model.started?.planner || row.planner;
    const parts = [robot, row.suite, planner, row.model, duration(shownSeconds(model, row)), this.name];
    return parts.filter(Boolean).join(" · ");
  }

  #notices() {
    const { model, detail, problem } = this;
    if (problem) return [notice("error", [problem.message, problem.hint].filter(Boolean).join(" "))];
    const known = (detail?.notices ?? []).filter(({ code }) => !this.embedded || code !== "privileged");
    const stopped = !detail?.live && this.#outcome(false) === "interrupted";
    if (stopped && !known.some(({ code }) => code === "interrupted")) known.push({ code: "interrupted", text: "" });
    const given = known.map(({ code, text }) => this.#given(code, text));
    if (detail?.hosted && detail.live && !this.embedded) given.push(steer());
    if (model.broken) given.push(notice("warn", t("run.brokenLines", { count: model.broken })));
    if (model.unknown) given.push(notice("warn", t("run.unknownEvents", { count: model.unknown })));
    return given;
  }

  #given(code, text) {
    const known = t(`run.notice.${code}`);
    const own = currentLanguage() === "en" ? text || known : known;
    const words = known === `run.notice.${code}` ? text : own;
    if (code !== "interrupted") return notice(LEVELS[code] ?? "info", words);
    const command = `rpent resume ${this.detail?.row?.name ?? this.name}`;
    return notice("warn", known, [h("code", {}, command), " ", copyButton(command)]);
  }
}

/** A button that copies; none where the browser has no clipboard for the page (over a network without TLS). */
function copyButton(text) {
  if (!navigator.clipboard) return "";
  const copy = h("button", { type: "button", class: "btn btn-small" }, t("run.copy"));
  copy.addEventListener("click", () =>
    navigator.clipboard.writeText(text).then(
      () => setText(copy, t("run.copied")),
      () => copy.remove(),
    ),
  );
  return copy;
}

function notice(level, text, more = null) {
  const rest = more ? h("span", { class: "run-plain" }, more) : null;
  return h("p", { class: `notice notice-${level} small` }, h("span", { class: "run-plain" }, text), rest);
}

const steer = () =>
  h("p", { class: "notice notice-info small" }, t("run.hosted"), h("a", { href: routeTo("session") }, t("run.steer")));
