/**
 * The launch page: a robot, a planner, what else belongs to them, and off it goes.
 */
import { get, post, whoAmI } from "/static/js/api.js";
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { go, routeTo } from "/static/js/router.js";
import { act, sentence } from "/static/js/session/act.js";
import { robotChoices } from "/static/js/session/choices.js";
import { limitFields } from "/static/js/session/limits.js";
import { modelFirst, modelsFor, pluginChoice } from "/static/js/session/plugin_choice.js";
import { recall, remember } from "/static/js/session/remembered.js";
import { inline } from "/static/js/shell/inline.js";

/** Show the page; returns what takes it away. */
export async function mount(root) {
  fill(root, h("p", { class: "muted", role: "status" }, t("session.loading")));
  if (!(await whoAmI()).hosting) return void fill(root, h("p", { class: "notice notice-info" }, t("session.notHosting")));
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
  const { fitting, ...choices } = choicesOf(offer);
  const limits = limitFields(offer.limits);
  const video = h("input", { type: "checkbox", id: "launch-video", checked: last.video ?? true });
  const problem = h("p", { class: "notice notice-error", role: "alert", tabindex: "-1", hidden: true });
  const button = h("button", { type: "submit", class: "btn btn-primary" }, t("session.launch.start"));
  for (const [name, choice] of Object.entries(choices)) choice?.choose(last[name] ?? null, last[`${name}_config`] ?? null);
  fitting();
  limits.write(last.limits ?? {});

  function setProblem(text) {
    fill(problem, inline(text));
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
    setText(button, t("session.launch.starting"));
    const done = await act("launch", () => post("/api/session", body), { failed });
    button.removeAttribute("aria-busy");
    setText(button, t("session.launch.start"));
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
    choices.perceptor && optionalSection("perceptor", choices.perceptor, Boolean(last.perceptor)),
    choices.policy && optionalSection("policy", choices.policy, Boolean(last.policy)),
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
  const made = (id, plugins, options = {}) => pluginChoice({ id, labelledBy: `launch-${id}`, plugins, ...options });
  const none = t("session.launch.none");
  const noPerceptor = { name: "none", text: none, summary: "", schema: null, problem: "" };
  const fitting = () => perceptor?.offer(({ robots: fits }) => !fits?.length || fits.includes(robot.name()));
  const perceptor = perceptors.length ? made("perceptor", [...perceptors, noPerceptor], { none: t("session.launch.default") }) : null;
  const robot = made("robot", robots, { primary: taskFields, suggest: robotChoices, onChange: fitting });
  return {
    robot,
    planner: made("planner", planners, { suggest: modelsFor(models), primary: modelFirst }),
    perceptor,
    policy: policies.length ? made("policy", policies, { none }) : null,
    fitting,
  };
}

const taskFields = ({ dashboard }) => (dashboard?.task_fields?.length ? dashboard.task_fields : null);

function section(name, choice) {
  return h(
    "section",
    { class: "panel", "aria-labelledby": `launch-${name}` },
    h("div", { class: "panel-head" }, h("h2", { id: `launch-${name}` }, t(`session.${name}`))),
    h("div", { class: "panel-body" }, choice.element),
  );
}

function optionalSection(name, choice, open) {
  return h(
    "details",
    { class: "panel", open },
    h("summary", { class: "panel-head" }, h("h2", { id: `launch-${name}` }, t(`session.${name}`)), h("span", { class: "muted" }, t("session.launch.optional"))),
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
