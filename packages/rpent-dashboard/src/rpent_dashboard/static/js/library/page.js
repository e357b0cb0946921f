/**
 * The library: all runs of the output directory, to search, open and compare.
 */
import { get } from "/static/js/api.js";
import { append, fill, h, setText } from "/static/js/dom.js";
import { t } from "/static/js/i18n.js";
import { go } from "/static/js/router.js";
import { toast } from "/static/js/shell/announce.js";
import { follow } from "/static/js/shell/connection.js";
import { bindKeys } from "/static/js/shell/keys.js";
import { noMatch, noRuns } from "/static/js/library/empty.js";
import { filterBar } from "/static/js/library/filters.js";
import { drawPager } from "/static/js/library/pager.js";
import { isNarrowed, listAddress, PAGE, readQuery, widened, writeQuery } from "/static/js/library/query.js";
import { drawSelection, select } from "/static/js/library/selection.js";
import { RunTable } from "/static/js/library/table.js";

const TICK_MS = 30000;

/** What stays while another page is shown: the selection, and where the user was. */
const remembered = { selected: [], hash: "", scroll: 0, key: null };

/** Show the library. */
export async function mount(root, route) {
  const page = new Library(root, readQuery(route.query));
  await page.start();
  return () => page.stop();
}

class Library {
  constructor(root, query) {
    this.query = query;
    this.answer = null;
    this.asking = null;
    this.filters = filterBar(
      (values) => this.change(values),
      () => this.table.move(1),
    );
    this.table = new RunTable({
      select: (key, on) => this.select(key, on),
      inSession: (session) => this.change({ session }),
      sort: (column) => this.sort(column),
      open: (key) => go("run", [key]),
    });
    this.problem = h("p", { class: "notice notice-warn", role: "alert", hidden: true });
    this.empty = h("div", { hidden: true });
    this.pager = h("nav", { class: "row pager", "aria-label": t("library.pages") });
    this.compare = h("div", {
      class: "compare-bar",
      role: "region",
      "aria-label": t("library.selection"),
      hidden: true,
    });
    const title = h("h1", {}, t("library.title"));
    append(
      root,
      h(
        "div",
        { class: "stack" },
        title,
        this.filters.node,
        this.problem,
        this.empty,
        this.table.node,
        this.pager,
        this.compare,
      ),
    );
  }

  async start() {
    this.unbind = bindKeys(t("library.title"), this.keys());
    this.ticking = setInterval(() => this.table.tick(), TICK_MS);
    this.close = follow("/api/library/stream", { changed: () => this.load() });
    this.clicked = (event) => this.remember(event.target.closest?.(".lib-row")?.dataset.key);
    addEventListener("click", this.clicked, true);
    await this.load();
  }

  /** Back where the user was, once the list is there. */
  restore() {
    if (this.restored) return;
    this.restored = true;
    if (remembered.hash !== location.hash) return;
    scrollTo(0, remembered.scroll);
    const free = document.activeElement === document.body || document.activeElement?.id === "main";
    if (remembered.key && free) this.table.focus(remembered.key);
  }

  stop() {
    this.asking?.abort();
    clearInterval(this.ticking);
    removeEventListener("click", this.clicked, true);
    this.unbind();
    this.close();
  }

  /** Note where the user is, for the way back. */
  remember(key = this.table.current()) {
    Object.assign(remembered, { hash: location.hash, scroll: scrollY, key });
  }

  keys() {
    const move = (by) => () => this.step(by);
    const inTable = (by) => () => (this.table.current() ? this.step(by) : false);
    return [
      { keys: ["/"], label: t("library.keys.search"), run: () => this.filters.search.focus() },
      { keys: ["j"], label: t("library.keys.next"), run: move(1) },
      { keys: ["k"], label: t("library.keys.previous"), run: move(-1) },
      { keys: ["ArrowDown"], label: t("library.keys.next"), run: inTable(1) },
      { keys: ["ArrowUp"], label: t("library.keys.previous"), run: inTable(-1) },
      { keys: ["Enter"], label: t("library.keys.open"), run: () => this.openCurrent() },
      { keys: ["x"], label: t("library.keys.select"), run: () => this.toggleCurrent() },
      { keys: ["c"], label: t("library.keys.compare"), run: () => this.goCompare() },
    ];
  }

  /** Links and buttons have Enter of their own. */
  openCurrent() {
    const key = this.table.current();
    if (!key || document.activeElement?.matches("a, button")) return false;
    this.remember();
    return go("run", [key]);
  }

  /** The next or previous run, on the next or previous page where this one ends. */
  async step(by) {
    if (this.table.move(by) || !this.answer) return;
    const offset = this.query.offset + by * PAGE;
    if (offset < 0 || offset >= this.answer.total) return;
    this.goOn = by;
    await this.change({ offset });
  }

  /** Change something of what is shown; a new list begins at its first page. */
  async change(values) {
    this.query = { ...this.query, offset: 0, ...values };
    writeQuery(this.query);
    await this.load();
  }

  sort(column) {
    const { sort, order } = this.query;
    const same = (sort || "created") === column;
    return this.change({ sort: column, order: same && order !== "asc" ? "asc" : "desc" });
  }

  async load() {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.table.node.setAttribute("aria-busy", "true");
    try {
      const answer = await get(listAddress(this.query), { signal: asking.signal });
      if (answer.total && this.query.offset >= answer.total)
        return this.change({ offset: Math.floor((answer.total - 1) / PAGE) * PAGE });
      this.answer = answer;
      await this.draw();
    } catch (error) {
      if (error.name !== "AbortError") this.showProblem([error.message, error.hint].filter(Boolean).join(" "));
    } finally {
      if (this.asking === asking) this.table.node.removeAttribute("aria-busy");
    }
    return undefined;
  }

  async draw() {
    const { answer, query } = this;
    this.showProblem(answer.problem);
    this.filters.show(query, answer);
    this.table.show(answer.runs, remembered.selected, query);
    if (this.goOn) this.table.move(this.goOn);
    this.goOn = 0;
    this.table.node.hidden = answer.runs.length === 0;
    this.filters.node.hidden = answer.total === 0 && !isNarrowed(query);
    this.empty.hidden = answer.runs.length > 0;
    if (!answer.runs.length)
      fill(this.empty, isNarrowed(query) ? noMatch(() => this.change(widened({}))) : await noRuns());
    const part = { total: answer.total, shown: answer.runs.length, offset: query.offset };
    drawPager(this.pager, part, (offset) => this.turn(offset));
    this.drawSelection();
    this.restore();
  }

  showProblem(text) {
    this.problem.hidden = !text;
    setText(this.problem, text);
  }

  async turn(offset) {
    await this.change({ offset });
    scrollTo(0, 0);
  }

  /** Show another selection. */
  setSelected(selected) {
    remembered.selected = selected;
    this.table.show(this.answer.runs, selected, this.query);
    this.drawSelection();
  }

  drawSelection() {
    drawSelection(this.compare, remembered.selected, () => this.setSelected([]));
  }

  select(key, on) {
    this.setSelected(select(remembered.selected, key, on));
  }

  toggleCurrent() {
    const key = this.table.current();
    if (key) this.select(key, !remembered.selected.includes(key));
  }

  goCompare() {
    if (remembered.selected.length < 2) {
      toast(t("library.selectFirst"));
      return;
    }
    this.remember();
    go("compare", remembered.selected);
  }
}
