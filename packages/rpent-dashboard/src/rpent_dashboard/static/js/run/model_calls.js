/**
 * The part of the model about tool calls, their frames, and the steps that they led to.
 */

/** Frames of one call that are kept; more are thinned evenly. */
const CALL_FRAMES = 120;
/** Frames of all calls that are kept; those of the oldest calls go first. */
const ALL_FRAMES = 12_000;

/** The call that ends a session; budgets and run.json do not count it. */
const FINISH = "finish";

/** A call begins. */
export function foldCall(model, event, addItem) {
  const call = {
    index: model.calls.length,
    id: event.call_id,
    name: String(event.name ?? ""),
    readonly: Boolean(event.readonly),
    origin: event.origin ?? "planner",
    turn: event.turn ?? 0,
    status: "running",
    startedAt: event.time ?? 0,
    elapsed: null,
    envSteps: 0,
    step: null,
    stepBefore: model.steps.at(-1)?.step ?? null,
    attempt: model.attempts.at(-1)?.attempt ?? null,
    frames: [],
    stride: 1,
    seen: 0,
    video: null,
  };
  const item = addItem(model, "call", event, { call, arguments: event.arguments, images: NOTHING });
  call.item = item.index;
  model.calls.push(call);
  if (call.name !== FINISH) model.toolCalls += 1;
  model.callsById.set(call.id, call);
}

const NOTHING = Object.freeze([]);

/** A call ended. */
export function foldReturn(model, event, addItem) {
  let call = model.callsById.get(event.call_id);
  if (!call) {
    foldCall(model, { ...event, arguments: undefined, turn: model.turn }, addItem);
    call = model.calls.at(-1);
  }
  const item = model.items[call.item];
  call.status = statusOf(event);
  call.elapsed = event.elapsed_s ?? 0;
  call.video = Array.isArray(event.video_s) ? event.video_s : null;
  const total = Number(event.env_steps ?? 0);
  call.envSteps = call.readonly ? 0 : Math.max(0, total - model.envSteps);
  model.envSteps = total;
  call.progress = undefined;
  Object.assign(item, { data: event.data, images: list(event.images), returnOffset: event.offset ?? null });
  item.cut ||= Boolean(event.cut);
  const size = Number.isFinite(event.size) ? event.size : 600;
  item.size += size;
  model.heavy.chars += size;
  item.version += 1;
  if (typeof event.step === "number") {
    call.step = event.step;
    addStep(model, event, call.index);
  } else if (model.latest.frame?.call === call.index) {
    model.latest.frame = null;
  }
}

/** How a call ended, in one word. */
/** How a call ended, from its event or from the answer to whoever called. */
export function statusOf(event) {
  if (event.executed === false) return "refused";
  if (event.cancelled) return "cancelled";
  if (!event.ok) return "failed";
  return event.data?.ok === false ? "missed" : "ok";
}

/** A call reports progress: the newest report stays. */
export function foldProgress(model, event) {
  const call = model.callsById.get(event.call_id);
  if (!call) return;
  call.progress = event.data;
  model.items[call.item].version += 1;
}

/** A frame of the call under way. */
export function foldFrame(model, event) {
  const call = model.callsById.get(event.call_id);
  const image = event.image ?? {};
  if (!call || !image.path) return;
  call.seen += 1;
  if (call.frames !== NOTHING && (call.seen - 1) % call.stride === 0) {
    call.frames.push(reference(image));
    model.heavy.frames += 1;
  }
  if (call.frames.length > CALL_FRAMES) thin(model, call);
  while (model.heavy.frames > ALL_FRAMES && model.heavy.oldestCall < call.index) {
    const oldest = model.calls[model.heavy.oldestCall];
    model.heavy.oldestCall += 1;
    model.heavy.frames -= oldest.frames.length;
    oldest.frames = NOTHING;
  }
  noteCamera(model, image);
  model.latest.frame = { ...reference(image), call: call.index };
}

function thin(model, call) {
  const before = call.frames.length;
  call.frames = call.frames.filter((_, index) => index % 2 === 0);
  call.stride *= 2;
  model.heavy.frames -= before - call.frames.length;
}

/** A step that no call led to. */
export function foldStep(model, event, addItem) {
  if (typeof event.env_steps === "number") model.envSteps = event.env_steps;
  addStep(model, event, null);
  addItem(model, "step", event, { step: event.step, data: event.state, images: list(event.images) });
}

function addStep(model, event, call) {
  const images = [...list(event.images), ...list(event.views)].filter((image) => image?.path);
  for (const image of images) noteCamera(model, image);
  const depth = list(event.depth).map(String);
  const { step: index, env_steps: envSteps = 0, time } = event;
  const step = { step: index, call, envSteps, time, images: images.map(reference), depth };
  const known = model.stepsByIndex.get(step.step);
  if (known) model.steps[model.steps.indexOf(known)] = step;
  else model.steps.push(step);
  model.stepsByIndex.set(step.step, step);
  model.latest.step = step;
  model.latest.frame = null;
}

function noteCamera(model, image) {
  const known = model.cameras.get(image.name);
  if (!known) model.cameras.set(image.name, { width: image.width || 4, height: image.height || 3 });
}

const reference = ({ name, caption, path, sha256, width, height }) => ({
  name,
  caption,
  path,
  sha256: sha256 || "",
  width: width || 0,
  height: height || 0,
});

function list(value) {
  const entries = Array.isArray(value) ? value.filter((entry) => entry !== null && entry !== undefined) : NOTHING;
  return entries.length ? entries : NOTHING;
}

/** The run is over, or goes on in another process: calls that are still open never return. */
export function unfinished(model) {
  for (let index = model.calls.length - 1; index >= 0; index -= 1) {
    const call = model.calls[index];
    if (call.status !== "running") {
      if (model.calls.length - index > 50) break;
      continue;
    }
    call.status = "unfinished";
    call.progress = undefined;
    model.items[call.item].version += 1;
  }
}

/** The step that a call is about: the one that it led to, else the newest before it. */
export const stepOf = (call) => call.step ?? call.stepBefore;

/** The pictures to show for a step: camera → `{image, step}`, from the step or the newest before it that has one. */
export function viewsAt(model, stepIndex, cameras) {
  const found = new Map();
  let position = lastPosition(model.steps, stepIndex);
  for (let tries = 0; position >= 0 && tries < 200 && found.size < cameras.length; position -= 1, tries += 1) {
    const step = model.steps[position];
    for (const image of step.images) {
      if (cameras.includes(image.name) && !found.has(image.name)) found.set(image.name, { image, step: step.step });
    }
  }
  return found;
}

/** Position of the last step that is not behind `index`. */
export function lastPosition(steps, index) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle].step <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
