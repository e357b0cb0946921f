/**
 * Reading JSON schemas as pydantic writes them: what kind of control a value needs.
 *
 * @typedef {Object} Shape
 * @property {"const" | "choice" | "boolean" | "integer" | "number" | "string" | "scalar" | "list" | "tuple" | "object" | "json"}
 *   kind `scalar` is a union of scalars, `tuple` has a fixed number of scalars, `json` is anything else.
 * @property {boolean} nullable Whether null is a value.
 * @property {Object} schema The schema without references.
 * @property {any[]} [options] Values of a `choice`.
 * @property {Shape[]} [items] Parts of a `tuple`; the one item shape of a `list`.
 */

const SCALARS = new Set(["integer", "number", "string", "boolean"]);
const TUPLE_MOST = 9;

/** Follow `$ref` and one-armed `allOf`; what stands beside them wins. */
export function resolve(schema, root, depth = 0) {
  if (schema === true || typeof schema !== "object" || schema === null) return {};
  const { $ref, allOf, ...beside } = schema;
  if (depth > 20) return beside;
  if ($ref?.startsWith("#/")) {
    const parts = $ref.slice(2).split("/");
    const target = parts.reduce((node, part) => node?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], root);
    return { ...resolve(target ?? {}, root, depth + 1), ...beside };
  }
  if (allOf?.length === 1) return { ...resolve(allOf[0], root, depth + 1), ...beside };
  return schema;
}

/**
 * Say what a schema describes.
 *
 * @param {Object} given The schema of a value.
 * @param {Object} root The whole schema, for `#/$defs/…`.
 * @returns {Shape}
 */
export function describe(given, root) {
  const schema = resolve(given, root);
  const arms = schema.anyOf ?? schema.oneOf;
  if (arms)
    return union(
      schema,
      arms.map((arm) => resolve(arm, root)),
      root,
    );
  if (Array.isArray(schema.type)) {
    const rest = schema.type.filter((type) => type !== "null");
    const nullable = rest.length < schema.type.length;
    if (rest.length === 1) return { ...describe({ ...schema, type: rest[0] }, root), nullable };
    return { kind: rest.every((type) => SCALARS.has(type)) ? "scalar" : "json", nullable, schema, types: rest };
  }
  return plain(schema, root);
}

function plain(schema, root) {
  const base = { nullable: false, schema };
  if ("const" in schema) return { ...base, kind: "const" };
  if (schema.enum) {
    const options = schema.enum.filter((value) => value !== null);
    return { ...base, kind: "choice", options, nullable: options.length < schema.enum.length };
  }
  if (SCALARS.has(schema.type)) return { ...base, kind: schema.type };
  if (schema.type === "array") return array(schema, root);
  if (schema.type === "object" && schema.properties) return { ...base, kind: "object" };
  return { ...base, kind: "json" };
}

function array(schema, root) {
  const base = { nullable: false, schema };
  const fixed = schema.prefixItems ?? repeated(schema);
  if (fixed) {
    const items = fixed.map((item) => describe(item, root));
    const open = schema.prefixItems && schema.items && schema.maxItems !== fixed.length;
    return items.every(isNumberOrText) && !open ? { ...base, kind: "tuple", items } : { ...base, kind: "json" };
  }
  const item = describe(schema.items ?? {}, root);
  return isNumberOrText(item) ? { ...base, kind: "list", items: [item] } : { ...base, kind: "json" };
}

/** A list whose length is fixed is a tuple. */
function repeated({ items, minItems, maxItems }) {
  return items && minItems > 0 && minItems === maxItems && maxItems <= TUPLE_MOST ? Array(minItems).fill(items) : null;
}

const isNumberOrText = ({ kind, nullable }) => !nullable && ["integer", "number", "string", "choice"].includes(kind);

/** `anyOf`: usually a type or null. */
function union(schema, arms, root) {
  const { anyOf, oneOf, ...outer } = schema;
  const real = arms.filter((arm) => arm.type !== "null");
  const nullable = real.length < arms.length;
  if (real.length === 1) return { ...describe({ ...real[0], ...outer }, root), nullable };
  const shapes = real.map((arm) => describe(arm, root));
  if (shapes.every(({ kind }) => kind === "const" || kind === "choice")) {
    const options = shapes.flatMap((shape) => (shape.kind === "const" ? [shape.schema.const] : shape.options));
    return { kind: "choice", nullable, schema: outer, options };
  }
  if (shapes.every(({ kind }) => SCALARS.has(kind) || kind === "const" || kind === "choice")) {
    const types = shapes.map((shape) => shape.schema.type ?? typeof (shape.schema.const ?? shape.options?.[0]));
    return { kind: "scalar", nullable, schema: outer, types };
  }
  return { kind: "json", nullable, schema: outer };
}

const UNITS = {
  s: "s",
  ms: "ms",
  m: "m",
  mm: "mm",
  cm: "cm",
  rad: "rad",
  deg: "°",
  gb: "GB",
  mb: "MB",
  hz: "Hz",
  usd: "USD",
};

const WRITTEN = new Map(
  ["API", "CPU", "FPS", "GL", "GPU", "ID", "JSON", "RPC", "URL", "USD", "VLA", "Mtok"].map((word) => [
    word.toLowerCase(),
    word,
  ]),
);

/** What people read for a field: its title where somebody wrote one, else its name in words, the unit behind. */
export function labelOf(name, schema) {
  const generated = name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
  if (schema.title && schema.title.replaceAll(/\s/g, "").toLowerCase() !== generated.replaceAll(" ", "").toLowerCase())
    return schema.title;
  const words = name.split("_").filter(Boolean);
  const unit = words.length > 1 ? UNITS[words.at(-1)] : undefined;
  const text = (unit ? words.slice(0, -1) : words).map((word) => WRITTEN.get(word) ?? word).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1) + (unit ? ` (${unit})` : "");
}

/** Labels of a tuple's parts: `xyz` has x, y and z. */
export function partLabels(name, items) {
  const titled = items.map(({ schema }) => schema.title);
  if (titled.every(Boolean)) return titled;
  const tail = name
    .split("_")
    .reverse()
    .find((word) => word.length === items.length && items.length > 1);
  return tail ? [...tail] : items.map((_, index) => String(index + 1));
}
