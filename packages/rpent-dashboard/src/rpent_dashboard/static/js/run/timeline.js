/**
 * The action timeline: a bar a call on one canvas, coloured and signed by how it went, with attempts, resumes, crashes
 * and recoveries between them. Only the bars on view are drawn. For the keyboard there are the scrubber and j/k.
 */
import { h, setText } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { callStatus, SYMBOLS } from "/static/js/run/rows_call.js";
import { duration } from "/static/js/shell/format.js";

const HEIGHT = 64;
const BAR_TOP = 18;
const BAR_HEIGHT = 38;
const NARROWEST = 7;
const GAP = 1;
const SETTLE_MS = 500;
const MARKS = { attempt: "⚑", resumed: "↻", crashed: "✗", recovered: "✚" };
/** Status → tokens of colour: ground, sign. */
const LOOKS = {
  running: ["--accent", "--on-accent"],
  ok: ["--ok-soft", "--ok"],
  missed: ["--warn-soft", "--warn"],
  failed: ["--error-soft", "--error"],
  refused: ["--error-soft", "--error"],
  cancelled: ["--surface-2", "--muted"],
  unfinished: ["--surface-2", "--muted"],
};

export class Timeline {
  /**
   * @param {object} model
   * @param {(call: object) => void} onSelect
   */
  constructor(model, onSelect) {
    this.model = model;
    this.measure = "time";
    this.selected = -1;
    this.lefts = [0];
    this.follow = true;
    this.left = 0;
    this.width = 0;
    this.canvas = h("canvas", { class: "run-timeline-canvas", role: "img" });
    this.space = h("div", { class: "run-timeline-space" });
    this.scroller = h("div", { class: "run-timeline-scroller" }, this.space, this.canvas);
    this.tip = h("p", { class: "run-timeline-tip small muted" });
    const bar = this.#bar();
    const foot = h("div", { class: "run-timeline-foot" }, this.tip, this.#legend());
    this.node = h("section", { class: "run-timeline panel", "aria-label": t("run.timeline") }, bar, this.scroller, foot);
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.canvas.addEventListener("click", (event) => this.#at(event, onSelect));
    this.canvas.addEventListener("pointermove", (event) => this.#at(event, (call) => setText(this.tip, describe(call))));
    this.canvas.addEventListener("pointerleave", () => setText(this.tip, this.#tipText()));
    this.observer = new ResizeObserver(([{ contentRect }]) => {
      this.width = Math.floor(contentRect.width);
      this.draw();
    });
    this.observer.observe(this.scroller);
    this.themes = new MutationObserver(() => ((this.colours = null), this.#paint()));
    this.themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  }

  /** Draw what is new; `selected` is the index of a call or -1. */
  draw(selected = this.selected) {
    const moved = selected !== this.selected;
    this.selected = selected;
    if (moved && selected < 0) this.follow = true;
    this.#layOut();
    if (moved && selected >= 0) this.#reveal(selected);
    else if (this.follow) this.left = this.total - this.width;
    this.#paint();
    this.timer ||= setTimeout(() => this.#settle(), SETTLE_MS);
    setText(this.tip, this.#tipText());
    const { calls } = this.model;
    const bad = calls.filter((call) => ["failed", "refused", "missed"].includes(call.status)).length;
    const label = t("run.timelineSummary", { calls: calls.length, bad });
    if (this.canvas.getAttribute("aria-label") !== label) this.canvas.setAttribute("aria-label", label);
  }

  /** Bring the scroll bar in line with what is painted: seldom, because it costs a layout. */
  #settle() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.spaceWidth !== this.total) {
      this.spaceWidth = this.total;
      this.space.style.setProperty("width", `${this.total}px`);
    }
    if (Math.abs(this.scroller.scrollLeft - this.left) > 1) this.scroller.scrollLeft = this.left;
  }

  #scrolled() {
    this.left = this.scroller.scrollLeft;
    this.follow = this.left > this.spaceWidth - this.width - NARROWEST;
    this.#paint();
  }

  destroy() {
    clearTimeout(this.timer);
    this.observer.disconnect();
    this.themes.disconnect();
  }

  #bar() {
    const names = ["time", "steps"];
    const buttons = names.map((name) =>
      h("button", { type: "button", class: "btn btn-small", "aria-pressed": String(name === this.measure) }, t(`run.measure.${name}`)),
    );
    buttons.forEach((button, index) =>
      button.addEventListener("click", () => {
        this.measure = names[index];
        buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        this.draw();
        if (this.selected >= 0) this.#reveal(this.selected);
      }),
    );
    return h(
      "div",
      { class: "panel-head run-bar row-between" },
      h("h2", {}, t("run.timeline")),
      h("div", { class: "run-filters", role: "group", "aria-label": t("run.measure") }, buttons),
    );
  }

  #legend() {
    const entries = ["ok", "missed", "failed", "cancelled"].map((status) => {
      const sign = h("span", { class: `run-status run-status-${status}`, "aria-hidden": "true" }, SYMBOLS[status]);
      return h("span", { class: "run-legend" }, sign, " ", t(`run.call.${status}`));
    });
    return h("div", { class: "run-legends small muted" }, entries);
  }

  /** Left edges of all bars: as wide as the calls were long, but never too narrow to hit. */
  #layOut() {
    const { calls } = this.model;
    const now = this.model.lastTime ?? 0;
    const sizes = calls.map((call) => this.#size(call, now));
    const sum = sizes.reduce((total, size) => total + size, 0) || 1;
    const room = roomFor(this.width || 300, calls.length);
    let left = 1;
    this.lefts.length = 0;
    for (const size of sizes) {
      this.lefts.push(left);
      left += NARROWEST + GAP + Math.max(0, (size / sum) * room);
    }
    this.lefts.push(left);
    this.total = Math.max(this.width || 0, Math.ceil(left) + 1);
  }

  #size(call, now) {
    if (this.measure === "steps") return call.envSteps;
    return call.elapsed ?? (call.status === "running" ? Math.max(0, now - call.startedAt) : 0);
  }

  #paint() {
    const width = this.width;
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== HEIGHT * ratio) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = HEIGHT * ratio;
      this.canvas.style.setProperty("width", `${width}px`);
      this.canvas.style.setProperty("height", `${HEIGHT}px`);
    }
    this.colours ??= colours();
    const context = this.canvas.getContext("2d");
    const offset = this.left;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    context.textAlign = "center";
    context.textBaseline = "middle";
    const first = Math.max(0, this.#index(offset));
    for (let index = first; index < this.model.calls.length && this.lefts[index] - offset < width; index += 1) {
      this.#paintBar(context, index, offset);
    }
    this.#paintMarks(context, offset, width);
  }

  #paintBar(context, index, offset) {
    const call = this.model.calls[index];
    const left = this.lefts[index] - offset;
    const width = this.lefts[index + 1] - this.lefts[index] - GAP;
    const [ground, sign] = LOOKS[call.status] ?? LOOKS.unfinished;
    const top = call.readonly ? BAR_TOP + BAR_HEIGHT / 2 : BAR_TOP;
    const height = call.readonly ? BAR_HEIGHT / 2 : BAR_HEIGHT;
    context.fillStyle = this.colours[ground];
    context.fillRect(left, top, width, height);
    context.fillStyle = this.colours[sign];
    context.fillRect(left, top + height - 3, width, 3);
    context.font = "12px sans-serif";
    if (width >= 7) context.fillText(SYMBOLS[call.status] ?? "", left + width / 2, top + height / 2 - 1, width);
    if (width >= 60 && !call.readonly) this.#paintName(context, call, left, width, top);
    if (index !== this.selected) return;
    context.strokeStyle = this.colours["--focus"];
    context.lineWidth = 2;
    context.strokeRect(left - 0.5, BAR_TOP - 3, width + 1, BAR_HEIGHT + 6);
  }

  #paintName(context, call, left, width, top) {
    context.textAlign = "left";
    context.fillStyle = this.colours[call.status === "running" ? "--on-accent" : "--text"];
    context.font = "11px sans-serif";
    context.fillText(call.name, left + 4, top + 8, width / 2 - 10);
    context.textAlign = "center";
  }

  #paintMarks(context, offset, width) {
    context.font = "12px sans-serif";
    let shift = 0;
    let last = -1;
    for (const { kind, label, before } of this.model.marks) {
      shift = before === last ? shift + 16 : 0;
      last = before;
      const left = this.lefts[Math.min(before, this.lefts.length - 1)] - offset;
      if (left < -20 || left > width + 20) continue;
      context.fillStyle = this.colours[kind === "crashed" ? "--error" : kind === "recovered" ? "--ok" : "--accent"];
      context.fillRect(left - 1, 0, 2, HEIGHT - 4);
      const atEdge = left > width - 60;
      context.textAlign = atEdge ? "right" : "left";
      const place = atEdge ? left - 3 - shift : left + 3 + shift;
      context.fillText(kind === "attempt" ? `${MARKS[kind]}${label}` : MARKS[kind], place, 8);
      context.textAlign = "center";
    }
  }

  #index(position) {
    let low = 0;
    let high = this.model.calls.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.lefts[middle + 1] <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(event, then) {
    const call = this.model.calls[this.#index(event.offsetX + this.left)];
    if (call) then(call);
  }

  #reveal(index) {
    const left = this.lefts[index];
    if (left < this.left || this.lefts[index + 1] > this.left + this.width) {
      this.left = Math.max(0, Math.min(left - this.width / 2, this.total - this.width));
    }
    this.follow = false;
    this.#settle();
  }

  #tipText() {
    const call = this.model.calls[this.selected] ?? this.model.calls.at(-1);
    return call ? describe(call) : t("run.noCalls");
  }
}

/** Pixels to hand out by length, beyond the least width of each bar: what is left, or enough to tell them apart. */
function roomFor(width, count) {
  const left = width - count * (NARROWEST + GAP) - 2;
  return left > width / 3 ? left : count * 10;
}

/** A call in one line: how it went, how long it took. */
export function describe(call) {
  const parts = [`${SYMBOLS[call.status] ?? ""} ${call.name}`, callStatus(call)];
  if (call.elapsed !== null) parts.push(duration(call.elapsed));
  if (call.envSteps) parts.push(t("run.envSteps", { count: number(call.envSteps) }));
  if (call.step !== null) parts.push(t("run.step", { step: call.step }));
  return parts.join(" · ");
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = new Set(["--focus", "--accent", "--error", "--ok", "--text", ...Object.values(LOOKS).flat()]);
  return Object.fromEntries([...names].map((name) => [name, style.getPropertyValue(name).trim()]));
}
