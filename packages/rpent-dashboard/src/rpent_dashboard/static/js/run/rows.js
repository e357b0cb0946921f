/**
 * The conversation's rows: an item of the model → an element. Which parts a reader opened lives in the context, because
 * a row leaves the document when it is off screen.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { markup } from "/static/js/run/markup.js";
import { chip, clock, reasonName, remembered, stageName, stateName, statusName, symbol } from "/static/js/run/parts.js";
import { callRow, pictureList } from "/static/js/run/rows_call.js";
import { oneLine, tree } from "/static/js/run/tree.js";
import { inline } from "/static/js/shell/inline.js";

/** Characters from which thinking is closed at first. */
const LONG_THINKING = 280;

/**
 * @typedef {object} RowContext
 * @property {string} key The run.
 * @property {object} model
 * @property {Map<string, boolean>} open What a reader opened or closed: `<item>:<part>`.
 * @property {(item: object) => void} restore Fetches what the model let go of, or what was cut.
 * @property {(step: number, call: number | null) => void} select
 * @property {(image: object) => void} showPicture
 * @property {(service: string) => string} serviceLabel What people call a service.
 */

/** Make the row of an item. */
export function row(item, context) {
  if (item.gone) context.restore(item);
  const [content, look] = made(item, context);
  const dropped = item.dropped ? h("p", { class: "run-dropped" }, t("run.dropped")) : null;
  return h(
    "div",
    { class: `run-row run-row-${look ?? item.kind}${item.dropped ? " is-dropped" : ""}`, role: "listitem" },
    h("div", { class: "run-gutter" }, h("time", { class: "run-time" }, clock(item.time))),
    h("div", { class: "run-content" }, dropped, content, item.cut ? showAll(item, context) : null),
  );
}

/** Content and look; what cannot be drawn as what it claims to be is shown as data. */
function made(item, context) {
  try {
    return MAKERS[item.kind](item, context);
  } catch {
    const { kind, data, text, arguments: given } = item;
    return unknown({ ...item, type: kind, data: { data, text, arguments: given } }, context);
  }
}

/** Roughly how high a row is before it was measured. */
export function estimate(item) {
  if (item.kind === "call") return 74 + (item.images?.length ? 150 : 0);
  if (item.kind === "turn") return 30;
  const lines = Math.min(40, Math.ceil((item.text?.length ?? 0) / 70));
  return 32 + lines * 20;
}

/** Whether an item counts as an error, for the filter. */
export function isError(item) {
  if (item.kind === "call") return ["failed", "refused", "missed", "cancelled", "unfinished"].includes(item.call.status);
  if (item.kind === "notice") return item.level !== "info";
  if (item.kind === "service") return ["crashed", "failed"].includes(item.state);
  return ["broken", "unknown", "stage_failed"].includes(item.kind);
}

/** What is said between the planner and its user. */
export const isMessage = (item) =>
  ["text", "thinking", "user", "nudge", "notice", "session_ended", "outcome", "prompts", "awaiting"].includes(item.kind);

const MAKERS = {
  call: callRow,
  task: (item) => [line(t("run.taskStated"), item.instruction), "quiet"],
  started: (item) => [line(t("run.started", { robot: item.robot, planner: item.planner }), item.instruction), "quiet"],
  turn: (item) => [h("p", { class: "run-turn" }, t("run.turn", { turn: item.turn }))],
  text: (item) => [[speaker(t("run.planner")), h("div", { class: "run-text" }, markup(item.text))]],
  thinking,
  user: (item) => [
    [
      speaker(t("run.user"), item.interrupt ? chip(t("run.interrupting"), "warn") : null, delivery(item)),
      h("div", { class: "run-text run-plain" }, item.text),
    ],
  ],
  nudge: (item) => [[speaker(t("run.nudge")), h("div", { class: "run-text run-plain" }, item.text)], "quiet"],
  notice: (item) => [h("p", { class: "run-plain" }, symbol(item.level), inline(item.text)), `notice-${level(item.level)}`],
  awaiting: () => [line(t("run.awaiting")), "quiet"],
  prompts,
  service,
  recovered: (item, context) => [
    line(t("run.recovered", { service: context.serviceLabel(item.service), step: item.step }), item.text),
    "notice-ok",
  ],
  stage_failed: (item) => [
    h("p", { class: "run-plain" }, symbol("error"), t("run.stageFailed", { stage: stageName(item.stage) }), " ", inline(item.text)),
    "notice-error",
  ],
  step: (item, context) => [
    [stepLine(item, context), pictureList(item.images, context)],
    "step",
  ],
  attempt: (item) => [h("p", { class: "run-turn run-attempt" }, t("run.attempt", { attempt: item.attempt }))],
  attempt_ended: attemptEnded,
  resumed,
  session_ended: (item) => [line(t("run.sessionEnded", { reason: reasonName(item.reason) }), item.text), "end"],
  outcome,
  broken: (item) => [
    [h("p", {}, symbol("warning"), t("run.broken", { line: item.line ?? "?" })), code(item.text)],
    "notice-warning",
  ],
  unknown,
};

const code = (text, look = "") => (text ? h("pre", { class: `run-code ${look}`, tabindex: "0" }, text) : null);

function service(item, context) {
  const level = SERVICE_LEVEL[item.state];
  const text = t("run.serviceIs", { service: context.serviceLabel(item.service), state: stateName(item.state) });
  const more = item.text ? h("span", { class: "run-plain" }, ` ${item.text}`) : null;
  return [[h("p", {}, symbol(level), text, more), code(item.tail)], level && level !== "ok" ? `notice-${level}` : "quiet"];
}

const SERVICE_LEVEL = { crashed: "error", failed: "error", restarting: "warning", ready: "ok" };

const level = (name) => (["warning", "error"].includes(name) ? name : "info");

const line = (text, more) => h("p", {}, text, more ? h("span", { class: "run-plain run-more" }, " ", inline(more)) : null);

const speaker = (name, ...more) => h("p", { class: "run-speaker" }, name, more);

function delivery(item) {
  if (item.delivered === null) return chip(t("run.pending"), "warn");
  return chip(t("run.delivered"), "ok");
}

function showAll(item, context) {
  const button = h("button", { type: "button", class: "run-link" }, t("run.showAll"));
  button.addEventListener("click", () => (button.disabled = true, context.restore(item)));
  return h("p", { class: "run-cut" }, t("run.cut"), " ", button);
}

function thinking(item, context) {
  const first = item.text.replace(/\s+/g, " ").slice(0, 110);
  const summary = [h("span", { class: "run-speaker-inline" }, t("run.thinking")), " ", h("span", { class: "run-preview" }, first)];
  return [
    remembered(context, `${item.index}:thinking`, item.text.length <= LONG_THINKING, summary, () =>
      h("div", { class: "run-text" }, markup(item.text)),
    ),
  ];
}

function prompts(item, context) {
  return [
    remembered(context, `${item.index}:prompts`, false, t("run.prompts"), () => [
      h("p", { class: "run-subhead" }, t("run.systemPrompt")),
      h("pre", { class: "run-code run-wrap", tabindex: "0" }, item.system),
      h("p", { class: "run-subhead" }, t("run.userPrompt")),
      h("pre", { class: "run-code run-wrap", tabindex: "0" }, item.user),
    ]),
    "quiet",
  ];
}

function stepLine(item, context) {
  const button = h("button", { type: "button", class: "run-link" }, t("run.step", { step: item.step }));
  button.addEventListener("click", () => context.select(item.step, null));
  return h("p", {}, button, " ", h("span", { class: "run-muted" }, t("run.observed")));
}

function attemptEnded(item) {
  const won = item.success === true;
  const verdict = item.success === null ? t("run.noVerdict") : won ? t("run.success") : t("run.failure");
  return [
    [
      h("p", {}, symbol(won ? "ok" : "error"), t("run.attemptEnded", { attempt: item.attempt }), " ", verdict),
      item.lesson ? h("p", { class: "run-plain" }, h("strong", {}, t("run.lesson")), " ", item.lesson) : null,
    ],
    won ? "notice-ok" : "notice-warning",
  ];
}

function resumed(item) {
  const options = Object.keys(item.options ?? {}).length ? oneLine(item.options) : "";
  return [
    [
      h("p", { class: "run-turn run-attempt" }, t("run.resumed", { step: item.step })),
      item.planner || options ? h("p", { class: "run-muted" }, item.planner, " ", options) : null,
      item.droppedFrom === null ? null : h("p", { class: "run-muted" }, t("run.droppedFrom", { seq: item.droppedFrom })),
    ],
  ];
}

function outcome(item) {
  const { benchmark_success: success, planner_status: status, detail, hint } = item.outcome ?? {};
  const look = success === true ? "ok" : success === false ? "error" : "warning";
  const words = { ok: "run.benchmarkSuccess", error: "run.benchmarkFailure", warning: "run.noVerdict" };
  return [
    [
      h("p", { class: "run-verdict" }, symbol(look), t(words[look])),
      status ? h("p", {}, t("run.claims", { status: statusName(status) })) : null,
      detail ? h("p", { class: "run-plain" }, inline(detail)) : null,
      code(hint, "run-wrap"),
    ],
    `notice-${look}`,
  ];
}

function unknown(item, context) {
  const { offset, size, ...data } = item.data ?? {};
  const summary = [symbol("warning"), t("run.unknownEvent", { type: item.type || item.kind })];
  return [remembered(context, `${item.index}:data`, false, summary, () => tree(data)), "notice-warning"];
}
