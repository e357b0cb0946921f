/**
 * Doing something on the server once: a second click while it is under way, or right behind it, does nothing.
 */
import { announce, toast } from "/static/js/shell/announce.js";

/** How long a second click on the same thing still belongs to the first. */
export const REST_MS = 400;
const underWay = new Set();

/** What went wrong, as one line: the sentence and the hint. */
export const sentence = (error) => [error.message, error.hint].filter(Boolean).join(" ");

/**
 * Carry out an action unless the same one is under way.
 *
 * @param {string} name What it is, such as `stop:12`; only one of a name at a time.
 * @param {() => Promise<any>} work The request.
 * @param {{done?: string, failed?: (error: Error) => boolean}} [options] `done`: what screen readers say when it
 *   worked; everybody else sees it on the page.
 *   `failed` may show an error itself and return true; otherwise it becomes a toast.
 * @returns {Promise<any>} What `work` gave; undefined where it was not done or failed.
 */
export async function act(name, work, { done = "", failed = () => false } = {}) {
  if (underWay.has(name)) return undefined;
  underWay.add(name);
  try {
    const result = await work();
    setTimeout(() => underWay.delete(name), REST_MS);
    if (done) announce(done);
    return result ?? true;
  } catch (error) {
    underWay.delete(name);
    if (!failed(error)) toast(sentence(error), { kind: "error" });
    return undefined;
  }
}
