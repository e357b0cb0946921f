/**
 * The last choice of the launch page, without what is secret.
 */
const STORED = "rpent.launch";

/** The last choice; empty where there is none. */
export function recall() {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/**
 * Keep a choice.
 *
 * @param {object} body What was sent.
 * @param {Object<string, {plugin: () => object|null}|null>} choices Part → its choice, whose schema tells the secrets.
 */
export function remember(body, choices) {
  const kept = { ...body };
  for (const [name, choice] of Object.entries(choices)) {
    const values = body[`${name}_config`];
    if (values) kept[`${name}_config`] = withoutSecrets(values, choice?.plugin()?.schema);
  }
  localStorage.setItem(STORED, JSON.stringify(kept));
}

/** Values without the fields that a schema marks `writeOnly`. */
export function withoutSecrets(values, schema) {
  const properties = schema?.properties ?? {};
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in properties && !secret(properties[name])));
}

const secret = (field) => field.writeOnly === true || field.format === "password" || (field.anyOf ?? []).some(secret);
