/**
 * What the cameras see: one picture large, the others beside it as tiles. The large one keeps its space while pictures
 * change.
 */
import { fill, h, setText } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { DepthView } from "/static/js/run/depth.js";
import { viewsAt } from "/static/js/run/model_calls.js";
import { LatestImage, pictureUrl, runUrl } from "/static/js/run/pictures.js";

const DEPTH = ":depth";
const DEPTH_TILE_MS = 1000;

export class Views {
  /**
   * @param {string} key The run.
   * @param {object} model
   */
  constructor(key, model) {
    this.key = key;
    this.model = model;
    this.frames = [];
    this.channels = [];
    this.chosen = "";
    this.tiles = new Map();
    this.main = new LatestImage({ class: "run-view-image" });
    this.depth = new DepthView(key);
    this.overlay = h("div", { class: "run-view-overlay" });
    this.none = h("p", { class: "run-view-none muted" }, t("run.noPicture"));
    this.stage = h("div", { class: "run-view-stage" }, this.none, this.main.node, this.depth.canvas, this.overlay);
    this.caption = h("p", { class: "run-view-caption small" });
    const named = { title: t("run.fullScreen"), "aria-label": t("run.fullScreen") };
    this.full = h("button", { type: "button", class: "btn btn-small btn-icon", ...named }, "⤢");
    this.full.addEventListener("click", () => this.toggleFull());
    this.strip = h("div", { class: "run-tiles", role: "radiogroup", "aria-label": t("run.cameras") });
    this.node = h(
      "section",
      { class: "run-views panel", "aria-label": t("run.views") },
      this.stage,
      h("div", { class: "run-view-foot" }, this.caption, this.depth.legend, this.full),
      this.strip,
    );
    this.strip.addEventListener("keydown", (event) => this.#keys(event));
  }

  /** What the robot says of its cameras. */
  setFrames(frames) {
    this.frames = Array.isArray(frames) ? frames : [];
    this.channels = [];
  }

  /** Fill the screen, or go back. */
  toggleFull() {
    const asked = document.fullscreenElement ? document.exitFullscreen() : this.node.requestFullscreen?.();
    asked?.catch(() => {}); // the browser forbids it, or the page has gone on
  }

  /**
   * Show a moment: `{step, frame}`; a frame (of the call under way, or of a clip) goes before the step's own picture.
   */
  draw({ step, frame, live }) {
    this.#channels();
    const cameras = this.channels.filter((name) => !name.endsWith(DEPTH));
    const views = step === null ? new Map() : viewsAt(this.model, step, cameras);
    if (frame) views.set(this.#cameraOf(frame), { image: frame, step: null });
    for (const [name, tile] of this.tiles) {
      const seen = views.get(name);
      if (name.endsWith(DEPTH)) this.#drawDepthTile(tile, name.slice(0, -DEPTH.length), step);
      else tile.image.show(seen ? pictureUrl(this.key, seen.image) : "");
    }
    this.#drawMain(views, step, live);
  }

  /** The server colours each depth map anew, so a fast run is not followed step by step. */
  #drawDepthTile(tile, camera, step) {
    const now = performance.now();
    if (now - tile.drawn < DEPTH_TILE_MS) return;
    const found = this.#depthStep(camera, step);
    const url = found === null ? "" : runUrl(this.key, "depth", String(found), camera);
    if (url === tile.image.wanted) return;
    tile.drawn = now;
    tile.image.show(url);
    clearTimeout(tile.timer);
    tile.timer = setTimeout(() => this.askDraw?.(), DEPTH_TILE_MS + 50);
  }

  /** A frame of a camera that has no channel belongs to the main one. */
  #cameraOf(frame) {
    return this.channels.includes(frame.name) ? frame.name : this.channels[0];
  }

  #drawMain(views, step, live) {
    const isDepth = this.chosen.endsWith(DEPTH);
    const name = isDepth ? this.chosen.slice(0, -DEPTH.length) : this.chosen;
    const seen = views.get(name);
    this.main.show(seen && !isDepth ? pictureUrl(this.key, seen.image) : "");
    this.main.node.hidden = isDepth || !seen;
    const text = seen && !isDepth ? seen.image.caption || seen.image.name || "" : "";
    if (this.main.node.alt !== text) this.main.node.alt = text;
    this.depth.show(isDepth ? this.#depthStep(name, step) : null, name);
    this.none.hidden = Boolean(seen) || isDepth;
    const words = this.#caption(seen, step, live, isDepth);
    setText(this.caption, words);
    if (this.caption.title !== words) this.caption.title = words;
    const size = this.model.cameras.get(name) ?? seen?.image;
    if (size?.width) this.stage.style.setProperty("--ratio", `${size.width} / ${size.height}`);
    this.stage.classList.toggle("is-small", (size?.width ?? 0) < 512);
  }

  #caption(seen, step, live, isDepth) {
    const parts = [this.#label(this.chosen)];
    if (seen && !isDepth && seen.step !== null && seen.step !== step) parts.push(t("run.stepOld", { step: seen.step }));
    else if (step !== null) parts.push(t("run.step", { step }));
    const known = step === null ? null : this.model.stepsByIndex.get(step);
    if (known) parts.push(t("run.envSteps", { count: number(known.envSteps) }));
    if (live) parts.push(t("run.live"));
    return parts.filter(Boolean).join(" · ");
  }

  /** The newest step up to this one whose depth is stored. */
  #depthStep(camera, step) {
    for (let index = step ?? -1; index >= 0 && index > (step ?? 0) - 50; index -= 1) {
      if (this.model.stepsByIndex.get(index)?.depth.includes(camera)) return index;
    }
    return null;
  }

  /** Which cameras there are: those that showed something, in the order in which the robot names them. */
  #channels() {
    const seen = this.model.cameras;
    const named = this.frames.map((frame) => frame.camera).filter((camera) => !seen.size || seen.has(camera));
    const cameras = new Set([...named, ...seen.keys()]);
    const depth = new Set();
    for (const camera of this.model.latest.step?.depth ?? []) depth.add(camera);
    for (const camera of this.model.steps[0]?.depth ?? []) depth.add(camera);
    const names = [...cameras, ...[...depth].map((camera) => camera + DEPTH)];
    if (names.join("\n") === this.channels.join("\n")) return;
    this.channels = names;
    if (!names.includes(this.chosen)) this.chosen = names[0] ?? "";
    this.#makeTiles();
  }

  #makeTiles() {
    this.tiles.clear();
    const nodes = this.channels.map((name) => {
      const image = new LatestImage({ class: "run-tile-image" });
      const node = h(
        "button",
        { type: "button", class: "run-tile", role: "radio", title: this.#label(name), on: { click: () => this.choose(name) } },
        image.node,
        h("span", { class: "run-tile-label" }, this.#label(name)),
      );
      this.tiles.set(name, { node, image, drawn: -Infinity, timer: 0 });
      return node;
    });
    fill(this.strip, nodes);
    this.strip.hidden = nodes.length < 2;
    this.#markTiles();
  }

  #label(name) {
    const camera = name.endsWith(DEPTH) ? name.slice(0, -DEPTH.length) : name;
    const frame = this.frames.find((known) => known.camera === camera);
    const label = frame?.label || camera;
    return name.endsWith(DEPTH) ? t("run.depthOf", { camera: label }) : label;
  }

  /** Show a camera large. */
  choose(name) {
    this.chosen = name;
    this.#markTiles();
    this.askDraw?.();
  }

  #markTiles() {
    for (const [name, { node }] of this.tiles) {
      node.setAttribute("aria-checked", String(name === this.chosen));
      node.tabIndex = name === this.chosen ? 0 : -1;
    }
  }

  #keys(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.channels.indexOf(this.chosen);
    this.choose(this.channels[(at + by + this.channels.length) % this.channels.length]);
    this.tiles.get(this.chosen).node.focus();
  }
}
