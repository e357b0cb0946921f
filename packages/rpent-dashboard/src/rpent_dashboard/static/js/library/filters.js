/**
 * Above the list: search, a choice for each filter with how many runs each value has, the number of runs.
 */
import { append, fill, h, setText } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { outcomeText } from "/static/js/shell/outcome.js";
import { FILTERS, isNarrowed, widened } from "/static/js/library/query.js";

const TYPING_MS = 250;

/**
 * Make the bar.
 *
 * @param {(values: Object) => void} onChange Told what of the query is new.
 * @param {() => void} onDown Leaves the search for the list (Enter, arrow down).
 * @returns {{node: HTMLElement, search: HTMLInputElement, show: (query: Object, answer: Object) => void}}
 */
export function filterBar(onChange, onDown) {
  let timer = 0;
  const typed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => onChange({ q: search.value.trim() }), TYPING_MS);
  };
  const keydown = (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && search.value === "") search.blur();
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onDown();
  };
  const search = h("input", {
    type: "search",
    class: "library-search",
    "aria-label": t("library.search"),
    placeholder: t("library.searchFor"),
    on: { input: typed, keydown },
  });
  const selects = new Map(FILTERS.map((name) => [name, filterSelect(name, onChange)]));
  const clear = h(
    "button",
    { class: "btn btn-quiet", type: "button", on: { click: () => onChange(widened({})) } },
    t("library.clear"),
  );
  const session = h("span", {});
  const count = h("p", { class: "muted", role: "status" });
  const node = h(
    "search",
    { class: "library-filters" },
    search,
    [...selects.values()],
    append(h("div", { class: "row grow library-count" }), session, clear, count),
  );

  const show = (query, answer) => {
    if (document.activeElement !== search) search.value = query.q;
    for (const [name, select] of selects) fillSelect(select, name, query[name], answer.facets?.[name] ?? []);
    fill(session, query.session && sessionChip(query.session, () => onChange({ session: "" })));
    clear.hidden = !isNarrowed(query);
    setText(count, t(answer.total === 1 ? "library.countOne" : "library.count", { count: number(answer.total) }));
  };
  return { node, search, show };
}

function filterSelect(name, change) {
  return h("select", {
    class: "library-filter",
    "aria-label": t(`library.filter.${name}`),
    on: { change: (event) => change({ [name]: event.target.value }) },
  });
}

/** Fill a choice anew where something differs; an open list would close. */
function fillSelect(select, name, value, facet) {
  const values = facet
    .map((entry) => ({ ...entry, value: String(entry.value ?? "") }))
    .filter((entry) => entry.value !== "");
  if (name === "task") values.sort((a, b) => a.value.localeCompare(b.value, undefined, { numeric: true }));
  if (value && !values.some((entry) => entry.value === value)) values.unshift({ value, count: 0 });
  const drawn = JSON.stringify(values);
  if (select.dataset.drawn !== drawn) {
    const options = values.map((entry) => h("option", { value: entry.value }, optionText(name, entry)));
    fill(select, h("option", { value: "" }, t(`library.filter.${name}`)), options);
    select.dataset.drawn = drawn;
  }
  select.value = value;
  select.classList.toggle("is-set", value !== "");
  select.hidden = values.length === 0;
}

function optionText(name, { value, count }) {
  return `${name === "outcome" ? outcomeText(value) : value} (${number(count)})`;
}

function sessionChip(name, remove) {
  return h(
    "span",
    { class: "badge badge-accent" },
    t("library.inSession", { name }),
    h(
      "button",
      {
        class: "btn btn-quiet btn-small",
        type: "button",
        "aria-label": t("library.allSessions"),
        on: { click: remove },
      },
      "✕",
    ),
  );
}
