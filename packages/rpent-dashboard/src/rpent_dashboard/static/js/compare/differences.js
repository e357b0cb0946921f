/**
 * What differs: measures, and the configuration that the runs' manifests tell.
 */
import { fill, h } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { cost, count, duration, MISSING } from "/static/js/shell/format.js";

const MEASURES = [
  ["duration_s", duration],
  ["turns", count],
  ["tool_calls", count],
  ["env_steps", count],
  ["input_tokens", count],
  ["output_tokens", count],
  ["cost_usd", cost],
];

/** Draw the measures of two sides into a table. */
export function drawMeasures(body, sides) {
  fill(
    body,
    MEASURES.map(([name, show]) =>
      measureRow(
        name,
        show,
        sides.map((side) => side.measure(name)),
      ),
    ),
  );
}

function measureRow(name, show, [a, b]) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, t(`compare.measure.${name}`)),
    h("td", { class: "num" }, show(a)),
    h("td", { class: "num" }, show(b)),
    h("td", { class: "num" }, difference(a, b, show)),
  );
}

function difference(a, b, show) {
  if (![a, b].every((value) => typeof value === "number")) return MISSING;
  if (a === b) return "0";
  const share = a
    ? ` (${b > a ? "+" : "−"}${number(Math.abs(b - a) / a, { style: "percent", maximumFractionDigits: 0 })})`
    : "";
  return `${b > a ? "+" : "−"}${show(Math.abs(b - a))}${share}`;
}

/** Parts of a manifest that say how the run was set up. */
const SET_UP = ["robot", "planner", "perceptor", "policy", "task", "rpent"];
/** Parts that follow from others. */
const DERIVED = new Set(["task.tag", "task.initial_state", "task.init_state", "task.scope.task"]);
const REQUESTED = ["limits", "memory", "explore", "transport", "endpoints", "policy_layout"];

/** The set-up as flat names and values: `planner.config.model` → `anthropic:…`. */
export function setUp(manifest = {}) {
  const picked = Object.fromEntries(SET_UP.map((name) => [name, manifest[name]]));
  for (const name of REQUESTED) picked[name] = manifest.request?.[name];
  picked.python = manifest.versions?.python;
  const flat = new Map();
  flatten(picked, "", flat);
  return flat;
}

function flatten(value, path, flat) {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    for (const [name, entry] of Object.entries(value)) flatten(entry, path ? `${path}.${name}` : name, flat);
  } else if (value !== undefined && value !== null && !DERIVED.has(path)) {
    flat.set(path, typeof value === "string" ? value : JSON.stringify(value));
  }
}

/** The names whose values differ, and how many are the same. */
export function differing(a, b) {
  const names = [...new Set([...a.keys(), ...b.keys()])];
  const rows = names.filter((name) => a.get(name) !== b.get(name)).map((name) => [name, a.get(name), b.get(name)]);
  return { rows, same: names.length - rows.length };
}

/** Draw what differs in the set-up; `null` until both manifests are known. */
export function drawSetUp(place, sides) {
  if (sides.some((side) => !side.detail)) return;
  const { rows, same } = differing(...sides.map((side) => setUp(side.detail.manifest)));
  const note = h(
    "p",
    { class: "muted small" },
    rows.length ? t("compare.sameSettings", { count: number(same) }) : t("compare.sameSetUp"),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, t("compare.setting")),
    h("th", { scope: "col" }, "A"),
    h("th", { scope: "col" }, "B"),
  );
  const lines = rows.map(([name, a, b]) =>
    h("tr", {}, h("th", { scope: "row", class: "mono" }, name), h("td", {}, a ?? MISSING), h("td", {}, b ?? MISSING)),
  );
  fill(
    place,
    rows.length > 0 &&
      h(
        "div",
        { class: "scroll-x" },
        h("table", { class: "table compare-set-up" }, h("thead", {}, head), h("tbody", {}, lines)),
      ),
    note,
  );
}
