/**
 * Search within a run: looks through the items in slices, so that the page never stands still.
 */
const SLICE = 800;

/** What an item says, as one lower-case text. */
function textOf(item) {
  const parts = [item.text, item.instruction, item.lesson, item.user, item.system];
  if (item.kind === "call") parts.push(item.call.name, json(item.arguments), json(item.data));
  if (item.kind === "unknown") parts.push(json(item.data));
  if (item.outcome) parts.push(json(item.outcome));
  return parts.filter(Boolean).join("\n").toLowerCase();
}

const json = (value) => (value === undefined ? "" : JSON.stringify(value));

export class Search {
  /** @param {(search: Search) => void} onChange Told when more was found. */
  constructor(onChange) {
    this.onChange = onChange;
    this.query = "";
    this.hits = [];
    this.at = -1;
    this.seen = 0;
    this.timer = 0;
  }

  /** Look for something else. */
  start(model, query) {
    clearTimeout(this.timer);
    Object.assign(this, { model, query: query.trim().toLowerCase(), hits: [], at: -1, seen: 0 });
    this.#slice();
  }

  /** New items came. */
  more() {
    if (this.query && !this.timer) this.#slice();
  }

  /** Go to the next hit, or the one before; returns the item's index or null. */
  step(by) {
    if (!this.hits.length) return null;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    return this.hits[this.at];
  }

  stop() {
    clearTimeout(this.timer);
  }

  #slice() {
    this.timer = 0;
    if (!this.query) return this.onChange(this);
    const { items } = this.model;
    const end = Math.min(items.length, this.seen + SLICE);
    for (; this.seen < end; this.seen += 1) {
      if (textOf(items[this.seen]).includes(this.query)) this.hits.push(this.seen);
    }
    if (this.seen < items.length) this.timer = setTimeout(() => this.#slice(), 0);
    this.onChange(this);
  }
}

/** Mark what was searched for in the rows on view, without touching them. */
export function highlight(node, query) {
  if (!globalThis.CSS?.highlights) return;
  CSS.highlights.delete("run-search");
  if (!query) return;
  const ranges = [];
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && ranges.length < 500) {
    const text = walker.currentNode.textContent.toLowerCase();
    for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
      const range = new Range();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, Math.min(at + query.length, walker.currentNode.length));
      ranges.push(range);
    }
  }
  if (ranges.length) CSS.highlights.set("run-search", new Highlight(...ranges));
}
