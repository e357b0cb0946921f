/**
 * The row of a tool call: what was asked for in a line, how it went, what came back, and its pictures.
 */
import { h } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { stepOf } from "/static/js/run/model_calls.js";
import { figure } from "/static/js/run/pictures.js";
import { chip, remembered } from "/static/js/run/parts.js";
import { oneLine, tree } from "/static/js/run/tree.js";
import { duration } from "/static/js/shell/format.js";
import { inline } from "/static/js/shell/inline.js";

/** Status of a call → symbol. Colour and symbol always go together. */
export const SYMBOLS = {
  running: "▶",
  ok: "✓",
  missed: "▲",
  failed: "✗",
  refused: "⊘",
  cancelled: "■",
  unfinished: "?",
};

/** What a one-line result leaves out, because it is shown elsewhere. */
const ELSEWHERE = new Set(["observation", "ok", "notices", "step", "error", "hint"]);

/** @returns {[any, string]} Content, and the row's look. */
export function callRow(item, context) {
  const { call } = item;
  return [
    [head(item, context), answerLine(item), notices(item), pictureList(item.images, context), raw(item, context)],
    `call is-${call.status}${call.readonly ? " is-readonly" : ""}`,
  ];
}

function head(item, context) {
  const { call } = item;
  const step = stepOf(call);
  const name = h("button", { type: "button", class: "run-call-name", title: t("run.showStep") }, call.name);
  name.addEventListener("click", () => context.select(step, call.index));
  return h(
    "div",
    { class: "run-call-head" },
    h("span", { class: `run-status run-status-${call.status}`, title: callStatus(call) }, SYMBOLS[call.status]),
    h("span", { class: "visually-hidden" }, callStatus(call)),
    name,
    h(
      "span",
      { class: "run-call-facts" },
      call.origin === "user" ? chip(t("run.byUser"), "accent") : null,
      call.step === null ? null : chip(t("run.step", { step: call.step })),
      call.elapsed === null ? null : h("span", {}, duration(call.elapsed)),
      call.envSteps ? h("span", {}, t("run.envSteps", { count: number(call.envSteps) })) : null,
    ),
    h("span", { class: "run-arguments" }, item.arguments ? inline(oneLine(item.arguments)) : ""),
  );
}

/** How a call went, in words. */
export const callStatus = (call) => t(`run.call.${call.status}`);

function answerLine(item) {
  const { call, data } = item;
  if (call.status === "running") {
    const progress = call.progress ? oneLine(call.progress) : t("run.underWay");
    return h("p", { class: "run-answer run-under-way" }, progress);
  }
  if (call.status === "unfinished") return h("p", { class: "run-answer" }, t("run.neverReturned"));
  if (!data) return null;
  if (typeof data.error === "string") {
    const hint = data.hint ? [" ", inline(String(data.hint))] : null;
    return h("p", { class: "run-answer run-error run-plain" }, inline(data.error), hint);
  }
  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => !ELSEWHERE.has(name)));
  const answer = oneLine(rest, 220);
  if (item.arguments && answer === oneLine(item.arguments, 220)) return null;
  return h("p", { class: `run-answer${["ok", "cancelled"].includes(call.status) ? "" : " run-error"}` }, inline(answer));
}

function notices({ data }) {
  const texts = Array.isArray(data?.notices) ? data.notices : [];
  return texts.map((text) => h("p", { class: "run-call-notice run-plain" }, inline(String(text))));
}

/** Pictures of a call or a step, in a row. */
export function pictureList(images, context) {
  if (!images?.length) return null;
  return h("div", { class: "run-pictures" }, images.map((image) => figure(context.key, image, context.showPicture)));
}

function raw(item, context) {
  if (item.arguments === undefined && item.data === undefined) return null;
  return remembered(context, `${item.index}:raw`, false, t("run.raw"), () => [
    item.arguments === undefined ? null : [h("p", { class: "run-subhead" }, t("run.arguments")), tree(item.arguments, 2)],
    item.data === undefined ? null : [h("p", { class: "run-subhead" }, t("run.result")), tree(item.data, 2)],
  ].flat());
}
