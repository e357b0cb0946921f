/**
 * The services of a run: state, what is known of it, and the last lines of the log while it is open.
 */
import { stream } from "/static/js/api.js";
import { append, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { runUrl } from "/static/js/run/pictures.js";
import { stateName } from "/static/js/run/parts.js";

const MOST_LINES = 500;
const LOOKS = { ready: "ok", crashed: "error", failed: "error", restarting: "warn", starting: "accent", loading: "accent" };
const SIGNS = { ready: "✓", crashed: "✗", failed: "✗", restarting: "↻", starting: "…", loading: "…", stopped: "■" };

export class Services {
  constructor(key, model) {
    this.key = key;
    this.model = model;
    this.labels = {};
    this.logs = [];
    this.ended = false;
    this.rows = new Map();
    this.node = h("div", { class: "stack-s" });
    this.none = h("p", { class: "muted small" }, t("run.noServices"));
    this.node.append(this.none);
  }

  setDetail(detail) {
    this.labels = detail.dashboard?.service_labels ?? {};
    this.ended = !detail.live;
    this.logs = (detail.logs ?? []).map((log) => log.service);
  }

  draw() {
    const names = new Set([...this.model.services.keys(), ...this.logs]);
    this.none.hidden = names.size > 0;
    for (const name of names) {
      if (!this.rows.has(name)) this.rows.set(name, this.#make(name));
      this.#drawRow(this.rows.get(name), name);
    }
  }

  destroy() {
    for (const { close } of this.rows.values()) close();
  }

  #make(name) {
    const badge = h("span", { class: "badge" });
    const label = h("span", { class: "grow" });
    const detail = h("p", { class: "small muted run-plain" });
    const lines = h("pre", { class: "run-log", tabindex: "0", "aria-label": t("run.logOf", { service: name }) });
    const log = h("details", { class: "run-details" }, h("summary", {}, t("run.log")), lines);
    const node = h("div", { class: "run-service" }, h("div", { class: "row row-s" }, label, badge), detail, log);
    const row = { badge, label, detail, log, lines, node, close: () => {} };
    log.addEventListener("toggle", () => this.#toggle(row, name));
    this.node.append(row.node);
    return row;
  }

  #drawRow(row, name) {
    const known = this.model.services.get(name);
    setText(row.label, this.labels[name] ?? name);
    const state = known?.state ?? "";
    row.badge.hidden = !state || (state === "ready" && this.#over());
    row.badge.className = `badge badge-${LOOKS[state] ?? "muted"}`;
    setText(row.badge, `${SIGNS[state] ?? ""} ${stateName(state)}`);
    const crashes = known?.crashes ? t("run.crashes", { count: known.crashes }) : "";
    setText(row.detail, [known?.detail, crashes].filter(Boolean).join(" · "));
    row.detail.hidden = !row.detail.textContent;
    row.log.hidden = !this.logs.includes(name);
  }

  /** A run that is over has no use for its services: that they were ready says nothing any more. */
  #over() {
    return this.model.over || this.ended;
  }

  #toggle(row, name) {
    row.close();
    row.close = () => {};
    if (!row.log.open) return;
    row.lines.replaceChildren();
    const url = `${runUrl(this.key, "logs", name, "stream")}?tail=200`;
    row.close = stream(url, { lines: (lines) => this.#add(row.lines, lines) });
  }

  #add(node, lines) {
    const atEnd = node.scrollHeight - node.scrollTop - node.clientHeight < 30;
    append(node, lines.map((line) => h("span", { class: "run-log-line" }, `${line}\n`)));
    while (node.childElementCount > MOST_LINES) node.firstElementChild.remove();
    if (atEnd) node.scrollTop = node.scrollHeight;
  }
}
