/**
 * The page: a header that stays, and below it one of the pages.
 */
import { whoAmI } from "/static/js/api.js";
import { fill, h } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { parseRoute } from "/static/js/router.js";
import { header } from "/static/js/shell/header.js";

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
let shown = 0;

async function show() {
  const mine = (shown += 1);
  const route = parseRoute(location.hash);
  unmount();
  unmount = () => {};
  const root = h("main", { id: "main", tabindex: "-1", class: `page page-${route.page}` });
  fill(app, header(route, show), root);
  try {
    const module = await (PAGES[route.page] ?? PAGES.library)();
    if (mine === shown) unmount = (await module.mount(root, route)) ?? (() => {});
  } catch (error) {
    fill(root, h("p", { class: "notice notice-error", role: "alert" }, error.message, " ", error.hint ?? ""));
    console.error(error);
  }
}

try {
  await whoAmI();
  addEventListener("hashchange", show);
  await show();
} catch (error) {
  fill(app, h("p", { class: "notice notice-error", role: "alert" }, t("shell.noAccess"), " ", error.message));
}
