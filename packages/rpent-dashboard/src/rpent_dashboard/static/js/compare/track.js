/**
 * The timeline of one run on the shared axis, drawn on a canvas: a bar a call, a line where the user is. Everything in
 * it is also in the scrubber and the call list, which the keyboard reaches.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

const HEIGHT = 34;
const COLOURS = {
  ok: "--ok",
  running: "--accent",
  failed: "--error",
  missed: "--warn",
  refused: "--error",
  cancelled: "--warn",
  unfinished: "--warn",
};

/** The track of a side. */
export class Track {
  /**
   * @param {import("/static/js/compare/side.js").Side} side
   * @param {string} name `A` or `B`.
   * @param {(place: number) => void} onPick Told the place on the axis that the user pointed at.
   */
  constructor(side, name, onPick) {
    this.side = side;
    this.canvas = h("canvas", {
      class: "compare-track-bars",
      role: "img",
      "aria-label": t("compare.timelineOf", { name }),
    });
    this.node = h(
      "div",
      { class: "compare-track" },
      h("span", { class: "compare-mark", "aria-hidden": "true" }, name),
      this.canvas,
    );
    const pick = (event) => event.buttons === 1 && onPick(this.placeAt(event.offsetX));
    this.canvas.addEventListener(
      "pointerdown",
      (event) => (this.canvas.setPointerCapture(event.pointerId), pick(event)),
    );
    this.canvas.addEventListener("pointermove", pick);
  }

  placeAt(x) {
    const { by, end } = this.axis;
    const share = Math.max(0, Math.min(1, x / this.canvas.clientWidth));
    return by === "time" ? share * end : Math.min(end, Math.floor(share * (end + 1)));
  }

  /** Draw the bars and where the user is. */
  draw(axis) {
    this.axis = axis;
    const { canvas } = this;
    const width = canvas.clientWidth;
    const scale = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== HEIGHT * scale) canvas.height = HEIGHT * scale;
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, HEIGHT);
    if (!width) return;
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    for (const [from, to, call] of axis.by === "time" ? this.byTime(width) : this.bySteps(width)) {
      pen.fillStyle = colour(call ? (COLOURS[call.status] ?? "--muted") : "--muted");
      const top = call?.readonly ? HEIGHT * 0.55 : 5;
      pen.fillRect(from, top, Math.max(1.5, to - from - 1), HEIGHT - 5 - top);
    }
    const unit = axis.by === "time" ? width / (axis.end || 1) : width / (axis.end + 1);
    const x = axis.by === "time" ? axis.place * unit : (Math.round(axis.place) + 0.5) * unit;
    pen.fillStyle = colour("--text");
    pen.fillRect(Math.min(width - 2, Math.max(0, x - 1)), 0, 2, HEIGHT);
  }

  /** A bar a step: the call that led to it. */
  *bySteps(width) {
    const { steps, calls } = this.side.model;
    const unit = width / (this.axis.end + 1);
    for (const [index, step] of steps.entries())
      yield [index * unit, (index + 1) * unit, step.call === null ? null : calls[step.call]];
  }

  /** A bar a call, as long as it took. */
  *byTime(width) {
    const { calls, lastTime } = this.side.model;
    const { origin } = this.side;
    const unit = width / (this.axis.end || 1);
    for (const call of calls) {
      const from = call.startedAt - origin;
      yield [from * unit, (from + (call.elapsed ?? lastTime - call.startedAt)) * unit, call];
    }
  }
}
