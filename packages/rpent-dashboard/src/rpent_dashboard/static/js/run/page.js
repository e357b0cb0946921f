/**
 * The run page: the live monitor and the viewer of finished runs, drawn from the same model.
 */
import { h } from "/static/js/dom.js";
import { replaceQuery } from "/static/js/router.js";
import { RunView } from "/static/js/run/view.js";

/** Show the page of `#/run/KEY?step=N`; returns what takes it away. */
export function mount(root, route) {
  root.classList.add("page-wide");
  const title = document.title;
  const unmount = mountRun(root, route.parts[0] ?? "", {
    step: Number.parseInt(route.query.get("step") ?? "", 10),
    onStep: (step) => replaceQuery(step === null ? {} : { step: String(step) }),
    onTitle: (text) => (document.title = text),
  });
  return () => {
    unmount();
    document.title = title;
  };
}

/**
 * Show a run in an element.
 *
 * @param {HTMLElement} root
 * @param {string} key The run.
 * @param {object} [options]
 * @param {boolean} [options.embedded] Within another page: no head, and the address stays as it is.
 * @param {number} [options.step] The step to open at; otherwise the newest.
 * @param {(model: object) => void} [options.onModel] Told after the model changed, at the rate of drawing.
 * @param {(step: number | null) => void} [options.onStep] Told which step is shown; null: the newest.
 * @param {(text: string) => void} [options.onTitle] Told what the tab should be called.
 * @returns {() => void} Takes it away.
 */
export function mountRun(root, key, options = {}) {
  const place = h("div", { class: "run-place-holder" });
  root.append(place);
  let view = null;
  const restart = () => {
    view?.destroy();
    view = new RunView(place, key, { ...options, onRestart: restart });
  };
  restart();
  return () => {
    view.destroy();
    place.remove();
  };
}
