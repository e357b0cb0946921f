/**
 * The list: rows keyed by run, so that a change elsewhere moves neither focus nor scroll; the keyboard goes along it.
 */
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { isRunning, runRow } from "/static/js/library/row.js";

const SORTED = ["created", "duration", "cost"];
const COLUMNS = [
  ["select"],
  ["picture"],
  ["task"],
  ["planner"],
  ["outcome"],
  ["when", "created"],
  ["duration", "duration"],
  ["cost", "cost"],
  ["calls"],
];

/** The table of runs. */
export class RunTable {
  /**
   * @param {{select: Function, inSession: Function, sort: (column: string) => void, open: (key: string) => void}} actions
   */
  constructor(actions) {
    this.actions = actions;
    this.drawn = new Map();
    this.runs = [];
    this.selected = [];
    this.head = h("tr", { role: "row" });
    this.body = h("tbody", { role: "rowgroup", on: { click: (event) => this.clicked(event) } });
    this.node = h(
      "div",
      { class: "library-table" },
      h(
        "table",
        { class: "table", role: "table", "aria-label": t("library.title") },
        h("thead", { role: "rowgroup" }, this.head),
        this.body,
      ),
    );
  }

  /** A click beside links and buttons opens the run, unless it marks text. */
  clicked({ target }) {
    const row = target.closest(".lib-row");
    if (row && !target.closest("a, button, input, .lib-select") && getSelection().isCollapsed)
      this.actions.open(row.dataset.key);
  }

  /** Show runs; nodes of those that did not change stay as they are. */
  show(runs, selected, { sort = "", order = "" } = {}) {
    Object.assign(this, { runs, selected });
    this.drawHead(sort || "created", order || "desc");
    const focused = this.focusedKey();
    const rows = runs.map((run) => this.row(run));
    const kept = new Set(rows);
    for (const node of [...this.body.children]) if (!kept.has(node)) node.remove();
    let next = this.body.firstChild;
    for (const row of rows) {
      if (row === next) next = next.nextSibling;
      else this.body.insertBefore(row, next);
    }
    this.drawn = new Map(runs.map((run) => [run.key, this.drawn.get(run.key)]));
    if (focused && !this.body.contains(document.activeElement)) this.focus(focused.key, focused.part);
  }

  /** The row of a run: the one that is there, where it would look the same. */
  row(run) {
    const selected = this.selected.includes(run.key);
    const looks = JSON.stringify([run, selected]);
    const known = this.drawn.get(run.key);
    if (known?.looks === looks) return known.node;
    const node = runRow(run, selected, this.actions);
    this.drawn.set(run.key, { looks, node });
    return node;
  }

  /** Draw what changes with time: how long ago, how long so far. */
  tick() {
    for (const [key, { node, looks }] of this.drawn) {
      const run = this.runs.find((entry) => entry.key === key);
      const fresh = runRow(run, this.selected.includes(key), this.actions);
      const parts = isRunning(run) ? [".lib-when", ".lib-duration"] : [".lib-when"];
      for (const part of parts) node.querySelector(part).replaceChildren(...fresh.querySelector(part).childNodes);
      this.drawn.set(key, { node, looks });
    }
  }

  drawHead(sort, order) {
    const key = `${sort} ${order}`;
    if (this.sorted === key) return;
    const column = document.activeElement?.closest?.("th")?.dataset.column;
    this.sorted = key;
    fill(
      this.head,
      COLUMNS.map(([name, by]) => this.headCell(name, by, by === sort ? order : "")),
    );
    if (column) this.head.querySelector(`[data-column="${column}"] button`)?.focus();
  }

  headCell(name, by, order) {
    const text = t(`library.column.${name}`);
    const content = ["select", "picture"].includes(name) ? h("span", { class: "visually-hidden" }, text) : text;
    const numeric = ["duration", "cost", "calls"].includes(name) ? "num" : "";
    if (!SORTED.includes(by)) return h("th", { role: "columnheader", scope: "col", class: numeric }, content);
    const arrow = order && h("span", { "aria-hidden": "true" }, order === "asc" ? "▲" : "▼");
    const button = h(
      "button",
      { class: "sort-button", type: "button", on: { click: () => this.actions.sort(by) } },
      content,
      arrow || null,
    );
    const sorted = order ? { asc: "ascending", desc: "descending" }[order] : "none";
    return h(
      "th",
      { role: "columnheader", scope: "col", class: numeric, "aria-sort": sorted, dataset: { column: by } },
      button,
    );
  }

  /** Which run has the focus, and on which of its parts. */
  focusedKey() {
    const row = document.activeElement?.closest?.(".lib-row");
    if (!row || !this.body.contains(row)) return null;
    return {
      key: row.dataset.key,
      part: [...row.querySelectorAll("a, input, button")].indexOf(document.activeElement),
    };
  }

  /** The run that the keyboard is on. */
  current() {
    return this.focusedKey()?.key ?? null;
  }

  /** Give the focus to a run. */
  focus(key, part = 1) {
    const row = this.drawn.get(key)?.node;
    const target = row?.querySelectorAll("a, input, button")[part] ?? row?.querySelector(".lib-link");
    target?.focus();
  }

  /**
   * Go along the list.
   *
   * @returns {boolean} Whether there was a run to go to.
   */
  move(by) {
    const index = this.runs.findIndex((run) => run.key === this.current());
    const next = index < 0 ? this.runs[by > 0 ? 0 : this.runs.length - 1] : this.runs[index + by];
    if (next) this.focus(next.key);
    return Boolean(next);
  }
}
