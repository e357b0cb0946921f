/**
 * The two runs at one moment: a picture of each camera beside the other run's, and the calls that led there.
 */
import { fill, h, setText } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { duration } from "/static/js/shell/format.js";
import { viewsAt } from "/static/js/run/model_calls.js";
import { LatestImage, pictureUrl } from "/static/js/run/pictures.js";

const MOST_TEXT = 1500;
const STATUS = {
  ok: "ok",
  running: "accent",
  failed: "error",
  missed: "warn",
  refused: "error",
  cancelled: "warn",
  unfinished: "warn",
};

/** Pictures of both runs, a row for each camera that one of them has. */
export class Pictures {
  constructor(sides) {
    this.sides = sides;
    this.rows = new Map();
    this.node = h("div", { class: "compare-pictures" });
    this.none = h("p", { class: "muted", hidden: true }, t("compare.noPictures"));
    this.node.append(this.none);
  }

  /** Draw the pictures of a position in each run's steps. */
  draw(positions) {
    const cameras = this.cameras();
    for (const camera of cameras) {
      if (!this.rows.has(camera)) this.addRow(camera);
      setText(this.rows.get(camera).title, this.labelOf(camera));
    }
    this.none.hidden = cameras.length > 0;
    this.sides.forEach((side, index) => {
      const step = side.model.steps[positions[index]]?.step ?? -1;
      const found = viewsAt(side.model, step, cameras);
      for (const camera of cameras) this.drawPicture(this.rows.get(camera).cells[index], side, found.get(camera), step);
    });
  }

  /** The cameras of both, in the order of the robots' own lists. */
  cameras() {
    const listed = this.sides.flatMap((side) => (side.detail?.dashboard?.frames ?? []).map((frame) => frame.camera));
    const seen = this.sides.flatMap((side) => [...side.model.cameras.keys()]);
    return [...new Set([...listed.filter((camera) => seen.includes(camera)), ...seen])];
  }

  labelOf(camera) {
    const frames = this.sides.flatMap((side) => side.detail?.dashboard?.frames ?? []);
    return frames.find((frame) => frame.camera === camera)?.label || camera;
  }

  addRow(camera) {
    const cells = this.sides.map((_, index) => viewCell(camera, "AB"[index]));
    const title = h("h3", {});
    this.rows.set(camera, { title, cells });
    this.node.append(
      h(
        "section",
        { class: "stack-s" },
        title,
        h(
          "div",
          { class: "compare-pair" },
          cells.map((cell) => cell.node),
        ),
      ),
    );
  }

  drawPicture({ image, note }, side, view, step) {
    image.show(view ? pictureUrl(side.key, view.image) : "");
    image.node.hidden = !view;
    setText(
      note,
      !view
        ? t("compare.noPicture")
        : view.step === step
          ? t("compare.step", { step })
          : t("compare.fromStep", { step: view.step }),
    );
  }
}

function viewCell(camera, name) {
  const image = new LatestImage({ class: "compare-picture", alt: t("compare.pictureOf", { camera, name }) });
  const note = h("span", { class: "small muted" });
  const caption = h(
    "figcaption",
    { class: "row-s row" },
    h("span", { class: "compare-mark", "aria-hidden": "true" }, name),
    note,
  );
  return { image, note, node: h("figure", { class: "compare-view" }, image.node, caption) };
}

/** The calls of one run that led to the step on view. */
export class Calls {
  constructor(side) {
    this.side = side;
    this.drawn = "";
    this.node = h("div", { class: "stack-s compare-calls" });
  }

  /** Draw those of a position; the same ones are left as they are, with what is open in them. */
  draw(position) {
    const { items } = this.side.model;
    const calls = this.side.callsAt(position);
    const looks = `${position} ${calls.map((call) => `${call.index}:${items[call.item].version}`).join()}`;
    if (looks === this.drawn) return;
    this.drawn = looks;
    const text = position < 0 ? t("compare.notBegun") : t("compare.noCalls");
    fill(
      this.node,
      calls.length ? calls.map((call) => callCard(call, items[call.item])) : h("p", { class: "muted" }, text),
    );
  }
}

function callCard(call, item) {
  const facts = [duration(call.elapsed), call.envSteps > 0 && t("compare.envSteps", { count: number(call.envSteps) })]
    .filter(Boolean)
    .join(" · ");
  const result = item.gone ? t("compare.tooOld") : shorten(JSON.stringify(item.data ?? null, null, 1));
  return h(
    "details",
    { class: "panel compare-call" },
    h(
      "summary",
      { class: "panel-head" },
      h("span", { class: "mono grow truncate" }, signature(call.name, item.arguments)),
      h("span", { class: `badge badge-${STATUS[call.status] ?? "muted"}` }, t(`compare.status.${call.status}`)),
    ),
    h(
      "div",
      { class: "panel-body stack-s" },
      h("p", { class: "small muted" }, facts),
      h("pre", { class: "small" }, signature(call.name, item.arguments)),
      h("pre", { class: "small" }, result),
    ),
  );
}

/** A call as one reads it: `pick(object="bowl", height_m=0.1)`. */
function signature(name, values) {
  const pairs = values !== null && typeof values === "object" ? Object.entries(values) : [];
  return shorten(`${name}(${pairs.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(", ")})`);
}

const shorten = (text) => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
