/**
 * The run page's keys.
 */
import { t } from "/static/js/i18n.js";
import { bindKeys } from "/static/js/shell/keys.js";

/** Bind them; returns what unbinds them. */
export function runKeys({ next, live, play, search, step, full }) {
  const onButton = (event) => event.target instanceof Element && event.target.closest("button, a, summary, video") !== null;
  return bindKeys(t("run.keys"), [
    { keys: ["j"], label: t("run.key.next"), run: () => next(1) },
    { keys: ["k"], label: t("run.key.previous"), run: () => next(-1) },
    { keys: ["h"], label: t("run.key.stepBack"), run: () => step(-1) },
    { keys: ["l"], label: t("run.key.stepForward"), run: () => step(1) },
    { keys: ["."], label: t("run.key.live"), run: live },
    { keys: [" "], label: t("run.key.play"), run: (event) => (onButton(event) ? false : play()) },
    { keys: ["f"], label: t("run.key.full"), run: full },
    { keys: ["/"], label: t("run.key.search"), run: search },
  ]);
}
