/**
 * The budgets of a run; an empty field means no limit.
 */
import { h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

const FRACTIONS = ["time_limit_s", "cost_limit_usd"];
const NAMED = ["max_turns", "max_tool_calls", "token_limit", "max_env_steps", "time_limit_s", "cost_limit_usd"];

/**
 * Make the fields.
 *
 * @param {Object<string, number|null>} defaults Name → its default.
 * @returns {{element: HTMLElement, values: () => object, write: (values: object) => void, validate: () => boolean,
 *   showError: (name: string, message: string) => boolean}}
 */
export function limitFields(defaults) {
  const fields = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, limitField(name, value)]));
  const element = h("div", { class: "grid" }, Object.values(fields).map((field) => field.element));
  const values = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.read()]).filter(([name, value]) => value !== defaults[name]));
  const write = (given) => Object.entries(given).forEach(([name, value]) => fields[name]?.write(value));
  const validate = () => {
    const wrong = Object.values(fields).filter((field) => !field.validate());
    wrong[0]?.focus();
    return wrong.length === 0;
  };
  function showError(name, message) {
    fields[name]?.fail(message);
    fields[name]?.focus();
    return name in fields;
  }
  return { element, values, write, validate, showError };
}

function limitField(name, initial) {
  const id = `limit-${name}`;
  const whole = !FRACTIONS.includes(name);
  const input = h("input", { id, type: "text", inputmode: whole ? "numeric" : "decimal", autocomplete: "off", placeholder: t("session.launch.noLimit"), "aria-describedby": `${id}-error`, on: { input: () => fail("") } });
  const error = h("p", { id: `${id}-error`, class: "field-error" });
  const label = NAMED.includes(name) ? t(`session.limit.${name}`) : name;
  const element = h("div", { class: "field" }, h("label", { class: "label", for: id }, label), input, error);
  const read = () => (input.value.trim() === "" ? null : Number(input.value));
  const write = (value) => {
    input.value = value ?? "";
  };
  function fail(message) {
    setText(error, message);
    if (message) {
      input.setAttribute("aria-invalid", "true");
      element.closest("details")?.setAttribute("open", "");
    } else input.removeAttribute("aria-invalid");
  }
  function validate() {
    const value = read();
    const right = value === null || (value > 0 && (whole ? Number.isInteger(value) : Number.isFinite(value)));
    fail(right ? "" : t(whole ? "session.limit.whole" : "session.limit.number"));
    return right;
  }
  write(initial);
  return { element, read, write, validate, fail, focus: () => input.focus() };
}
