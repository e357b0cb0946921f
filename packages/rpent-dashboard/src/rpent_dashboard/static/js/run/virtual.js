/**
 * A list of any length of which only the rows on view are in the document. Rows have any height: unknown ones are
 * estimated, known ones are measured after layout, and what is on view stays where it is when heights above change.
 */
import { h } from "/static/js/dom.js";

const OVERSCAN_PX = 500;
const MOST_ROWS = 80;
/** Distance from the end within which who scrolls down gets to the end; a step up leaves it at once. */
const END_PX = 48;

/**
 * @typedef {object} Rows
 * @property {(id: number) => HTMLElement} render Makes the row of an item.
 * @property {(id: number) => any} version Changes when the row has to be made anew.
 * @property {(id: number) => number} estimate Height before it was measured, in pixels.
 */

export class VirtualList {
  /**
   * @param {Rows} rows
   * @param {(atEnd: boolean) => void} onScroll Told after the user scrolled.
   */
  constructor(rows, onScroll) {
    this.rows = rows;
    this.onScroll = onScroll;
    this.ids = [];
    this.tops = new Float64Array(1);
    this.heights = [];
    this.shown = new Map();
    this.follow = true;
    this.above = h("div", { class: "run-spacer", "aria-hidden": "true" });
    this.below = h("div", { class: "run-spacer", "aria-hidden": "true" });
    this.body = h("div", { class: "run-rows", role: "list" });
    this.node = h("div", { class: "run-scroller", tabindex: "0" }, this.above, this.body, this.below);
    this.node.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.node.addEventListener("wheel", (event) => this.#pulled(event.deltaY), { passive: true });
    this.observer = new ResizeObserver((entries) => this.#measured(entries));
    this.observer.observe(this.node);
    this.expected = 0;
    this.viewport = 0;
    this.aim = -1;
  }

  /** Show these items, in this order; draws at once. */
  set(ids) {
    this.ids = ids;
    this.draw();
  }

  /**
   * Draw what is on view. New rows are measured right after the layout of this frame, and only then does the list move,
   * so that a draw needs no layout of its own.
   */
  draw() {
    const anchor = this.follow ? null : this.#anchor();
    this.#layOut();
    if (anchor) this.#hold(anchor);
    this.#fill();
  }

  /** Go to the end and stay there. */
  toEnd() {
    this.follow = true;
    this.draw();
    this.#toEnd();
  }

  /** Bring an item into view. */
  show(id) {
    const at = this.#position(id);
    if (at < 0) return;
    this.follow = false;
    this.aim = id;
    const height = this.#height(id);
    const top = this.tops[at];
    const { scrollTop } = this.node;
    if (top < scrollTop || top + height > scrollTop + this.viewport) {
      this.#scrollTo(Math.max(0, top - Math.min(120, this.viewport / 4)));
    }
    this.#fill();
    this.wanted = { id, until: performance.now() + 400 };
  }

  /** The row of an item, when it is in the document. */
  row(id) {
    return this.shown.get(id)?.node;
  }

  /** Forget it. */
  destroy() {
    this.observer.disconnect();
  }

  #position(id) {
    let low = 0;
    let high = this.ids.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.ids[middle] === id) return middle;
      if (this.ids[middle] < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #height(id) {
    return this.heights[id] ?? this.rows.estimate(id);
  }

  #layOut() {
    const { ids } = this;
    if (this.tops.length < ids.length + 1) this.tops = new Float64Array((ids.length + 1) * 2);
    let top = 0;
    for (let at = 0; at < ids.length; at += 1) {
      this.tops[at] = top;
      top += this.#height(ids[at]);
    }
    this.tops[ids.length] = top;
  }

  #first(offset) {
    let low = 0;
    let high = this.ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The rows to have in the document, from the scroll position. */
  #window() {
    const total = this.tops[this.ids.length];
    const bottom = this.follow ? total : this.node.scrollTop + this.viewport;
    const top = this.follow ? total - this.viewport : this.node.scrollTop;
    const from = this.#first(Math.max(0, top - OVERSCAN_PX));
    let to = from;
    while (to < this.ids.length && this.tops[to] < bottom + OVERSCAN_PX) to += 1;
    if (to - from > MOST_ROWS) return this.follow ? [to - MOST_ROWS, to] : [from, from + MOST_ROWS];
    return [from, to];
  }

  #fill() {
    const [from, to] = this.#window();
    const wanted = new Set();
    for (let at = from; at < to; at += 1) wanted.add(this.ids[at]);
    for (const [id, row] of this.shown) {
      if (wanted.has(id)) continue;
      this.observer.unobserve(row.node);
      row.node.remove();
      this.shown.delete(id);
    }
    let next = this.body.firstChild;
    for (let at = from; at < to; at += 1) next = this.#place(this.ids[at], next);
    this.above.style.setProperty("height", `${this.tops[from]}px`);
    this.below.style.setProperty("height", `${this.tops[this.ids.length] - this.tops[to]}px`);
  }

  /** Have the row of an item before `next`; returns what follows it. */
  #place(id, next) {
    const version = this.rows.version(id);
    let row = this.shown.get(id);
    if (row && row.version !== version) {
      const node = this.rows.render(id);
      node.dataset.item = String(id);
      this.observer.unobserve(row.node);
      if (row.node === next) next = node;
      row.node.replaceWith(node);
      row = { node, version };
      this.shown.set(id, row);
      this.observer.observe(node);
    } else if (!row) {
      row = { node: this.rows.render(id), version };
      row.node.dataset.item = String(id);
      this.shown.set(id, row);
      this.observer.observe(row.node);
    }
    if (row.node === next) return next.nextSibling;
    this.body.insertBefore(row.node, next);
    return next;
  }

  #measured(entries) {
    const anchor = this.follow ? null : this.#anchor();
    let changed = false;
    const wasHidden = this.viewport === 0;
    for (const { target, borderBoxSize, contentRect } of entries) {
      const height = borderBoxSize?.[0]?.blockSize ?? contentRect.height;
      if (target === this.node) {
        changed ||= this.viewport !== height;
        this.viewport = height;
      } else if (target.isConnected && height > 0) {
        const id = Number(target.dataset.item);
        changed ||= this.heights[id] !== height;
        this.heights[id] = height;
      }
    }
    if (changed) {
      this.#layOut();
      if (anchor) this.#hold(anchor);
      this.#fill();
    }
    if (this.follow) this.#toEnd();
    else if (wasHidden && this.viewport > 0 && this.aim >= 0) this.show(this.aim);
  }

  /** What is at the top of the view: an item, and how far it reaches above. */
  #anchor() {
    if (this.wanted && performance.now() > this.wanted.until) this.wanted = null;
    const { scrollTop } = this.node;
    const at = this.wanted ? this.#position(this.wanted.id) : this.#first(scrollTop);
    return at >= 0 && at < this.ids.length ? { id: this.ids[at], into: scrollTop - this.tops[at] } : null;
  }

  #hold({ id, into }) {
    const at = this.#position(id);
    if (at < 0) return;
    const top = this.tops[at] + into;
    if (Math.abs(top - this.node.scrollTop) < 1) return;
    const need = this.tops[this.ids.length];
    this.above.style.setProperty("height", `${need}px`);
    this.#scrollTo(top);
  }

  #toEnd() {
    this.#scrollTo(this.node.scrollHeight);
  }

  #scrollTo(top) {
    this.node.scrollTop = top;
    this.expected = this.node.scrollTop;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.node;
    if (Math.abs(scrollTop - this.expected) < 2) {
      this.#fillIfNeeded();
      return;
    }
    const up = scrollTop < this.expected;
    this.expected = scrollTop;
    this.wanted = null;
    this.follow = scrollHeight - scrollTop - clientHeight < (up ? 4 : END_PX);
    this.#fill();
    this.onScroll(this.follow);
  }

  #fillIfNeeded() {
    if (!this.follow) this.#fill();
  }

  /** The wheel moved: while new rows arrive, scrolling up must not be undone by the next draw. */
  #pulled(delta) {
    if (delta >= 0 || !this.follow || this.node.scrollHeight <= this.node.clientHeight) return;
    this.follow = false;
    this.onScroll(false);
  }
}
