/**
 * A form made from a JSON schema (what pydantic's `model_json_schema` gives).
 *
 *     const form = schemaForm(schema, { values: { suite: "libero_goal" }, primary: ["suite", "task"] });
 *     root.append(form.node);
 *     if (form.validate()) send(form.values());            // errors stand at their fields, the first has the focus
 *     form.showError(error.field, error.message);          // what the server refused; false: no such field
 */
import { append, fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { schemaField } from "/static/js/forms/field.js";
import { describe, resolve } from "/static/js/forms/schema.js";

/** How long nobody types before other fields ask what they may offer now. */
const RENEW_MS = 250;
let forms = 0;

/**
 * Make a form.
 *
 * @param {Object} schema Schema of an object.
 * @param {Object} [options]
 * @param {Object<string, any>} [options.values] What stands in the form at first, and is sent even if nobody touches it.
 * @param {string[]} [options.only] The fields to show, in this order; otherwise all. Those with `"cli": false` never.
 * @param {string[]} [options.primary] The fields to show at once; the others (but for required ones) wait under “More
 *   options”.
 * @param {(field: string, values: Object) => Promise<Array<{value: any, label?: string}>>} [options.suggest] What a text
 *   field offers, given what the others hold.
 * @param {(values: Object) => void} [options.onChange] Told after each change of the user.
 * @returns {SchemaForm}
 */
export function schemaForm(schema, options = {}) {
  return new SchemaForm(schema, options);
}

/** The form; see the top of this file. */
export class SchemaForm {
  constructor(schema, { values = {}, only = null, primary = null, suggest = null, onChange = () => {} } = {}) {
    const id = `form-${(forms += 1)}`;
    const root = resolve(schema, schema);
    this.onChange = onChange;
    this.context = {
      root: schema,
      id,
      suggest: suggest && ((field) => suggest(field, this.peek())),
      changed: (field) => {
        this.onChange(this.peek());
        this.renewOthers(field);
      },
    };
    this.fields = objectFields(root, this.context, "", values, only);
    this.node = h("div", { class: "schema-form" });
    layout(this.node, this.fields, primary);
  }

  /** What the other fields offer may depend on the one that changed. */
  renewOthers(changed) {
    clearTimeout(this.renewing);
    if (!this.context.suggest) return;
    this.renewing = setTimeout(() => {
      for (const field of this.fields) if (field !== changed) field.renew?.();
    }, RENEW_MS);
  }

  /** Whether all values can be sent. Otherwise each problem stands at its field, and the first one gets the focus. */
  validate() {
    const bad = this.fields.flatMap((field) => field.validate());
    bad[0]?.focus();
    return bad.length === 0;
  }

  /** The values to send: required ones, those given at first, and those that the user changed. */
  values() {
    return collect(this.fields, (field) => field.value());
  }

  /** The values as far as they can be read, defaults included; nothing is marked. */
  peek() {
    return collect(this.fields, (field) => field.peek());
  }

  /** Show other values; they count as given. */
  setValues(values) {
    for (const field of this.fields) if (field.name in values) field.set(values[field.name]);
  }

  /**
   * Put a problem at its field.
   *
   * @param {string} path Name of the field, with dots below objects (`limits.turns`); parts of tuples may follow.
   * @returns {boolean} Whether there is such a field; otherwise the caller shows the problem.
   */
  showError(path, message) {
    const parts = String(path ?? "")
      .split(/[.[\]/]+/)
      .filter(Boolean);
    const field = parts.length ? find(this.fields, parts) : null;
    if (!field) return false;
    field.setError(message);
    field.focus();
    return true;
  }

  /** Take all problems away. */
  clearErrors() {
    for (const field of this.fields) field.clearErrors();
  }

  /** Switch all fields off or on. */
  setDisabled(disabled) {
    for (const input of this.node.querySelectorAll("input, select, textarea, button")) input.disabled = disabled;
  }

  /** Give the focus to the first field. */
  focus() {
    this.fields[0]?.focus();
  }
}

function find(fields, [name, ...rest]) {
  const field = fields.find((entry) => entry.name === name);
  return field?.fields && rest.length ? (find(field.fields, rest) ?? field) : (field ?? null);
}

function collect(fields, read) {
  return Object.fromEntries(
    fields.map((field) => [field.name, read(field)]).filter(([, value]) => value !== undefined),
  );
}

/** The fields of an object's schema. */
function objectFields(schema, context, prefix, values, only = null) {
  const properties = schema.properties ?? {};
  const names = only?.filter((name) => name in properties) ?? Object.keys(properties);
  return names
    .filter((name) => resolve(properties[name], context.root).cli !== false)
    .map((name) => {
      const shape = describe(properties[name], context.root);
      const required = (schema.required ?? []).includes(name);
      const path = prefix ? `${prefix}.${name}` : name;
      const make = shape.kind === "object" ? objectField : schemaField;
      return make({ name, path, shape, required, context, given: values?.[name] });
    });
}

/** An object in an object: a group of fields. Where it may be missing, it is sent once one of them has a value. */
function objectField({ name, path, shape, required, context, given }) {
  const fields = objectFields(shape.schema, context, path, given ?? shape.schema.default ?? {});
  const group = schemaField.group(name, shape, required);
  append(
    group,
    h(
      "div",
      { class: "form-grid" },
      fields.map((field) => field.node),
    ),
  );
  const touched = () => fields.some((field) => field.touched());
  const optional = () => !required && given === undefined && !touched();
  return {
    name,
    node: group,
    fields,
    required,
    touched,
    focus: () => fields[0]?.focus(),
    validate: () => (optional() ? [] : fields.flatMap((field) => field.validate())),
    value: () => (optional() ? undefined : collect(fields, (field) => field.value())),
    peek: () => collect(fields, (field) => field.peek()),
    set: (value) => fields.forEach((field) => value && field.name in value && field.set(value[field.name])),
    setError: (message) => setText(group.querySelector(".group-error"), message),
    clearErrors: () => fields.forEach((field) => field.clearErrors()),
  };
}

/** What matters first, the rest behind a summary that opens by itself when a problem is inside. */
function layout(node, fields, primary) {
  const first = fields.filter((field) => !primary || field.required || primary.includes(field.name));
  const rest = fields.filter((field) => !first.includes(field));
  fill(
    node,
    h(
      "div",
      { class: "form-grid" },
      first.map((field) => field.node),
    ),
  );
  if (!rest.length) return;
  const summary = h("summary", {}, t("shell.form.more", { count: rest.length }));
  append(
    node,
    h(
      "details",
      { class: "form-more" },
      summary,
      h(
        "div",
        { class: "form-grid" },
        rest.map((field) => field.node),
      ),
    ),
  );
}
