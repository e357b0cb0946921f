/**
 * One field of a form: label, control, description, and the place for what is wrong with its value.
 */
import { append, fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { FieldProblem, rangeText } from "/static/js/forms/check.js";
import { combobox } from "/static/js/forms/combobox.js";
import { control } from "/static/js/forms/controls.js";
import { labelOf } from "/static/js/forms/schema.js";
import { inline } from "/static/js/shell/inline.js";

/**
 * Make a field.
 *
 * @param {Object} options
 * @param {string} options.name Its name in the object.
 * @param {string} options.path Its name from the top.
 * @param {import("/static/js/forms/schema.js").Shape} options.shape
 * @param {boolean} options.required
 * @param {Object} options.context `{id, suggest, changed}` of the form.
 * @param {any} options.given The value at first, which is sent; `undefined`: the default shows and is not sent.
 */
export function schemaField(options) {
  return new Field(options);
}

/** A frame for a group of fields. */
schemaField.group = (name, { schema }, required) =>
  h(
    "fieldset",
    { class: "form-group" },
    h("legend", { class: "label" }, labelOf(name, schema), required && mark()),
    schema.description && h("p", { class: "hint" }, inline(schema.description)),
    h("p", { class: "field-error group-error" }),
  );

const TELLING = 1e6;

/** Bounds that are worth reading beforehand: two, and no machine's limit. */
function rangeHint({ kind, schema }) {
  const low = schema.minimum ?? schema.exclusiveMinimum;
  const high = schema.maximum ?? schema.exclusiveMaximum;
  return low !== undefined && high < TELLING ? rangeText(kind, schema) : "";
}

const mark = () => h("span", { class: "required", title: t("shell.form.required") }, " *");

let pressed = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => (pressed = false), true);

/** Do something that moves what is below only when a click that is under way has met what it was meant for. */
function afterPress(work) {
  if (!pressed) return work();
  const later = () => setTimeout(work);
  addEventListener("pointerup", later, { once: true });
  return undefined;
}

class Field {
  constructor({ name, path, shape, required, context, given }) {
    Object.assign(this, { name, path, shape, required, context });
    this.id = `${context.id}-${path.replaceAll(/[^\w-]/g, "-")}`;
    this.hasDefault = "default" in shape.schema;
    this.dirty = given !== undefined;
    this.changed = false;
    this.control = control(shape, this.id, name, required && !this.hasDefault);
    this.error = h("p", { class: "field-error", id: `${this.id}-error`, role: "alert" });
    this.node = this.draw();
    this.control.write(given !== undefined ? given : shape.schema.default);
    this.listen();
    if (context.suggest || shape.schema.choices || shape.schema.examples) this.addSuggestions();
  }

  draw() {
    const { shape, control: made } = this;
    const text = [labelOf(this.name, shape.schema), this.required && !this.hasDefault && mark()];
    const hint = [shape.schema.description, ["integer", "number"].includes(shape.kind) ? rangeHint(shape) : ""].filter(
      Boolean,
    );
    const hints = hint.length ? h("p", { class: "hint", id: `${this.id}-hint` }, inline(hint.join(" · "))) : null;
    const described = [hints && hints.id, this.error.id].filter(Boolean).join(" ");
    for (const input of made.inputs) {
      input.setAttribute("aria-describedby", described);
      if (this.required && !this.hasDefault && input.type !== "checkbox") input.setAttribute("aria-required", "true");
    }
    if (shape.kind === "boolean" && !shape.nullable)
      return h(
        "div",
        { class: "field" },
        h("label", { class: "check" }, made.node, h("span", { class: "label" }, text)),
        hints,
        this.error,
      );
    if (made.single)
      return h(
        "div",
        { class: "field" },
        h("label", { class: "label", for: this.id }, text),
        made.node,
        hints,
        this.error,
      );
    return h("fieldset", { class: "field" }, h("legend", { class: "label" }, text), made.node, hints, this.error);
  }

  listen() {
    const changed = () => {
      this.dirty = this.changed = true;
      this.clearErrors();
      this.showChoice?.();
      this.context.changed(this);
    };
    this.node.addEventListener("input", changed);
    this.node.addEventListener("focusout", (event) => {
      if (this.dirty && !this.node.contains(event.relatedTarget)) afterPress(() => this.validate());
    });
  }

  /** A list of suggestions below a text field, asked for at first, with the focus, and when other fields change. */
  addSuggestions() {
    const [input] = this.control.inputs;
    if (!(input instanceof HTMLInputElement) || input.type !== "text" || this.control.inputs.length > 1) return;
    const list = combobox(input);
    const chosen = h("p", { class: "hint chosen" });
    let options = [];
    const show = (found) => {
      options = found ?? [];
      list.offer(options);
      this.showChoice();
    };
    this.showChoice = () => {
      const label = options.find(({ value }) => String(value) === input.value.trim())?.label ?? "";
      setText(chosen, label === this.shape.schema.description ? "" : label);
    };
    const own = (this.shape.schema.choices ?? this.shape.schema.examples ?? []).map((entry) =>
      entry !== null && typeof entry === "object" ? entry : { value: entry },
    );
    let asked = 0;
    this.renew = async () => {
      const mine = (asked += 1);
      const more = await Promise.resolve(this.context.suggest?.(this.path)).catch(() => []);
      if (mine === asked) show([...own, ...(more ?? [])]);
    };
    input.addEventListener("focus", this.renew);
    input.parentElement.after(chosen);
    show(own);
    if (this.context.suggest) queueMicrotask(this.renew);
  }

  /** Whether the user or the page changed it. */
  touched() {
    return this.changed;
  }

  /** The value, `undefined` for none; throws `FieldProblem`. A cleared field that may be null is null. */
  read() {
    const value = this.control.read();
    const { schema, nullable } = this.shape;
    if (value === undefined && nullable && this.dirty && schema.default !== null && this.hasDefault) return null;
    if (value === undefined && nullable && this.required) return null;
    if (value === undefined && this.required && !this.hasDefault) throw new FieldProblem(t("shell.form.required"));
    return value;
  }

  /** What to send. */
  value() {
    return this.dirty || (this.required && !this.hasDefault) ? this.read() : undefined;
  }

  /** What the field holds, as far as it can be read. */
  peek() {
    try {
      return this.control.read();
    } catch {
      return undefined;
    }
  }

  set(value) {
    this.dirty = this.changed = true;
    this.control.write(value);
    this.clearErrors();
    this.showChoice?.();
  }

  /** Returns itself in a list where its value is wrong, and says so at the field. */
  validate() {
    this.clearErrors();
    try {
      this.read();
      return [];
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      this.setError(error.message, error.input);
      return [this];
    }
  }

  setError(message, input = null) {
    fill(this.error, inline(message));
    this.bad = input;
    for (const entry of input ? [input] : this.control.inputs) entry.setAttribute("aria-invalid", "true");
    this.node.closest("details")?.setAttribute("open", "");
  }

  clearErrors() {
    setText(this.error, "");
    this.bad = null;
    for (const input of this.control.inputs) input.removeAttribute("aria-invalid");
  }

  focus() {
    (this.bad ?? this.control.inputs[0])?.focus();
  }
}
