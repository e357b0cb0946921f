/**
 * Moving through the steps: a slider with buttons, and the way back to what happens now.
 */
import { h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";

export class Scrubber {
  /** @param {{onStep: (position: number) => void, onPlay: () => void, onLive: () => void}} actions */
  constructor({ onStep, onPlay, onLive }) {
    this.range = h("input", {
      type: "range",
      class: "run-range",
      min: "0",
      max: "0",
      step: "1",
      "aria-label": t("run.scrub"),
      on: { input: () => onStep(Number(this.range.value)) },
    });
    const button = (sign, label, click, look = "") => {
      const named = { title: t(label), "aria-label": t(label), on: { click } };
      return h("button", { type: "button", class: `btn btn-small btn-icon ${look}`, ...named }, sign);
    };
    this.back = button("‹", "run.stepBack", () => onStep(Number(this.range.value) - 1));
    this.forward = button("›", "run.stepForward", () => onStep(Number(this.range.value) + 1));
    this.playButton = button("▶", "run.play", onPlay, "run-play");
    this.live = h("button", { type: "button", class: "btn btn-small run-live", on: { click: onLive } }, t("run.newest"));
    this.place = h("output", { class: "run-place small" });
    this.node = h(
      "div",
      { class: "run-scrubber panel", role: "group", "aria-label": t("run.scrub") },
      this.back,
      this.playButton,
      this.forward,
      this.range,
      this.place,
      this.live,
    );
  }

  /** Draw: `position` in the list of steps, `label` of the step there. */
  draw({ count, position, step, newest, running, playing, playable }) {
    this.range.max = String(Math.max(0, count - 1));
    this.range.disabled = count < 2;
    if (Number(this.range.value) !== position) this.range.value = String(Math.max(0, position));
    const text = step === null ? t("run.noSteps") : t("run.stepOf", { step, last: count ? count - 1 : 0 });
    this.range.setAttribute("aria-valuetext", text);
    setText(this.place, text);
    this.back.disabled = position <= 0;
    this.forward.disabled = position >= count - 1;
    this.playButton.disabled = !playable && !playing;
    setText(this.playButton, playing ? "❚❚" : "▶");
    const label = playing ? t("run.pause") : t("run.play");
    if (this.playButton.title !== label) {
      this.playButton.title = label;
      this.playButton.setAttribute("aria-label", label);
    }
    setText(this.live, running ? t("run.live") : t("run.newest"));
    this.live.setAttribute("aria-pressed", String(newest));
    this.live.classList.toggle("is-running", running);
  }
}
