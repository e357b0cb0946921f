/**
 * The files of a run: the episode's video to watch, and what can be downloaded.
 */
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { pictureUrl, runUrl } from "/static/js/run/pictures.js";
import { bytes } from "/static/js/shell/format.js";

const FILES = ["recipe.jsonl", "episode.mp4", "transcript.json", "events.jsonl", "run.json"];

/** What the panel holds, from the server's detail of a run. */
export function filesPanel(key, { files = {}, live = false, row = {} }) {
  const names = FILES.filter((name) => name in files);
  if (!names.length) return h("p", { class: "muted small" }, t("run.noFiles"));
  const hasVideo = Boolean(files["episode.mp4"]) && !live;
  return [
    hasVideo ? episode(key, row?.thumbnail) : null,
    h("ul", { class: "run-files" }, names.map((name) => entry(key, name, files[name]))),
  ];
}

function episode(key, thumbnail) {
  return h("video", {
    class: "run-episode",
    src: runUrl(key, "files", "episode.mp4"),
    controls: true,
    preload: "none",
    poster: thumbnail ? pictureUrl(key, thumbnail) : null,
    playsinline: true,
    "aria-label": t("run.episode"),
  });
}

function entry(key, name, size) {
  const link = h("a", { href: `${runUrl(key, "files", name)}?download=1`, download: "" }, t(`run.file.${name}`));
  return h("li", {}, link, " ", h("span", { class: "muted small" }, `${name} · ${bytes(size)}`));
}
