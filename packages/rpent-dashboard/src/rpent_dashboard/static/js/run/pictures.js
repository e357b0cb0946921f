/**
 * Pictures of a run: their address, and figures that keep their space before they are loaded.
 */
import { h } from "/static/js/dom.js";

/** A part of an address; one that leads up stays a name, which no file has. */
const segment = (name) => encodeURIComponent(name).replace(/^\.+$/, "-");
const segments = (path) => String(path).split("/").map(segment).join("/");

/** Address of a file below a run. */
export const runUrl = (key, ...parts) => ["/api/runs", encodeURIComponent(key), ...parts.map(segments)].join("/");

/** Address of a picture: by its content, so that it is fetched once. */
export const pictureUrl = (key, { sha256, path }) => runUrl(key, "pictures", sha256 || "-", path);

/**
 * A picture with its caption. It opens in full when it is activated.
 *
 * @param {string} key The run.
 * @param {object} image A picture reference of an event.
 * @param {(image: object) => void} onOpen
 */
export function figure(key, image, onOpen) {
  const text = image.caption || image.name || "";
  const picture = h("img", {
    class: "run-picture",
    src: pictureUrl(key, image),
    alt: text,
    width: image.width || null,
    height: image.height || null,
    decoding: "async",
    draggable: "false",
  });
  if (image.width && image.height) picture.style.setProperty("aspect-ratio", `${image.width} / ${image.height}`);
  const button = h("button", { type: "button", class: "run-picture-button", title: text }, picture);
  button.addEventListener("click", () => onOpen(image));
  const node = h("figure", { class: "run-figure" }, button, h("figcaption", {}, text));
  picture.addEventListener("error", () => node.classList.add("is-missing"), { once: true });
  return node;
}

/**
 * An image element that shows the newest address it was given, one load at a time: while one is on its way, those in
 * between are skipped, so that a fast series never starves.
 */
export class LatestImage {
  constructor(props = {}) {
    this.node = h("img", { decoding: "async", alt: "", draggable: "false", ...props });
    this.wanted = "";
    this.loading = false;
    this.shown = "";
    const done = () => {
      this.loading = false;
      if (this.wanted !== this.shown) this.#load();
    };
    this.node.addEventListener("load", () => (this.node.classList.remove("is-missing"), done()));
    this.node.addEventListener("error", () => (this.node.classList.add("is-missing"), done()));
  }

  /** Show this address as soon as it is there; empty: nothing. */
  show(url) {
    this.wanted = url;
    if (!this.loading && url !== this.shown) this.#load();
  }

  #load() {
    this.shown = this.wanted;
    if (!this.shown) {
      this.node.removeAttribute("src");
      return;
    }
    this.loading = true;
    this.node.src = this.shown;
  }
}
