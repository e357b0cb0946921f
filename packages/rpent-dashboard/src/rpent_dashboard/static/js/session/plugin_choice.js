/**
 * A choice among plugins of one kind, with the options of the one that is chosen.
 */
import { fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { schemaForm } from "/static/js/forms/schema_form.js";

/**
 * A select of plugins of one kind, each with the form of its options below.
 *
 * @param {{id: string, label?: string, labelledBy?: string, plugins: object[], none?: string, suggest?: (plugin: string) => Function,
 *   primary?: (plugin: object) => string[]|null, onChange?: () => void}} options `labelledBy`: the heading that is its
 *   label, in place of `label`. `none`: the text of the choice to have
 *   none. `suggest`: a plugin's name → what its
 *   form takes as `suggest`. `primary`: the fields of a plugin that show at once.
 * @returns {{element: HTMLElement, choose: (name: string, values?: object) => void, offer: (fits: (plugin: object) =>
 *   boolean) => void, name: () => string, form: () => object|null, plugin: () => object|null}}
 */
export function pluginChoice({ id, label = "", labelledBy = null, plugins, none = null, suggest = () => null, primary = () => null, onChange = () => {} }) {
  let form = null;
  const kept = new Map();
  const summary = h("p", { class: "hint", id: `${id}-summary` });
  const problem = h("p", { class: "notice notice-warn", role: "status", hidden: true });
  const place = h("div", {});
  const select = h(
    "select",
    { id, "aria-labelledby": labelledBy, "aria-describedby": `${id}-summary`, on: { change: () => (show(select.value), onChange()) } },
    none === null ? null : h("option", { value: "" }, none),
    plugins.map((plugin) => h("option", { value: plugin.name }, plugin.problem ? t("session.launch.broken", { name: plugin.name }) : (plugin.text ?? plugin.name))),
  );
  const element = h(
    "div",
    { class: "stack" },
    h("div", { class: "field" }, label ? h("label", { class: "label", for: id }, label) : null, select, summary),
    problem,
    place,
  );
  const plugin = () => plugins.find(({ name }) => name === select.value) ?? null;
  let shown = null;

  function show(name, values = null) {
    if (shown !== null && form) kept.set(shown, entered(form));
    shown = name;
    const found = plugin();
    setText(summary, found?.summary ?? "");
    setText(problem, found?.problem ?? "");
    problem.hidden = !found?.problem;
    const filled = Object.keys(found?.schema?.properties ?? {}).length > 0;
    const known = values ?? kept.get(name) ?? {};
    form = filled && !found.problem ? schemaForm(found.schema, { values: known, primary: primary(found), suggest: suggest(name), onChange }) : null;
    fill(place, form?.node);
  }
  function choose(name, values = null) {
    const known = plugins.some((plugin) => plugin.name === name);
    select.value = known ? name : none === null ? (plugins.find(({ problem }) => !problem)?.name ?? "") : "";
    show(select.value, known ? values : null);
  }
  function offer(fits) {
    for (const option of select.options) {
      const found = plugins.find(({ name }) => name === option.value);
      option.hidden = option.disabled = Boolean(found) && !fits(found);
    }
    if (select.selectedOptions[0]?.disabled) choose(null);
  }
  return { element, choose, offer, name: () => select.value, form: () => form, plugin };
}

/** What stands in a form, where all of it can be read. */
function entered(form) {
  try {
    return form.values();
  } catch {
    return {};
  }
}

/** The fields of a planner that show at once: its model, where it has one. */
export const modelFirst = ({ schema }) => ("model" in (schema?.properties ?? {}) ? ["model"] : null);

/** Suggests models. */
export const modelsFor = (models) => () => async (field) => (field === "model" ? models.map((value) => ({ value })) : []);
