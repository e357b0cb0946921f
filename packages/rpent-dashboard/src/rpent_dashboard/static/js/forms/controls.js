/**
 * One control a kind of value.
 *
 * A control is `{node, inputs, read, write, single}`: `inputs` are the elements that get the focus and the marks of an
 * error; `read()` returns the value, `undefined` for nothing entered, or throws `FieldProblem`; `write(value)` shows one;
 * `single` says that a label can point at the one input.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { FieldProblem, readJson, readList, readScalar } from "/static/js/forms/check.js";
import { partLabels } from "/static/js/forms/schema.js";

const LONG = 200;

/**
 * Make the control of a shape.
 *
 * @param {import("/static/js/forms/schema.js").Shape} shape
 * @param {string} id Id of the first input.
 * @param {string} name The field's name.
 * @param {boolean} required Whether it must have a value.
 */
export function control(shape, id, name, required) {
  if (shape.kind === "const") return constant(shape);
  if (shape.kind === "choice" && !(shape.options.length > 30)) return choice(shape, id, required);
  if (shape.kind === "boolean")
    return shape.nullable ? choice({ ...shape, options: [true, false] }, id, false) : checkbox(id);
  if (shape.kind === "tuple") return tuple(shape, id, name);
  if (shape.kind === "list")
    return area(
      id,
      (text) => readList(text, shape),
      (value) => value.join("\n"),
      t("shell.form.onePerLine"),
    );
  if (shape.kind === "json") return area(id, readJson, (value) => JSON.stringify(value, null, 2), "JSON", "mono");
  return line(shape, id);
}

function constant({ schema }) {
  return { node: h("code", {}, String(schema.const)), inputs: [], read: () => schema.const, write() {}, single: false };
}

function choice({ options, schema, nullable }, id, required) {
  const blank = nullable || (!required && !("default" in schema)) || required;
  const select = h(
    "select",
    { id },
    blank && h("option", { value: "" }, required && !nullable ? t("shell.form.choose") : t("shell.form.none")),
    options.map((option, index) => h("option", { value: index }, optionText(option))),
  );
  return {
    node: select,
    inputs: [select],
    single: true,
    read: () => (select.value === "" ? undefined : options[Number(select.value)]),
    write(value) {
      const index = options.indexOf(value);
      select.value = index < 0 ? "" : String(index);
    },
  };
}

function optionText(option) {
  if (typeof option === "boolean") return t(option ? "shell.form.yes" : "shell.form.no");
  return String(option);
}

function checkbox(id) {
  const input = h("input", { type: "checkbox", id });
  return {
    node: input,
    inputs: [input],
    single: true,
    read: () => input.checked,
    write: (value) => (input.checked = value === true),
  };
}

/** A text field for a number, a text or a union of them. */
function line(shape, id) {
  const { schema, kind } = shape;
  const secret = schema.format === "password" || schema.writeOnly === true;
  const long = kind === "string" && !secret && (schema.format === "multiline" || schema.maxLength > LONG);
  const mode = { integer: "numeric", number: "decimal" }[kind];
  const signed = mode && !((schema.minimum ?? schema.exclusiveMinimum) >= 0);
  const input = long
    ? h("textarea", { id, rows: 3 })
    : h("input", {
        id,
        type: secret ? "password" : "text",
        inputmode: signed ? null : mode,
        autocomplete: secret ? "new-password" : "off",
        spellcheck: kind === "string" && !schema.format ? null : "false",
      });
  const stepped = kind === "integer" && !secret;
  if (stepped) input.addEventListener("keydown", (event) => stepOnArrow(event, schema));
  return {
    node: input,
    inputs: [input],
    single: true,
    read: () =>
      input.value.trim() === ""
        ? kind === "string" && input.value !== ""
          ? readScalar(input.value, shape)
          : undefined
        : readScalar(input.value, shape),
    write: (value) => (input.value = value === null || value === undefined ? "" : String(value)),
  };
}

/** Up and down count, as in the browser's own number fields, unless a list of suggestions has the arrows. */
function stepOnArrow(event, { minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  const input = event.target;
  if (!by || input.getAttribute("role") === "combobox" || !/^\s*-?\d+\s*$/.test(input.value)) return;
  event.preventDefault();
  const low = minimum ?? (exclusiveMinimum ?? -Infinity) + 1;
  const high = maximum ?? (exclusiveMaximum ?? Infinity) - 1;
  input.value = String(Math.min(high, Math.max(low, Number(input.value) + by)));
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

function area(id, parse, show, placeholder, style = "") {
  const node = h("textarea", { id, rows: 3, placeholder, class: style, spellcheck: "false" });
  return {
    node,
    inputs: [node],
    single: true,
    read: () => (node.value.trim() === "" ? undefined : parse(node.value)),
    write(value) {
      node.value = value === null || value === undefined ? "" : show(value);
    },
  };
}

/** A fixed number of scalars beside each other. */
function tuple({ items }, id, name) {
  const labels = partLabels(name, items);
  const inputs = items.map((item, index) =>
    h("input", { id: `${id}-${index}`, type: "text", autocomplete: "off", spellcheck: "false" }),
  );
  const parts = inputs.map((input, index) =>
    h("label", { class: "tuple-part" }, h("span", { class: "muted" }, labels[index]), input),
  );
  return {
    node: h("div", { class: "tuple" }, parts),
    inputs,
    single: false,
    read() {
      if (inputs.every((input) => input.value.trim() === "")) return undefined;
      return inputs.map((input, index) => readPart(input, items[index], labels[index]));
    },
    write: (value) => inputs.forEach((input, index) => (input.value = value?.[index] ?? "")),
  };
}

function readPart(input, item, label) {
  try {
    if (input.value.trim() === "") throw new FieldProblem(t("shell.form.required"));
    return readScalar(input.value, item);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    const problem = new FieldProblem(t("shell.form.inPart", { part: label, problem: error.message }));
    problem.input = input;
    throw problem;
  }
}
