/**
 * Plays the clip of a call: its frames where there are any, else its part of the episode's video, else its picture.
 */
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { runUrl } from "/static/js/run/pictures.js";

const FRAME_MS = 200;

export class Player {
  /**
   * @param {string} key The run.
   * @param {{overlay: HTMLElement, onFrame: (frame: object | null) => void, onState: (playing: boolean) => void}} where
   */
  constructor(key, { overlay, onFrame, onState }) {
    Object.assign(this, { key, overlay, onFrame, onState, timer: 0, playing: false, hasVideo: false });
  }

  /** Play a call's clip from its beginning; false: it has none. */
  play(call) {
    this.stop();
    if (!call) return false;
    if (call.frames.length > 1) this.#playFrames(call.frames);
    else if (call.video && this.hasVideo) this.#playVideo(call.video);
    else return false;
    this.playing = true;
    this.onState(true);
    return true;
  }

  /** Whether a call has a clip. */
  can(call) {
    return Boolean(call && (call.frames.length > 1 || (call.video && this.hasVideo)));
  }

  /** Stop, and show the step's own picture again. */
  stop() {
    if (!this.playing) return;
    this.playing = false;
    clearTimeout(this.timer);
    this.video?.pause();
    this.video = null;
    fill(this.overlay);
    this.onFrame(null);
    this.onState(false);
  }

  #playFrames(frames) {
    let at = 0;
    const next = () => {
      if (at >= frames.length) return this.stop();
      this.onFrame(frames[at]);
      at += 1;
      this.timer = setTimeout(next, FRAME_MS);
    };
    next();
  }

  #playVideo([from, to]) {
    const video = h("video", {
      class: "run-view-video",
      src: `${runUrl(this.key, "files", "episode.mp4")}#t=${from},${to}`,
      muted: true,
      playsinline: true,
      "aria-label": t("run.clip"),
    });
    video.muted = true;
    video.addEventListener("timeupdate", () => video.currentTime >= to - 0.02 && this.stop());
    video.addEventListener("ended", () => this.stop());
    video.addEventListener("pause", () => video.currentTime >= to - 0.1 && this.stop());
    video.addEventListener("error", () => this.stop());
    this.video = video;
    fill(this.overlay, video);
    video.play().catch(() => this.stop());
  }
}
