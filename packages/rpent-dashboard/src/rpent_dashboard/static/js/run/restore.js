/**
 * Fetches what the model let go of, or what the stream cut: whole events, by their place in the file.
 */
import { get } from "/static/js/api.js";
import { runUrl } from "/static/js/run/pictures.js";

/** Items that are kept whole after they were fetched. */
const KEPT = 60;

export class Restorer {
  /**
   * @param {string} key The run.
   * @param {() => void} onChange
   */
  constructor(key, onChange) {
    this.key = key;
    this.onChange = onChange;
    this.busy = new Set();
    this.kept = [];
  }

  /** Make an item whole again. */
  async restore(item) {
    if (this.busy.has(item.index) || item.offset === null) return;
    this.busy.add(item.index);
    const { cut } = item;
    try {
      put(item, await this.#event(item.offset));
      if (typeof item.returnOffset === "number") put(item, await this.#event(item.returnOffset));
      item.gone = item.cut = false;
      this.#keep(item, cut);
    } catch {
      item.gone = false;
    } finally {
      this.busy.delete(item.index);
    }
    item.version += 1;
    this.onChange();
  }

  #event(offset) {
    return get(runUrl(this.key, "events", String(offset)));
  }

  #keep(item, cut) {
    this.kept.push([item, cut]);
    if (this.kept.length <= KEPT) return;
    const [oldest, wasCut] = this.kept.shift();
    if (oldest === item) return;
    Object.assign(oldest, { data: undefined, gone: true, cut: wasCut, version: oldest.version + 1 });
    if (typeof oldest.text === "string") oldest.text = oldest.text.slice(0, 200);
  }
}

const PARTS = ["text", "system", "user", "arguments", "data"];

function put(item, event) {
  if (item.kind === "unknown") {
    item.data = event;
    return;
  }
  for (const name of PARTS) if (event[name] !== undefined && !(item.kind === "call" && name === "text")) item[name] = event[name];
  if (item.kind === "step") item.data = event.state;
  if (item.kind === "service") item.text = event.detail ?? "";
}
