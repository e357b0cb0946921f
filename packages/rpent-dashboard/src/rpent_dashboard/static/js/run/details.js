/**
 * What there is to know beside the conversation: outcome, usage, budgets, stages, services, files, configuration.
 */
import { fill, h, setText } from "/static/js/dom.js";
import { moment, number, t } from "/static/js/i18n.js";
import { filesPanel } from "/static/js/run/files.js";
import { budgets } from "/static/js/run/model_usage.js";
import { sessionSeconds, shownSeconds } from "/static/js/run/model.js";
import { reasonName, stageName, statusName } from "/static/js/run/parts.js";
import { Services } from "/static/js/run/services.js";
import { tree } from "/static/js/run/tree.js";
import { cost, count, duration } from "/static/js/shell/format.js";
import { inline } from "/static/js/shell/inline.js";

export class Details {
  /**
   * @param {string} key The run.
   * @param {object} model
   */
  constructor(key, model) {
    this.key = key;
    this.model = model;
    this.detail = null;
    this.outcome = section("run.outcome", true);
    this.budget = section("run.budgets", true);
    this.usage = section("run.usage", true);
    this.stages = section("run.stages", false);
    this.services = new Services(key, model);
    this.servicesSection = section("run.services", true);
    this.servicesSection.body.append(this.services.node);
    this.files = section("run.files", true);
    this.task = section("run.task", false);
    const all = [this.outcome, this.budget, this.usage, this.servicesSection, this.stages, this.files, this.task];
    this.node = h("section", { class: "run-details-column", "aria-label": t("run.details") }, all.map(({ node }) => node));
    this.meters = new Map();
  }

  /** What the server says of the run's directory. */
  setDetail(detail) {
    this.detail = detail;
    this.services.setDetail(detail);
    fill(this.files.body, filesPanel(this.key, detail));
    fill(this.task.body, taskPanel(detail));
  }

  /** Draw what changed; `now` in seconds since the epoch. */
  draw(now) {
    this.#drawOutcome();
    this.#drawBudgets(now);
    this.#drawUsage();
    this.#drawStages();
    this.services.draw();
  }

  destroy() {
    this.services.destroy();
  }

  #drawOutcome() {
    const { model } = this;
    const row = this.detail?.row ?? {};
    const outcome = model.outcome ?? {};
    const success = outcome.benchmark_success ?? row.benchmark_success ?? null;
    const verdict = success === true ? t("run.success") : success === false ? t("run.failure") : t("run.noVerdict");
    const entries = [
      [t("run.benchmark"), model.over || success !== null ? verdict : t("run.notYet")],
      [t("run.claim"), statusName(outcome.planner_status ?? row.planner_status ?? "") || "–"],
      [t("run.why"), reasonName(outcome.reason ?? row.reason ?? "") || "–"],
      [t("run.duration"), duration(shownSeconds(model, row))],
      [t("run.calls"), count(model.toolCalls)],
      [t("run.controlSteps"), count(model.envSteps)],
      model.attempts.length ? [t("run.attempts"), count(model.attempts.length)] : null,
      row.created ? [t("run.created"), moment(row.created)] : null,
    ];
    facts(this.outcome, entries.filter(Boolean));
    const detail = outcome.detail || row.detail || "";
    if (this.said?.dataset.text === detail) return;
    this.said?.remove();
    this.said = h("p", { class: "run-plain run-said small", dataset: { text: detail } }, inline(detail));
    this.outcome.body.append(this.said);
  }

  #drawBudgets(now) {
    const limits = this.detail?.manifest?.request?.limits;
    const seconds = sessionSeconds(this.model, this.model.over ? this.model.lastTime : now);
    const all = budgets(this.model, limits, seconds);
    this.budget.node.hidden = !all.length;
    for (const { name, value, limit } of all) {
      if (!this.meters.has(name)) this.meters.set(name, this.#meter(name));
      const { meter, text } = this.meters.get(name);
      const share = Math.min(1, value / limit);
      meter.value = share;
      meter.dataset.look = share >= 1 ? "error" : share >= 0.8 ? "warn" : "ok";
      const shown = UNITS[name];
      const words = `${shown(value)} / ${shown(limit)}`;
      setText(text, words);
      meter.setAttribute("aria-valuetext", words);
    }
  }

  #meter(name) {
    const label = t(`run.limit.${name}`);
    const text = h("span", { class: "num" });
    const meter = h("progress", { class: "bar run-meter", max: "1", "aria-label": label });
    this.budget.body.append(h("div", { class: "run-budget" }, h("span", {}, label), text, meter));
    return { meter, text };
  }

  #drawUsage() {
    const { usage } = this.model;
    this.usage.node.hidden = !usage.requests;
    if (this.usageSeen === usage.requests) return;
    this.usageSeen = usage.requests;
    const entries = usageEntries(usage);
    facts(this.usage, entries);
    this.perModel?.remove();
    if (usage.models.size < 1) return;
    this.perModel = h("div", { class: "run-per-model small" }, [...usage.models].map(([name, part]) => modelUsage(name, part)));
    this.usage.body.append(this.perModel);
  }

  #drawStages() {
    const entries = this.model.stages.map((stage) => {
      const sign = { done: "✓", failed: "✗", started: "▶" }[stage.status] ?? "";
      return [`${sign} ${stageName(stage.stage)}`, stage.elapsed === null ? t("run.underWay") : duration(stage.elapsed)];
    });
    this.stages.node.hidden = !entries.length;
    facts(this.stages, entries);
  }
}

const UNITS = {
  max_turns: count,
  max_tool_calls: count,
  token_limit: count,
  max_env_steps: count,
  time_limit_s: duration,
  cost_limit_usd: cost,
};

function usageEntries(usage) {
  return [
    [t("run.cost"), cost(usage.cost)],
    [t("run.requests"), number(usage.requests)],
    [t("run.inputTokens"), number(usage.input)],
    [t("run.outputTokens"), number(usage.output)],
    usage.cacheRead ? [t("run.cacheRead"), number(usage.cacheRead)] : null,
    usage.cacheWrite ? [t("run.cacheWrite"), number(usage.cacheWrite)] : null,
    usage.reasoning ? [t("run.reasoning"), number(usage.reasoning)] : null,
  ].filter(Boolean);
}

function modelUsage(name, part) {
  const tokens = t("run.tokensInOut", { input: count(part.input), output: count(part.output) });
  return h("p", {}, h("span", { class: "mono" }, name || t("run.unnamedModel")), ` · ${tokens} · ${cost(part.cost)}`);
}

/** A part of the column that opens and closes. */
function section(title, open) {
  const body = h("div", { class: "panel-body run-section" });
  const node = h("details", { class: "panel", open }, h("summary", { class: "panel-head" }, h("h2", {}, t(title))), body);
  return { node, body, list: null };
}

/** Names and values; only what changed is written. */
function facts(place, entries) {
  if (place.list?.childElementCount !== entries.length * 2) {
    place.list?.remove();
    place.list = h("dl", { class: "facts" }, entries.map(() => [h("dt"), h("dd")]));
    place.body.prepend(place.list);
  }
  entries.forEach(([name, value], index) => {
    setText(place.list.children[index * 2], name);
    setText(place.list.children[index * 2 + 1], value);
  });
}

/** Task, configuration and versions, as recorded in run.json. */
function taskPanel({ manifest = {}, row = {} }) {
  const entries = [
    [t("run.robot"), named(manifest.robot) || row.robot],
    [t("run.planner"), named(manifest.planner) || row.planner],
    [t("run.model"), row.model],
    [t("run.perceptor"), named(manifest.perceptor)],
    [t("run.policy"), named(manifest.policy)],
    ["RPent", manifest.rpent],
    ["Python", manifest.versions?.python],
    [t("run.name"), row.name],
  ].filter(([, value]) => value);
  const list = h("dl", { class: "facts" }, entries.map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))]));
  const parts = ["task", "robot", "planner", "perceptor", "policy", "request"].filter((name) => manifest[name]);
  const trees = parts.map((name) =>
    h("details", { class: "run-details" }, h("summary", {}, t(`run.part.${name}`)), tree(manifest[name])),
  );
  return [list, trees];
}

const named = (part) => (part?.name ? [part.name, part.version].filter(Boolean).join(" ") : "");
