/**
 * The session page. What it shows comes from the session's stream only, so that every browser shows the same.
 */
import { get, whoAmI } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { emptyPage } from "/static/js/session/empty.js";
import { openSession } from "/static/js/session/open.js";
import { toastError } from "/static/js/shell/announce.js";
import { follow } from "/static/js/shell/connection.js";

/** Show the page; returns what takes it away. */
export async function mount(root) {
  const { hosting } = await whoAmI();
  const body = h("div", { class: "session-body" }, h("p", { class: "muted" }, t("session.loading")));
  let view = null;
  fill(root, body);

  function show(state) {
    const name = state?.name ?? "";
    root.classList.toggle("has-session", Boolean(state));
    if (view?.name !== name) {
      view?.unmount?.();
      view = state ? { name, ...openSession() } : { name, ...emptyPage(hosting) };
      fill(body, view.element);
    }
    if (state) view.update(state);
    else showEarlier(view);
  }

  async function showEarlier(mine) {
    try {
      const { earlier } = await get("/api/session");
      if (mine === view) mine.update(earlier);
    } catch (error) {
      toastError(error);
    }
  }

  const close = follow("/api/session/stream", { session: show });
  return () => {
    close();
    view?.unmount?.();
  };
}
