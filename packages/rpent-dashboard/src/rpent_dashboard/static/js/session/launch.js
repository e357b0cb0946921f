/**
 * The launch page: a robot, a planner, what else belongs to them, and off it goes.
 */
import { get, post } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { go, routeTo } from "/static/js/router.js";
import { act, sentence } from "/static/js/session/act.js";
import { limitFields } from "/static/js/session/limits.js";
import { modelFirst, pluginChoice } from "/static/js/session/plugin_choice.js";
import { recall, remember } from "/static/js/session/remembered.js";

/** Show the page; returns what takes it away. */
export async function mount(root) {
  fill(root, h("p", { class: "muted", role: "status" }, t("session.loading")));
  const [offer, now] = await Promise.all([get("/api/launch"), get("/api/session")]);
  fill(root, now.session?.open ? alreadyOpen(now.session) : launchForm(offer));
}

function alreadyOpen(session) {
  return h(
    "section",
    { class: "panel launch-open" },
    h(
      "div",
      { class: "panel-body stack" },
      h("h1", {}, t("session.launch.title")),
      h("p", {}, t("session.launch.open", { robot: session.robot })),
      h("div", { class: "row" }, h("a", { class: "btn btn-primary", href: routeTo("session") }, t("session.launch.goThere"))),
    ),
  );
}

function launchForm(offer) {
  const last = recall();
  const choices = choicesOf(offer);
  const limits = limitFields(offer.limits);
  const video = h("input", { type: "checkbox", id: "launch-video", checked: last.video ?? true });
  const problem = h("p", { class: "notice notice-error", role: "alert", tabindex: "-1", hidden: true });
  const button = h("button", { type: "submit", class: "btn btn-primary" }, t("session.launch.start"));
  for (const [name, choice] of Object.entries(choices)) choice?.choose(last[name] ?? null, last[`${name}_config`] ?? null);
  limits.write(last.limits ?? {});

  function setProblem(text) {
    setText(problem, text);
    problem.hidden = !text;
    if (text) problem.focus();
  }
  function failed(error) {
    const [part, ...rest] = (error.field || "").split(".");
    const form = part === "limits" ? limits : choices[part.replace(/_config$/, "")]?.form();
    if (!form?.showError(rest.join("."), sentence(error))) setProblem(sentence(error));
    return true;
  }
  async function onSubmit(event) {
    event.preventDefault();
    setProblem("");
    const forms = [...Object.values(choices).map((choice) => choice?.form()), limits].filter(Boolean);
    const wrong = forms.filter((form) => !form.validate());
    if (wrong.length) return;
    const broken = Object.values(choices).find((choice) => choice?.plugin()?.problem);
    if (broken) return setProblem(broken.plugin().problem);
    const body = { ...bodyOf(choices), limits: limits.values(), video: video.checked };
    button.setAttribute("aria-busy", "true");
    const done = await act("launch", () => post("/api/session", body), { failed });
    button.removeAttribute("aria-busy");
    if (!done) return;
    remember(body, choices);
    go("session");
  }

  return h(
    "form",
    { class: "launch stack-l", novalidate: true, on: { submit: onSubmit } },
    h("div", { class: "stack-s" }, h("h1", {}, t("session.launch.title")), h("p", { class: "muted" }, t("session.launch.lead"))),
    section("robot", choices.robot),
    section("planner", choices.planner),
    choices.perceptor && section("perceptor", choices.perceptor, last.perceptor),
    choices.policy && section("policy", choices.policy, last.policy),
    h(
      "details",
      { class: "panel", open: Object.keys(last.limits ?? {}).length > 0 },
      h("summary", { class: "panel-head" }, h("h2", {}, t("session.launch.limits"))),
      h("div", { class: "panel-body stack" }, limits.element, h("label", { class: "check" }, video, t("session.launch.video"))),
    ),
    problem,
    h("div", { class: "row launch-start" }, button, h("a", { class: "btn btn-quiet", href: routeTo("session") }, t("shell.cancel"))),
  );
}

function choicesOf({ robots, planners, policies, perceptors, models }) {
  const optional = (id, plugins, none) => (plugins.length ? pluginChoice({ id, label: t(`session.${id}`), plugins, none }) : null);
  const noPerceptor = { name: "none", text: t("session.launch.none"), summary: "", schema: null, problem: "" };
  return {
    robot: pluginChoice({ id: "robot", label: t("session.robot"), plugins: robots, primary: taskFields }),
    planner: pluginChoice({ id: "planner", label: t("session.planner"), plugins: planners, suggestions: { model: models }, primary: modelFirst }),
    perceptor: optional("perceptor", [...perceptors, noPerceptor], t("session.launch.default")),
    policy: optional("policy", policies, t("session.launch.none")),
  };
}

const taskFields = ({ dashboard }) => (dashboard?.task_fields?.length ? dashboard.task_fields : null);

function section(name, choice, open = true) {
  if (["robot", "planner"].includes(name))
    return h(
      "section",
      { class: "panel", "aria-labelledby": `launch-${name}` },
      h("div", { class: "panel-head" }, h("h2", { id: `launch-${name}` }, t(`session.${name}`))),
      h("div", { class: "panel-body" }, choice.element),
    );
  return h(
    "details",
    { class: "panel", open: Boolean(open) },
    h("summary", { class: "panel-head" }, h("h2", {}, t(`session.${name}`)), h("span", { class: "muted" }, t("session.launch.optional"))),
    h("div", { class: "panel-body" }, choice.element),
  );
}

function bodyOf(choices) {
  const body = {};
  for (const [name, choice] of Object.entries(choices)) {
    if (!choice?.name()) continue;
    body[name] = choice.name();
    body[`${name}_config`] = choice.form()?.values() ?? {};
  }
  return body;
}
