/**
 * One tool: its form, made from its schema, and what the last call gave.
 */
import { post } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { schemaForm } from "/static/js/forms/schema_form.js";
import { statusOf } from "/static/js/run/model_calls.js";
import { SYMBOLS, callStatus } from "/static/js/run/rows_call.js";
import { tree } from "/static/js/run/tree.js";
import { REST_MS, act, sentence } from "/static/js/session/act.js";
import { confirmDialog } from "/static/js/shell/dialog.js";
import { inline } from "/static/js/shell/inline.js";

/**
 * Make the form of a tool.
 *
 * @param {{name: string, description: string, schema: object, readonly: boolean, primitive: boolean}} tool
 * @param {string} robot Whose tool it is; the last values are kept for each.
 * @returns {{element: HTMLElement, disable: (off: boolean) => void}}
 */
export function toolForm(tool, robot) {
  const kept = `rpent.tool.${robot}.${tool.name}`;
  let off = false;
  let calling = false;
  const form = schemaForm(tool.schema, { values: readKept(kept) });
  const button = h("button", { type: "submit", class: "btn btn-primary" }, t("session.tools.call"));
  const result = h("div", { class: "session-result", role: "status" });
  const element = h(
    "details",
    { class: "panel session-tool", dataset: { tool: tool.name } },
    h("summary", { class: "panel-head" }, h("span", { class: "mono session-tool-name" }, tool.name), marks(tool), h("span", { class: "muted small truncate grow" }, inline(firstSentence(tool.description)))),
    h(
      "form",
      { class: "panel-body stack", novalidate: true, "aria-label": tool.name, on: { submit: onSubmit } },
      h("p", { class: "muted small prewrap" }, inline(tool.description)),
      form.node,
      h("div", { class: "row" }, button),
      result,
    ),
  );

  async function onSubmit(event) {
    event.preventDefault();
    if (off || calling || !form.validate()) return;
    const values = form.values();
    if (tool.name === "finish" && !(await confirmDialog(t("session.finish.title"), t("session.finish.text"), t("session.finish.yes")))) return;
    sessionStorage.setItem(kept, JSON.stringify(values));
    setCalling(true);
    fill(result, h("p", { class: "muted" }, t("session.tools.calling")));
    const reply = await act("call", () => post("/api/session/calls", { name: tool.name, arguments: values }), { failed });
    setTimeout(() => setCalling(false), reply ? REST_MS : 0);
    if (reply) showReply(reply);
    else if (result.querySelector(".muted")) fill(result);
  }

  function failed(error) {
    const atField = error.field && form.showError(error.field, sentence(error));
    fill(result, atField ? null : h("p", { class: "notice notice-error" }, inline(sentence(error))));
    return true;
  }

  function showReply(reply) {
    const { data } = reply;
    const status = statusOf(reply);
    const look = { ok: "ok", missed: "warn", cancelled: "muted" }[status] ?? "error";
    fill(
      result,
      h("span", { class: `badge badge-${look}` }, h("span", { "aria-hidden": "true" }, SYMBOLS[status]), callStatus({ status })),
      answer(data),
    );
  }

  function setCalling(on) {
    calling = on;
    element.setAttribute("aria-busy", String(on));
    show();
  }
  function show() {
    button.disabled = off || calling;
    form.setDisabled(off || calling);
  }
  function disable(next) {
    off = next;
    show();
  }
  return { element, disable };
}

/** What came back: a sentence where it is one, otherwise the data. */
function answer(data) {
  const { error, hint } = data ?? {};
  if (typeof error === "string") return h("p", { class: "prewrap" }, inline(sentence({ message: error, hint })));
  return h("div", { class: "session-data", tabindex: "0" }, tree(data, 2));
}

function marks(tool) {
  if (tool.name === "finish") return null;
  if (tool.readonly) return h("span", { class: "badge badge-muted" }, t("session.tools.readonly"));
  return tool.primitive === false ? null : h("span", { class: "badge badge-accent" }, t("session.tools.moves"));
}

const firstSentence = (text) => (text ?? "").split(/(?<=\.)\s|\n/, 1)[0];

function readKept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "{}") ?? {};
  } catch {
    return {};
  }
}
