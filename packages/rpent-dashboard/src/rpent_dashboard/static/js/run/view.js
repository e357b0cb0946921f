/**
 * One run on the page: the stream fills the model, the cursor says which moment is shown, and all parts are drawn
 * together at a bounded rate.
 */
import { get } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { Conversation } from "/static/js/run/conversation.js";
import { Details } from "/static/js/run/details.js";
import { Head } from "/static/js/run/head.js";
import { runKeys } from "/static/js/run/keys.js";
import { layout } from "/static/js/run/layout.js";
import { lightbox } from "/static/js/run/lightbox.js";
import { createModel, fold, giveUp } from "/static/js/run/model.js";
import { lastPosition, stepOf } from "/static/js/run/model_calls.js";
import { runUrl } from "/static/js/run/pictures.js";
import { Player } from "/static/js/run/player.js";
import { Restorer } from "/static/js/run/restore.js";
import { scheduler } from "/static/js/run/schedule.js";
import { Scrubber } from "/static/js/run/scrubber.js";
import { describe, Timeline } from "/static/js/run/timeline.js";
import { Views } from "/static/js/run/views.js";
import { announce } from "/static/js/shell/announce.js";
import { follow } from "/static/js/shell/connection.js";

export class RunView {
  constructor(root, key, options) {
    this.key = key;
    this.options = options;
    this.model = createModel();
    this.detail = null;
    this.ended = false;
    this.opened = performance.now();
    /** Which moment is shown: the newest, or a step; and the call that was chosen. */
    this.cursor = { newest: !(options.step >= 0), step: options.step >= 0 ? options.step : null, call: -1 };
    this.clip = null;
    this.schedule = scheduler(() => this.#draw());
    this.#makeParts();
    fill(root, this.node);
    this.#listen();
    this.load();
    this.ticker = setInterval(() => this.#running() && this.schedule.request(), 1000);
  }

  #makeParts() {
    const { key, model, options } = this;
    this.restorer = new Restorer(key, () => this.schedule.request());
    const context = {
      key,
      model,
      open: new Map(),
      restore: (item) => this.restorer.restore(item),
      select: (step, call) => (call === null ? this.goToStep(step) : this.selectCall(model.calls[call], { scroll: false })),
      showPicture: (image) => lightbox(key, image),
      serviceLabel: (name) => this.detail?.dashboard?.service_labels?.[name] ?? name,
      isLive: () => this.#running(),
    };
    this.conversation = new Conversation(context);
    this.views = new Views(key, model);
    this.views.askDraw = () => this.schedule.request();
    this.timeline = new Timeline(model, (call) => this.selectCall(call));
    this.scrubber = new Scrubber({
      onStep: (position) => this.goToStep(model.steps[Math.max(0, Math.min(position, model.steps.length - 1))]?.step),
      onPlay: () => this.play(),
      onLive: () => this.goLive(),
    });
    this.player = new Player(key, {
      overlay: this.views.overlay,
      onFrame: (frame) => ((this.clip = frame), this.schedule.request()),
      onState: () => this.schedule.request(),
    });
    this.details = new Details(key, model);
    this.head = new Head(key, model, { embedded: Boolean(options.embedded) });
    const watch = h("div", { class: "run-watch" }, this.views.node, this.scrubber.node, this.timeline.node);
    this.node = layout(this.head.node, this.conversation.node, watch, this.details.node, Boolean(options.embedded));
  }

  #listen() {
    this.unbind = runKeys({
      next: (by) => this.#nextCall(by),
      live: () => this.goLive(),
      play: () => this.play(),
      search: () => this.conversation.focusSearch(),
      step: (by) => this.#nextStep(by),
      full: () => this.views.toggleFull(),
    });
    this.close = follow(runUrl(this.key, "stream"), {
      events: (events) => this.#take(events),
      manifest: () => this.load(),
      restart: () => this.options.onRestart?.(),
      end: () => this.#end(),
    });
  }

  /** Ask the server for what it knows of the run's directory. */
  async load() {
    try {
      const detail = await get(runUrl(this.key));
      if (this.gone) return;
      this.detail = detail;
      this.#renameServices();
      this.head.setDetail(detail);
      this.details.setDetail(detail);
      this.views.setFrames(detail.dashboard?.frames);
      this.player.hasVideo = Boolean(detail.files?.["episode.mp4"]) && !detail.live;
    } catch (error) {
      if (this.gone) return;
      this.head.setProblem(error);
      if (error.status !== 404) return this.schedule.request();
      this.detail = null;
      this.#missing();
    }
    this.schedule.request();
  }

  /** Rows that name services were perhaps made before it was known what people call them. */
  #renameServices() {
    for (const item of this.model.items) if (["service", "recovered"].includes(item.kind)) item.version += 1;
  }

  /** There is no such run: nothing to wait for. */
  #missing() {
    this.close();
    this.ended = true;
    this.node.classList.add("is-missing-run");
  }

  #take(events) {
    fold(this.model, events);
    if (this.cursor.newest) this.player.stop();
    this.schedule.request();
  }

  #end() {
    this.ended = true;
    if (!this.model.over) giveUp(this.model);
    this.load();
    this.close();
    this.close = follow("/api/library/stream", { changed: () => this.#lookAgain() });
  }

  /** Something changed below the output directory: this run may have been resumed, or deleted. */
  async #lookAgain() {
    await this.load();
    if (!this.gone && this.detail?.live) this.options.onRestart?.();
  }

  /** Whether events are still to come. */
  #running() {
    return !this.ended && !this.model.over && this.detail?.live !== false;
  }

  #draw() {
    const { model, cursor } = this;
    const position = cursor.newest ? model.steps.length - 1 : lastPosition(model.steps, cursor.step);
    const step = model.steps[position]?.step ?? null;
    const running = this.#running();
    this.conversation.draw();
    const frame = this.clip ?? (cursor.newest ? model.latest.frame : null);
    this.views.draw({ step, frame, live: cursor.newest && running });
    this.timeline.draw(cursor.call);
    this.scrubber.draw({
      count: model.steps.length,
      position,
      step,
      newest: cursor.newest,
      running,
      playing: this.player.playing,
      playable: this.player.can(this.#callShown()),
    });
    this.details.draw(running ? Date.now() / 1000 : model.lastTime);
    this.head.draw(running);
    this.options.onTitle?.(this.head.title(running));
    this.options.onModel?.(model);
    this.#openAtStep();
  }

  /** A link that names a step also brings the call that led to it into view, as soon as it is there. */
  #openAtStep() {
    if (this.wasOpened || this.cursor.newest) return;
    const step = this.model.stepsByIndex.get(this.cursor.step);
    if (!step) return;
    this.wasOpened = true;
    if (step.call !== null) this.selectCall(this.model.calls[step.call]);
  }

  #callShown() {
    const { cursor, model } = this;
    if (cursor.call >= 0) return model.calls[cursor.call];
    const step = cursor.newest ? model.steps.at(-1) : model.stepsByIndex.get(cursor.step);
    return step?.call == null ? undefined : model.calls[step.call];
  }

  /** Show a call: its step, its bar, its row. */
  selectCall(call, { scroll = true } = {}) {
    if (!call) return;
    this.player.stop();
    this.cursor = { newest: false, step: stepOf(call), call: call.index };
    this.#moved();
    this.conversation.show(call.item, { scroll });
  }

  /** Show a step. */
  goToStep(step) {
    const known = this.model.stepsByIndex.get(step);
    if (!known) return;
    this.player.stop();
    this.cursor = { newest: false, step, call: known.call ?? -1 };
    this.#moved();
    this.conversation.show(known.call === null ? -1 : this.model.calls[known.call].item);
  }

  /** Show the newest, from now on. */
  goLive() {
    this.player.stop();
    this.cursor = { newest: true, step: null, call: -1 };
    this.conversation.show(-1);
    this.conversation.toEnd();
    this.#moved();
  }

  /** Play the clip of the call on view, or stop it. */
  play() {
    if (this.player.playing) return this.player.stop();
    const call = this.#callShown();
    if (!this.player.can(call)) return;
    if (this.cursor.newest) this.selectCall(call);
    this.player.play(call);
  }

  #moved() {
    this.options.onStep?.(this.cursor.newest ? null : this.cursor.step);
    this.schedule.request();
  }

  #nextCall(by) {
    const { calls } = this.model;
    const from = this.cursor.call >= 0 ? this.cursor.call : by > 0 ? -1 : calls.length;
    const call = calls[Math.max(0, Math.min(calls.length - 1, from + by))];
    this.selectCall(call);
    if (call) announce(describe(call));
  }

  #nextStep(by) {
    const { steps } = this.model;
    const at = this.cursor.newest ? steps.length - 1 : lastPosition(steps, this.cursor.step);
    const to = by === Infinity ? steps.length - 1 : by === -Infinity ? 0 : at + by;
    if (steps[to]) this.goToStep(steps[to].step);
  }

  destroy() {
    this.gone = true;
    clearInterval(this.ticker);
    this.close();
    this.unbind();
    this.schedule.stop();
    this.player.stop();
    for (const part of [this.conversation, this.timeline, this.details]) part.destroy();
  }
}
