/**
 * A depth map of a step, coloured by the server, with the range that the colours stand for.
 */
import { h, setText } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { runUrl } from "/static/js/run/pictures.js";

export class DepthView {
  /** @param {string} key The run. */
  constructor(key) {
    this.key = key;
    this.wanted = "";
    this.canvas = h("canvas", { class: "run-view-image", role: "img", hidden: true });
    this.near = h("span", {});
    this.far = h("span", {});
    this.legend = h(
      "p",
      { class: "run-depth-legend small", hidden: true },
      this.near,
      h("span", { class: "run-depth-scale", "aria-hidden": "true" }),
      this.far,
    );
  }

  /** Show a camera's depth at a step; null: nothing. */
  async show(step, camera) {
    const url = step === null ? "" : runUrl(this.key, "depth", String(step), camera);
    if (url === this.wanted) return;
    this.wanted = url;
    this.abort?.abort();
    if (!url) {
      this.canvas.hidden = this.legend.hidden = true;
      return;
    }
    this.abort = new AbortController();
    try {
      const answer = await fetch(url, { signal: this.abort.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      const bitmap = await createImageBitmap(await answer.blob());
      if (url === this.wanted) this.#paint(bitmap, answer.headers.get("X-Depth-Range-M"), camera);
    } catch (error) {
      if (error.name !== "AbortError" && url === this.wanted) this.canvas.hidden = this.legend.hidden = true;
    }
  }

  #paint(bitmap, range, camera) {
    this.canvas.width = bitmap.width;
    this.canvas.height = bitmap.height;
    this.canvas.getContext("2d").drawImage(bitmap, 0, 0);
    this.canvas.hidden = false;
    const [near, far] = (range ?? "").split(",").map(Number);
    const known = Number.isFinite(near) && Number.isFinite(far);
    this.legend.hidden = !known;
    const metres = (value) => `${number(value, { maximumFractionDigits: 2 })} m`;
    if (known) {
      setText(this.near, metres(near));
      setText(this.far, metres(far));
    }
    this.canvas.setAttribute("aria-label", t("run.depthOf", { camera }) + (known ? ` ${metres(near)} – ${metres(far)}` : ""));
  }
}
