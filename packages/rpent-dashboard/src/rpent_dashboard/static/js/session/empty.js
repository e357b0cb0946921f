/**
 * The page without a session: what one is, how to begin one, and the earlier ones.
 */
import { post } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { moment, t } from "/static/js/i18n.js";
import { routeTo } from "/static/js/router.js";
import { act } from "/static/js/session/act.js";

/**
 * Make the page.
 *
 * @param {boolean} hosting Whether sessions can be opened here.
 * @returns {{element: HTMLElement, update: (earlier: object[]) => void}}
 */
export function emptyPage(hosting) {
  const list = h("ul", { class: "session-earlier" });
  const section = h(
    "section",
    { class: "panel", "aria-labelledby": "earlier-title", hidden: true },
    h("div", { class: "panel-head" }, h("h2", { id: "earlier-title" }, t("session.earlier"))),
    list,
  );
  const element = h(
    "div",
    { class: "session-empty" },
    h(
      "section",
      { class: "panel session-intro" },
      h(
        "div",
        { class: "panel-body" },
        h("h1", {}, t("session.none")),
        h("p", {}, t("session.what")),
        h("ul", {}, ["one", "two", "three"].map((name) => h("li", {}, t(`session.what.${name}`)))),
        hosting
          ? h("a", { class: "btn btn-primary", href: routeTo("launch") }, t("session.new"))
          : h("p", { class: "notice notice-info" }, t("session.notHosting")),
      ),
    ),
    section,
  );
  function update(earlier) {
    section.hidden = earlier.length === 0;
    fill(list, earlier.map(earlierItem));
  }
  return { element, update };
}

function earlierItem(session) {
  const facts = [
    moment(session.created),
    t("session.earlierTasks", { count: session.tasks }),
    session.queued ? t("session.earlierQueued", { count: session.queued }) : null,
    session.interrupted ? t("session.earlierInterrupted", { count: Number(session.interrupted) }) : null,
    session.in_use ? t("session.earlierInUse") : null,
  ];
  const goOn = () => act(`continue:${session.name}`, () => post("/api/session/continue", { name: session.name }));
  return h(
    "li",
    {},
    h(
      "div",
      { class: "session-earlier-facts" },
      h("strong", {}, session.robot),
      h("span", { class: "muted" }, facts.filter(Boolean).join(" · ")),
      h("code", { class: "muted" }, session.name),
    ),
    h(
      "div",
      { class: "session-buttons" },
      h("a", { class: "btn btn-small", href: routeTo("library", [], { session: session.name }) }, t("session.earlierRuns")),
      h(
        "button",
        { type: "button", class: "btn btn-small btn-primary", disabled: Boolean(session.in_use), "aria-label": t("session.continueNamed", { name: session.name }), on: { click: goOn } },
        t("session.continue"),
      ),
    ),
  );
}
