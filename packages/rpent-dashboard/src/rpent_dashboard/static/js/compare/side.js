/**
 * One of the two runs: what the server knows of it, and its events folded into the model of the run page.
 */
import { get } from "/static/js/api.js";
import { follow } from "/static/js/shell/connection.js";
import { createModel, fold, runSeconds } from "/static/js/run/model.js";
import { runUrl } from "/static/js/run/pictures.js";

/** A run that is compared. */
export class Side {
  /**
   * @param {string} key The run.
   * @param {() => void} onChange Told after anything changed.
   */
  constructor(key, onChange) {
    Object.assign(this, { key, onChange, model: createModel(), detail: null, problem: null, closed: false });
  }

  /** Begin to read; it goes on while the run does. */
  async start() {
    this.close = follow(runUrl(this.key, "stream"), {
      events: (events) => this.take(events),
      manifest: () => this.load(),
      restart: () => this.restart(),
      end: () => this.load(),
    });
    await this.load();
  }

  /** Read no further. */
  stop() {
    this.closed = true;
    this.close?.();
  }

  take(events) {
    fold(this.model, events);
    this.onChange();
  }

  /** The file was replaced: its events come once more from the first. */
  restart() {
    this.model = createModel();
    this.onChange();
  }

  async load() {
    try {
      const detail = await get(runUrl(this.key));
      if (this.closed) return;
      Object.assign(this, { detail, problem: null });
    } catch (error) {
      this.problem = error;
      if (error.status === 404) this.close?.();
    }
    if (!this.closed) this.onChange();
  }

  /** Its row as in the library; empty until it is known. */
  get row() {
    return this.detail?.row ?? {};
  }

  /** Whether more may come. */
  get running() {
    return this.row.state === "running";
  }

  /** The recorded value of a measure; of a run under way, and where it was not recorded, what the events say. */
  measure(name) {
    const { model, row, running } = this;
    const { input, output, cost } = model.usage;
    const folded = {
      turns: model.turn,
      tool_calls: model.toolCalls,
      env_steps: model.envSteps,
      duration_s: running ? Date.now() / 1000 - (row.created ?? model.firstTime ?? 0) : runSeconds(model),
      input_tokens: input,
      output_tokens: output,
      cost_usd: cost,
    }[name];
    return running ? folded : (row[name] ?? folded);
  }

  /** When the robot stood ready, which the runs are aligned at: the first step, not the start of the services. */
  get origin() {
    return this.model.steps[0]?.time ?? this.model.firstTime ?? 0;
  }

  /** Seconds from its first step to its last event. */
  get seconds() {
    return Math.max(0, (this.model.lastTime ?? this.origin) - this.origin);
  }

  /** Position of the step that was newest at a moment (seconds from the first step); -1 where there is none. */
  positionAt(seconds) {
    const { steps } = this.model;
    const { origin } = this;
    let low = 0;
    let high = steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle].time - origin <= seconds + 1e-6) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The calls between the step before a position and the one there. */
  callsAt(position) {
    const { calls, steps } = this.model;
    if (position < 0) return [];
    const last = steps[position].call ?? -1;
    const before = steps.slice(0, position).findLast((step) => step.call !== null)?.call ?? -1;
    return last > before ? calls.slice(before + 1, last + 1) : [];
  }
}
