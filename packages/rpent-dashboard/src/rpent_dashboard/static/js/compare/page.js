/**
 * Two runs side by side: `#/compare/A/B?by=time&at=12`.
 */
import { append, fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { go, replaceQuery, routeTo } from "/static/js/router.js";
import { scheduler } from "/static/js/run/schedule.js";
import { duration } from "/static/js/shell/format.js";
import { bindKeys } from "/static/js/shell/keys.js";
import { Axis } from "/static/js/compare/axis.js";
import { drawMeasures, drawSetUp } from "/static/js/compare/differences.js";
import { drawHead } from "/static/js/compare/head.js";
import { Calls, Pictures } from "/static/js/compare/moment.js";
import { Side } from "/static/js/compare/side.js";
import { Track } from "/static/js/compare/track.js";

const TIME_STEPS = 1000;

/** Show the comparison. */
export function mount(root, { parts, query }) {
  if (parts.length < 2 || !parts[0] || !parts[1]) {
    const link = h("a", { href: "#/" }, t("compare.toLibrary"));
    append(
      root,
      h(
        "div",
        { class: "stack" },
        h("h1", {}, t("compare.title")),
        h("p", { class: "notice" }, t("compare.needTwo"), link),
      ),
    );
    return () => {};
  }
  const page = new Comparison(parts, query);
  append(root, page.node);
  page.start();
  return () => page.stop();
}

class Comparison {
  constructor([a, b], query) {
    this.schedule = scheduler(() => this.draw());
    this.sides = [a, b].map((key) => new Side(key, () => this.schedule.request()));
    const at = query.get("at");
    this.axis = new Axis(this.sides, query.get("by"), at === null || !Number.isFinite(Number(at)) ? null : Number(at));
    this.heads = this.sides.map(() => h("section", { class: "panel compare-head" }));
    this.tracks = this.sides.map((side, index) => new Track(side, "AB"[index], (place) => this.goTo(place)));
    this.pictures = new Pictures(this.sides);
    this.calls = this.sides.map((side) => new Calls(side));
    this.measures = h("tbody");
    this.setUp = h("div", { class: "panel-body stack-s" });
    this.makeScrubber();
    this.node = this.layout();
  }

  start() {
    this.unbind = bindKeys(t("compare.title"), [
      { keys: ["ArrowRight", "l"], label: t("compare.next"), run: () => this.step(1) },
      { keys: ["ArrowLeft", "h"], label: t("compare.previous"), run: () => this.step(-1) },
      { keys: ["Home"], label: t("compare.first"), run: () => this.goTo(0) },
      { keys: ["End"], label: t("compare.last"), run: () => this.goTo(Infinity) },
      { keys: ["t"], label: t("compare.toggle"), run: () => this.turn(this.axis.by === "time" ? "step" : "time") },
      { keys: ["s"], label: t("compare.swap"), run: () => this.swap() },
    ]);
    this.resized = new ResizeObserver(() => this.schedule.request());
    this.resized.observe(this.tracks[0].canvas);
    this.themed = new MutationObserver(() => this.schedule.request());
    this.themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.ticking = setInterval(() => this.sides.some((side) => side.running) && this.schedule.request(), 1000);
    for (const side of this.sides) side.start();
  }

  stop() {
    clearInterval(this.ticking);
    this.resized.disconnect();
    this.themed.disconnect();
    this.unbind();
    this.schedule.stop();
    for (const side of this.sides) side.stop();
  }

  makeScrubber() {
    const button = (sign, label, act) =>
      h(
        "button",
        {
          class: "btn btn-small btn-icon",
          type: "button",
          "aria-label": t(label),
          title: t(label),
          on: { click: act },
        },
        sign,
      );
    this.range = h("input", {
      type: "range",
      class: "grow",
      min: 0,
      "aria-label": t("compare.scrub"),
      on: { input: () => this.goTo(Number(this.range.value)) },
    });
    this.place = h("output", { class: "small compare-place" });
    this.modes = ["step", "time"].map((by) =>
      h(
        "button",
        { class: "btn btn-small", type: "button", on: { click: () => this.turn(by) } },
        t(`compare.by.${by}`),
      ),
    );
    const modes = h("div", { class: "row row-s", role: "group", "aria-label": t("compare.alignBy") }, this.modes);
    this.scrubber = h(
      "div",
      { class: "row compare-scrubber" },
      button("‹", "compare.previous", () => this.step(-1)),
      this.range,
      button("›", "compare.next", () => this.step(1)),
      this.place,
      modes,
    );
  }

  layout() {
    const swap = h(
      "button",
      { class: "btn", type: "button", on: { click: () => this.swap() } },
      h("span", { "aria-hidden": "true" }, "⇄"),
      t("compare.swap"),
    );
    const columns = ["compare.measure", "", "", "compare.difference"].map((key, index) =>
      h("th", { scope: "col", class: index ? "num" : "" }, key ? t(key) : "AB"[index - 1]),
    );
    const table = h("table", { class: "table" }, h("thead", {}, h("tr", {}, columns)), this.measures);
    const panel = (title, content) =>
      h("section", { class: "panel" }, h("h2", { class: "panel-head" }, title), content);
    return h(
      "div",
      { class: "stack-l" },
      h("div", { class: "row row-between" }, h("h1", {}, t("compare.title")), swap),
      h("div", { class: "split compare-heads" }, this.heads),
      h(
        "section",
        { class: "panel compare-sync", "aria-label": t("compare.timeline") },
        h(
          "div",
          { class: "panel-body stack-s" },
          this.tracks.map((track) => track.node),
          this.scrubber,
        ),
      ),
      panel(t("compare.pictures"), h("div", { class: "panel-body" }, this.pictures.node)),
      panel(
        t("compare.calls"),
        h(
          "div",
          { class: "panel-body split" },
          this.calls.map((calls, index) =>
            h("div", { class: "stack-s" }, h("h3", {}, h("span", { class: "compare-mark" }, "AB"[index])), calls.node),
          ),
        ),
      ),
      h(
        "div",
        { class: "split" },
        panel(t("compare.differences"), h("div", { class: "scroll-x" }, table)),
        panel(t("compare.setUp"), this.setUp),
      ),
    );
  }

  goTo(place) {
    this.axis.goTo(place);
    this.moved();
  }

  step(by) {
    this.axis.step(by);
    this.moved();
  }

  turn(by) {
    this.axis.turn(by);
    this.moved();
  }

  moved() {
    const { by, at } = this.axis;
    replaceQuery({ by: by === "time" ? "time" : "", at: at === null ? "" : Number(at.toFixed(2)) });
    this.schedule.request();
  }

  swap() {
    const { by, at } = this.axis;
    go("compare", this.sides.map((side) => side.key).reverse(), {
      by: by === "time" ? "time" : "",
      at: at === null ? "" : at,
    });
  }

  draw() {
    const { axis, sides } = this;
    const positions = sides.map((side) => axis.position(side));
    sides.forEach((side, index) => {
      drawHead(
        this.heads[index],
        side,
        "AB"[index],
        routeTo("run", [side.key], { step: side.model.steps[positions[index]]?.step }),
      );
      this.tracks[index].draw(axis);
      this.calls[index].draw(positions[index]);
    });
    this.pictures.draw(positions);
    this.drawScrubber(positions);
    drawMeasures(this.measures, sides);
    this.drawSetUp();
  }

  drawScrubber(positions) {
    const { by, end, place } = this.axis;
    this.range.max = String(end);
    this.range.step = by === "time" ? String(end / TIME_STEPS || 1) : "1";
    if (document.activeElement !== this.range || Math.abs(Number(this.range.value) - place) > end / TIME_STEPS)
      this.range.value = String(place);
    this.range.disabled = end === 0;
    const steps = this.sides
      .map((side, index) => `${"AB"[index]} ${side.model.steps[positions[index]]?.step ?? "–"}`)
      .join(" · ");
    const text = t("compare.place", { place: steps });
    setText(this.place, by === "time" ? `${duration(place)} · ${text}` : text);
    this.range.setAttribute("aria-valuetext", this.place.textContent);
    this.modes.forEach((button, index) =>
      button.setAttribute("aria-pressed", String((index === 0) === (by === "step"))),
    );
  }

  /** The set-up changes rarely; what somebody reads there stays still. */
  drawSetUp() {
    const looks = JSON.stringify(this.sides.map((side) => side.detail?.manifest ?? null));
    if (looks === this.shownSetUp) return;
    this.shownSetUp = looks;
    fill(this.setUp);
    drawSetUp(this.setUp, this.sides);
  }
}
