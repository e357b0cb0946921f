/**
 * The conversation: a bar with filter and search, the virtual list, and the way back to now.
 */
import { h, setText } from "/static/js/dom.js";
import { number, t } from "/static/js/i18n.js";
import { estimate, isError, isMessage, row } from "/static/js/run/rows.js";
import { highlight, Search } from "/static/js/run/search.js";
import { VirtualList } from "/static/js/run/virtual.js";

const FILTERS = {
  all: () => true,
  messages: isMessage,
  calls: (item) => item.kind === "call" || item.kind === "step",
  errors: isError,
};

/** What the planner's own words are, for screen readers. */
const SPOKEN_EVERY_MS = 4000;

export class Conversation {
  /** @param {import("/static/js/run/rows.js").RowContext} context */
  constructor(context) {
    this.context = context;
    this.filter = "all";
    this.current = -1;
    this.newSince = 0;
    this.spokenAt = 0;
    this.spoken = 0;
    this.search = new Search(() => this.#found());
    const items = () => context.model.items;
    this.list = new VirtualList(
      {
        render: (id) => this.#row(id),
        version: (id) => items()[id].version,
        estimate: (id) => estimate(items()[id]),
      },
      (atEnd) => this.#scrolled(atEnd),
    );
    this.list.node.setAttribute("aria-label", t("run.conversation"));
    this.list.node.setAttribute("role", "region");
    this.jump = h("button", { type: "button", class: "btn btn-small run-jump", hidden: true });
    this.jump.addEventListener("click", () => this.toEnd());
    this.empty = h("p", { class: "empty" }, t("run.waiting"));
    this.live = h("div", { class: "visually-hidden", "aria-live": "polite" });
    this.node = h(
      "section",
      { class: "run-conversation panel", "aria-label": t("run.conversation") },
      this.#bar(),
      h("div", { class: "run-list" }, this.list.node, this.empty, this.jump),
      this.live,
    );
  }

  /** Draw what is new in the model. */
  draw() {
    const { items } = this.context.model;
    if (this.filter === "all") {
      for (let id = this.list.ids.length; id < items.length; id += 1) this.list.ids.push(id);
    } else {
      this.list.ids = items.filter(FILTERS[this.filter]).map((item) => item.index);
    }
    this.list.draw();
    this.empty.hidden = this.list.ids.length > 0;
    setText(this.empty, this.#nothing());
    if (this.list.follow || !this.context.isLive()) this.newSince = items.length;
    this.#drawJump();
    this.search.more();
    if (this.search.query) highlight(this.list.body, this.search.query);
    this.#speak();
  }

  /** Go to the newest and stay there. */
  toEnd() {
    this.list.toEnd();
    this.newSince = this.context.model.items.length;
    this.#drawJump();
  }

  /** Bring an item into view and mark it; -1: mark none. */
  show(id, { scroll = true } = {}) {
    this.list.row(this.current)?.classList.remove("is-current");
    this.current = id;
    if (id < 0) return;
    if (scroll) this.list.show(id);
    this.list.row(id)?.classList.add("is-current");
    this.#drawJump();
  }

  /** Put the cursor into the search field. */
  focusSearch() {
    this.field.focus();
    this.field.select();
  }

  destroy() {
    this.search.stop();
    this.list.destroy();
    highlight(this.list.body, "");
  }

  #nothing() {
    if (this.context.model.items.length) return t("run.nothingOfThisKind");
    return this.context.isLive() ? t("run.waiting") : t("run.noEvents");
  }

  #row(id) {
    const node = row(this.context.model.items[id], this.context);
    if (id === this.current) node.classList.add("is-current");
    return node;
  }

  #bar() {
    this.buttons = Object.keys(FILTERS).map((name) => {
      const pressed = { "aria-pressed": String(name === this.filter), on: { click: () => this.#choose(name) } };
      return h("button", { type: "button", class: "btn btn-small", ...pressed }, t(`run.filter.${name}`));
    });
    this.field = h("input", {
      type: "search",
      class: "run-search",
      placeholder: t("run.search"),
      "aria-label": t("run.search"),
      on: {
        input: () => this.search.start(this.context.model, this.field.value),
        keydown: (event) => this.#typed(event),
      },
    });
    this.found = h("span", { class: "run-found small muted", role: "status" });
    return h(
      "div",
      { class: "panel-head run-bar" },
      h("div", { class: "run-filters", role: "group", "aria-label": t("run.filter") }, this.buttons),
      h("div", { class: "run-search-box" }, this.field, this.found),
    );
  }

  #choose(name) {
    this.filter = name;
    this.list.ids = [];
    Object.keys(FILTERS).forEach((known, index) => this.buttons[index].setAttribute("aria-pressed", String(known === name)));
    this.draw();
    if (this.current >= 0 && !this.list.follow) this.list.show(this.current);
  }

  #typed(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      const id = this.search.step(event.shiftKey ? -1 : 1);
      if (id !== null) this.#goTo(id);
      this.#found();
    } else if (event.key === "Escape") {
      this.field.value = "";
      this.search.start(this.context.model, "");
      highlight(this.list.body, "");
      this.field.blur();
      this.list.node.focus();
    }
  }

  #goTo(id) {
    if (this.filter !== "all" && !FILTERS[this.filter](this.context.model.items[id])) this.#choose("all");
    this.show(id);
    highlight(this.list.body, this.search.query);
  }

  #found() {
    const { hits, at, query } = this.search;
    const count = number(hits.length);
    const text = at < 0 ? t("run.hits", { count }) : t("run.hit", { at: at + 1, count });
    setText(this.found, query ? text : "");
    highlight(this.list.body, query);
  }

  #scrolled(atEnd) {
    if (atEnd) this.newSince = this.context.model.items.length;
    this.#drawJump();
    if (this.search.query) highlight(this.list.body, this.search.query);
  }

  #drawJump() {
    const count = this.context.model.items.length - this.newSince;
    this.jump.hidden = this.list.follow;
    const back = t(this.context.isLive() ? "run.jump" : "run.jumpEnd");
    setText(this.jump, count > 0 ? t("run.jumpNew", { count: number(count) }) : back);
  }

  /** Read out what the planner said, at a bearable rate and only while the run is under way. */
  #speak() {
    const { items, over } = this.context.model;
    const from = this.spoken;
    if (over || !this.context.isLive()) {
      this.spoken = items.length;
      return;
    }
    const now = performance.now();
    if (now - this.spokenAt < SPOKEN_EVERY_MS) return;
    const item = items.findLast((known, index) => index >= from && known.kind === "text");
    this.spoken = items.length;
    if (!item) return;
    this.spokenAt = now;
    this.live.textContent = item.text.slice(0, 300);
  }
}
