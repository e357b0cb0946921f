/**
 * Turning what somebody typed into a value, or into one sentence about what is wrong with it.
 */
import { number, t } from "/static/js/i18n.js";

/** Text that is no value of the field; the message is for people. */
export class FieldProblem extends Error {}

const problem = (key, values) => {
  throw new FieldProblem(t(`shell.form.${key}`, values));
};

/** Read a number and hold it against the schema's bounds. */
export function readNumber(text, { kind, schema }) {
  const value = Number(text.trim().replace("−", "-"));
  if (text.trim() === "" || !Number.isFinite(value)) problem("notNumber");
  if (kind === "integer" && !Number.isInteger(value)) problem("notInteger");
  const { minimum: min, maximum: max, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const outside = value < min || value > max || value <= above || value >= below;
  if (outside) throw new FieldProblem(t("shell.form.outside", { range: rangeText(kind, schema) }));
  if (schema.multipleOf && !isMultiple(value, schema.multipleOf))
    problem("notMultiple", { step: number(schema.multipleOf) });
  return value;
}

const isMultiple = (value, step) => Math.abs(value / step - Math.round(value / step)) < 1e-9;

/** The bounds of a number in words (`0 to 65535`, `more than 0`); empty where there are none. */
export function rangeText(kind, schema) {
  const exact = (value) => number(value, { useGrouping: false, maximumFractionDigits: 20 });
  let { minimum: min, maximum: max } = schema;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (kind === "integer" && Number.isInteger(above)) min = Math.max(min ?? -Infinity, above + 1);
  if (kind === "integer" && Number.isInteger(below)) max = Math.min(max ?? Infinity, below - 1);
  const low =
    min !== undefined
      ? t("shell.form.atLeast", { min: exact(min) })
      : above !== undefined
        ? t("shell.form.moreThan", { min: exact(above) })
        : "";
  const high =
    max !== undefined
      ? t("shell.form.atMost", { max: exact(max) })
      : below !== undefined
        ? t("shell.form.lessThan", { max: exact(below) })
        : "";
  if (min !== undefined && max !== undefined) return t("shell.form.between", { min: exact(min), max: exact(max) });
  return low && high ? t("shell.form.and", { low, high }) : low || high;
}

/** Hold a text against the schema. */
export function readText(text, { schema }) {
  if (text.length < (schema.minLength ?? 0)) problem("tooShort", { min: schema.minLength });
  if (text.length > (schema.maxLength ?? Infinity)) problem("tooLong", { max: schema.maxLength });
  if (schema.pattern && !matches(text, schema.pattern)) problem("pattern", { pattern: schema.pattern });
  if (schema.format === "uri" && !URL.canParse(text)) problem("notUri");
  return text;
}

/** Python's patterns are not always JavaScript's; those that are not, the server checks. */
function matches(text, pattern) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

/** Read one value of a scalar shape. */
export function readScalar(text, shape) {
  if (shape.kind === "integer" || shape.kind === "number") return readNumber(text, shape);
  if (shape.kind === "choice") return readOption(text, shape.options);
  if (shape.kind === "scalar") return readUnion(text, shape.types);
  return readText(text, shape);
}

function readOption(text, options) {
  const found = options.find((option) => String(option) === text.trim());
  if (found === undefined) problem("notChoice", { choices: options.join(", ") });
  return found;
}

/** A union of scalars takes the narrowest type that fits. */
function readUnion(text, types) {
  const trimmed = text.trim();
  const value = Number(trimmed);
  const numeric = trimmed !== "" && Number.isFinite(value);
  if (numeric && (types.includes("number") || (types.includes("integer") && Number.isInteger(value)))) return value;
  if (types.includes("boolean") && ["true", "false"].includes(trimmed.toLowerCase()))
    return trimmed.toLowerCase() === "true";
  if (types.includes("string")) return text;
  return problem("notNumber");
}

/** Read a list, one value a line. */
export function readList(text, { items: [item], schema }) {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length < (schema.minItems ?? 0)) problem("tooFew", { min: schema.minItems });
  if (lines.length > (schema.maxItems ?? Infinity)) problem("tooMany", { max: schema.maxItems });
  return lines.map((line, index) => {
    try {
      return readScalar(line, item);
    } catch (error) {
      throw error instanceof FieldProblem
        ? new FieldProblem(t("shell.form.inLine", { line: index + 1, problem: error.message }))
        : error;
    }
  });
}

/** Read JSON. */
export function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return problem("notJson");
  }
}
