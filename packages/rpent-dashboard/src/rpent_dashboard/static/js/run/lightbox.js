/**
 * A picture in full, over the page.
 */
import { h } from "/static/js/dom.js";
import { pictureUrl } from "/static/js/run/pictures.js";
import { openDialog } from "/static/js/shell/dialog.js";

/** Show a picture of a run. */
export function lightbox(key, image) {
  const text = image.caption || image.name || "";
  const dialog = openDialog(text, h("img", { class: "run-lightbox", src: pictureUrl(key, image), alt: text }));
  dialog.classList.add("run-lightbox-dialog");
}
