/**
 * The page: a header that stays, and below it one of the pages.
 */
import { whoAmI } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { parseRoute } from "/static/js/router.js";
import { liveRegions } from "/static/js/shell/announce.js";
import { header } from "/static/js/shell/header.js";
import { bindKeys, showShortcuts } from "/static/js/shell/keys.js";

/** Page → module with `mount(root, route) -> unmount`. Loaded when it is first shown. */
const PAGES = {
  library: () => import("/static/js/library/page.js"),
  run: () => import("/static/js/run/page.js"),
  compare: () => import("/static/js/compare/page.js"),
  session: () => import("/static/js/session/page.js"),
  launch: () => import("/static/js/session/launch.js"),
};

const app = document.getElementById("app");
let unmount = () => {};
let unbind = () => {};
let shown = 0;

/** Draw the page that the address names. */
async function show() {
  const mine = (shown += 1);
  const route = parseRoute(location.hash);
  unmount();
  unmount = () => {};
  unbind();
  unbind = bindKeys(t("shell.keys.everywhere"), [{ keys: ["?"], label: t("shell.keys.help"), run: showShortcuts }]);
  document.title = `${route.page in PAGES ? t(`shell.title.${route.page}`) : "?"} · RPent`;
  const root = h("main", { id: "main", tabindex: "-1", class: `page page-${route.page}` });
  fill(app, skipLink(root), header(route, show), root, liveRegions());
  try {
    if (!(route.page in PAGES)) throw new Error(t("shell.noPage"));
    const module = await PAGES[route.page]();
    const done = mine === shown ? ((await module.mount(root, route)) ?? (() => {})) : () => {};
    if (mine === shown) unmount = done;
    else done();
  } catch (error) {
    if (mine === shown)
      fill(root, h("p", { class: "notice notice-error", role: "alert" }, error.message, " ", error.hint ?? ""));
    console.error(error);
  }
}

/** The first stop of the keyboard. A link to `#main` would be taken for a page. */
function skipLink(root) {
  const skip = (event) => {
    event.preventDefault();
    root.focus();
  };
  return h("a", { class: "skip-link", href: "#main", on: { click: skip } }, t("shell.skip"));
}

/** Go to another page: screen readers go with it. */
async function navigate() {
  const drawn = show();
  scrollTo(0, 0);
  await drawn;
  const main = document.getElementById("main");
  if (main && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

try {
  await whoAmI();
  addEventListener("hashchange", navigate);
  await show();
} catch (error) {
  fill(app, h("p", { class: "notice notice-error", role: "alert" }, t("shell.noAccess"), " ", error.message));
}
