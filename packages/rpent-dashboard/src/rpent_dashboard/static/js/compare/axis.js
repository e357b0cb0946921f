/**
 * What the two runs are aligned by: the number of the step, or the seconds since the first step.
 */

/** The axis of a comparison, and where on it the user is; `at` null is the newest. */
export class Axis {
  constructor(sides, by, at) {
    Object.assign(this, { sides, by: by === "time" ? "time" : "step", at });
  }

  /** The last place. */
  get end() {
    const ends = this.sides.map((side) => (this.by === "time" ? side.seconds : side.model.steps.length - 1));
    return Math.max(0, ...ends);
  }

  /** Where the user is. */
  get place() {
    return this.at === null ? this.end : Math.min(this.at, this.end);
  }

  /** Position in a run's steps. */
  position(side) {
    if (this.by === "time") return side.positionAt(this.place);
    return Math.min(Math.round(this.place), side.model.steps.length - 1);
  }

  /** Go to a place. The end of a run under way moves along with it. */
  goTo(place) {
    const running = this.sides.some((side) => side.running);
    this.at = place >= this.end && running ? null : Math.max(0, Math.min(place, this.end));
  }

  /** Go to the next step of either run (`by` -1: the one before). */
  step(by) {
    if (this.by === "step") return this.goTo(Math.round(this.place) + by);
    const now = this.place;
    const times = this.sides.flatMap(({ model, origin }) => model.steps.map((step) => step.time - origin));
    const next =
      by > 0
        ? Math.min(...times.filter((time) => time > now + 0.001))
        : Math.max(...times.filter((time) => time < now - 0.001));
    return this.goTo(Number.isFinite(next) ? next : by > 0 ? this.end : 0);
  }

  /** Change what the runs are aligned by, at the same moment of the first run. */
  turn(by) {
    if (by === this.by) return;
    const [first] = this.sides;
    const { steps } = first.model;
    const position = this.position(first);
    this.by = by;
    if (this.at === null) return;
    if (by === "step") this.goTo(Math.max(0, position));
    else this.goTo(position >= 0 ? steps[position].time - first.origin : 0);
  }
}
