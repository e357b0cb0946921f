/**
 * What stands in place of an empty list.
 */
import { whoAmI } from "/static/js/api.js";
import { h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";

const COMMAND = "rpent run --robot libero --planner flash";

/** There are no runs yet: what to do. */
export async function noRuns() {
  const { output_dir: directory, hosting } = await whoAmI();
  return h(
    "div",
    { class: "panel empty stack" },
    h("h2", {}, t("library.emptyTitle")),
    h("p", {}, t("library.emptyText", { directory })),
    h("pre", { class: "command" }, COMMAND),
    hosting && h("p", {}, h("a", { class: "btn btn-primary", href: routeTo("launch") }, t("library.emptyLaunch"))),
  );
}

/** No run fits the filters. */
export function noMatch(clear) {
  const button = h("button", { class: "btn", type: "button", on: { click: clear } }, t("library.clear"));
  return h("div", { class: "panel empty stack" }, h("p", {}, t("library.noMatch")), h("div", {}, button));
}
