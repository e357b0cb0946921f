/**
 * Talking to the server: requests that carry the CSRF header, and streams that go on where they stopped.
 */

import { t } from "/static/js/i18n.js";
import { takeTurns } from "/static/js/turns.js";

/** What the server refused: one sentence, a hint, and the field that it is about, where there is one. */
export class ApiError extends Error {
  constructor(status, { message, hint = "", field = "" } = {}) {
    super(message || `HTTP ${status}`);
    this.status = status;
    this.hint = hint;
    this.field = field;
  }
}

let me = null;

/** Who this is: `{version, csrf, ...}`, asked once. */
export async function whoAmI() {
  me ??= await get("/api/me");
  return me;
}

/** GET, as JSON. */
export async function get(path, { signal } = {}) {
  return answer(await reach(path, { headers: { Accept: "application/json" }, signal }));
}

/** POST JSON. */
export const post = (path, body = {}) => change("POST", path, body);

/** DELETE. */
export const del = (path) => change("DELETE", path);

async function change(method, path, body) {
  const { csrf } = await whoAmI();
  const headers = { Accept: "application/json", "X-RPent-CSRF": csrf };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return answer(await reach(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }));
}

/** Send; a server that is gone is told of in the user's words, not in the browser's. */
async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ApiError(0, { message: t("shell.unreachable") });
  }
}

async function answer(response) {
  const body = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : null;
  if (!response.ok) throw new ApiError(response.status, body?.error);
  return body;
}

/**
 * Follow a stream of server-sent events. It reconnects by itself, goes on behind the last event that arrived, and
 * rests while the page is hidden; with the streams of other windows it takes turns.
 *
 * @param {string} path Address of the stream.
 * @param {Object<string, (data: any, id: string) => void>} handlers Name of an event → what to do with its data.
 * @param {(state: "open" | "lost" | "ended") => void} [onState] Told how the connection is.
 * @returns {() => void} Closes the stream.
 */
export function stream(path, handlers, onState = () => {}) {
  let source = null;
  let last = "";
  let over = false;
  let leave = null;
  let mayOpen = false;

  const open = () => {
    if (over || source || !mayOpen) return;
    const url = new URL(path, location.href);
    if (last) url.searchParams.set("from", last);
    source = new EventSource(url);
    source.onopen = () => onState("open");
    source.onerror = () => {
      onState("lost");
      if (source?.readyState === EventSource.CLOSED) {
        shut();
        setTimeout(open, 2000);
      }
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) last = event.lastEventId;
        handle(event.data ? JSON.parse(event.data) : null, event.lastEventId);
      });
    }
    source.addEventListener("end", () => {
      over = true;
      rest();
      onState("ended");
    });
  };
  const shut = () => {
    source?.close();
    source = null;
  };
  const follow = () => {
    if (over || leave) return;
    const begin = () => {
      mayOpen = true;
      open();
    };
    const end = () => {
      mayOpen = false;
      shut();
    };
    leave = takeTurns(begin, end);
  };
  const rest = () => {
    mayOpen = false;
    shut();
    leave?.();
    leave = null;
  };
  const onVisibility = () => (document.hidden ? rest() : follow());

  document.addEventListener("visibilitychange", onVisibility);
  follow();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", onVisibility);
    rest();
  };
}
