/**
 * Events as their schema has them, whatever a damaged or foreign line holds: the rest of the page need not ask.
 */

const TEXTS = [
  "call_id", "detail", "instruction", "lesson", "level", "model", "name", "origin", "planner", "planner_status", "reason",
  "robot", "service", "stage", "status", "system", "tag", "text", "user",
];
const NUMBERS = [
  "attempt", "cache_read_tokens", "cache_write_tokens", "cost_usd", "count", "elapsed_s", "env_steps", "input_tokens",
  "offset", "output_tokens", "reasoning_tokens", "requests", "seq", "size", "step", "time", "turn",
];
const LISTS = ["images", "views", "depth"];
const OBJECTS = ["data", "image", "options", "outcome"];

/** Types that are of no use without a text. */
const SPOKEN = new Set(["text", "thinking", "user_message", "notice"]);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const written = (value) => JSON.stringify(value) ?? String(value);

/**
 * Mend an event in place: what is no text where one belongs is written out, what is no number, list or object there is
 * left out.
 *
 * @param {object} event As it came.
 * @returns {object} The same.
 */
export function wellShaped(event) {
  for (const name of TEXTS) {
    const value = event[name];
    if (value !== undefined && value !== null && typeof value !== "string") event[name] = written(value);
  }
  if (SPOKEN.has(event.type)) event.text ??= "";
  for (const name of NUMBERS) drop(event, name, Number.isFinite);
  for (const name of OBJECTS) drop(event, name, isObject);
  if (event.type === "service") {
    if (typeof event.state !== "string") event.state = written(event.state ?? "");
  } else drop(event, "state", isObject);
  for (const name of LISTS) drop(event, name, Array.isArray);
  event.images = event.images?.filter(isPicture);
  event.views = event.views?.filter(isPicture);
  event.depth = event.depth?.filter((camera) => typeof camera === "string");
  if (event.image && !isPicture(event.image)) delete event.image;
  return event;
}

function drop(event, name, fits) {
  const value = event[name];
  if (value !== undefined && value !== null && !fits(value)) delete event[name];
}

function isPicture(value) {
  if (!isObject(value) || typeof value.path !== "string") return false;
  for (const name of ["name", "caption", "sha256"]) {
    if (value[name] !== undefined && typeof value[name] !== "string") value[name] = written(value[name]);
  }
  return true;
}
