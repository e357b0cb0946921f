/**
 * The badge that says whether the page is up to date: one for all streams that the page follows.
 */
import { get, stream } from "/static/js/api.js";
import { h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { announce, toast } from "/static/js/shell/announce.js";

const states = new Map();
let badge = null;
let shown = "";
/** Whether the server, back again, does not know this browser: it started anew, with another token. */
let shut = false;
let asking = false;

/** The badge, for the header. */
export function connectionBadge() {
  badge = h(
    "span",
    { class: "connection", role: "status" },
    h("span", { class: "dot", "aria-hidden": "true" }),
    h("span", { class: "connection-text" }),
  );
  shown = "";
  draw();
  return badge;
}

/**
 * Follow a stream as `stream` of api.js does, and show in the header how the connection is.
 *
 * @returns {() => void} Closes the stream.
 */
export function follow(path, handlers, onState = () => {}) {
  const id = Symbol(path);
  const close = stream(path, handlers, (state) => {
    states.set(id, state);
    if (state === "lost") askWhy();
    else if (state === "open") shut = false;
    draw();
    onState(state);
  });
  return () => {
    close();
    states.delete(id);
    draw();
  };
}

/** Waiting for a server that is gone differs from one that answers and lets nobody in without its new token. */
async function askWhy() {
  if (asking || shut) return;
  asking = true;
  const { status } = await get("/api/me").catch((error) => error);
  asking = false;
  if (status !== 401) return;
  shut = true;
  draw();
  toast(t("shell.noAccess"), { kind: "error" });
}

function draw() {
  const all = [...states.values()];
  const state = all.includes("lost") ? (shut ? "shut" : "lost") : all.includes("open") ? "open" : "none";
  if (!badge || state === shown) return;
  if (state === "lost") announce(t("shell.connection.lost"), { urgent: true });
  badge.dataset.state = shown = state;
  setText(badge.lastChild, state === "none" ? "" : t(`shell.connection.${state}`));
}
