/**
 * A run as the page draws it, folded from its events: pure data, no DOM, a step at a time.
 *
 * What grows with the run is kept small: a conversation item is one flat object, frames are thinned, and the text and
 * data of old items are let go once all of them together pass `HEAVY_CHARS` (`item.gone`); the server still has them at
 * `item.offset`.
 */
import { foldCall, foldFrame, foldProgress, foldReturn, foldStep, unfinished } from "/static/js/run/model_calls.js";
import { wellShaped } from "/static/js/run/model_shape.js";
import { foldUsage, newUsage } from "/static/js/run/model_usage.js";

/** Characters of event lines that the model holds with their text and data. */
export const HEAVY_CHARS = 16_000_000;

/** An empty model. */
export const createModel = () => ({
  version: 0,
  events: 0,
  broken: 0,
  unknown: 0,
  lastSeq: -1,
  offset: 0,
  firstTime: null,
  lastTime: null,
  started: null,
  instruction: "",
  outcome: null,
  sessionEnd: null,
  over: false,
  awaiting: false,
  turn: 0,
  items: [],
  calls: [],
  toolCalls: 0,
  callsById: new Map(),
  steps: [],
  stepsByIndex: new Map(),
  marks: [],
  latest: { time: 0, frame: null, step: null },
  cameras: new Map(),
  envSteps: 0,
  usage: newUsage(),
  stages: [],
  services: new Map(),
  attempts: [],
  resumes: [],
  pending: [],
  clock: { spent: 0, since: null, at: 0 },
  heavy: { chars: 0, oldest: 0, frames: 0, oldestCall: 0 },
});

/**
 * Fold events into a model.
 *
 * @param {object} model What `createModel` made; changed in place.
 * @param {object[]} events As the server streams them.
 * @returns {object} The model.
 */
export function fold(model, events) {
  for (const given of events) {
    const event = wellShaped(given);
    model.events += 1;
    if (typeof event.seq === "number") model.lastSeq = event.seq;
    event.time ??= model.lastTime ?? undefined;
    if (typeof event.time === "number") {
      model.firstTime ??= event.time;
      model.lastTime = event.time;
      if (!ofLaterProcess(event)) model.clock.at = event.time;
    }
    const handle = Object.hasOwn(HANDLERS, event.type) ? HANDLERS[event.type] : foldUnknown;
    try {
      handle(model, event);
    } catch {
      foldUnknown(model, event);
    }
  }
  letGo(model);
  model.version += 1;
  return model;
}

/** Append an item to the conversation. */
export function addItem(model, kind, event, fields = {}) {
  const item = {
    index: model.items.length,
    kind,
    version: 0,
    seq: event.seq ?? -1,
    time: event.time ?? model.lastTime ?? 0,
    offset: Number.isInteger(event.offset) ? event.offset : null,
    size: sizeOf(event),
    cut: Boolean(event.cut),
    ...fields,
  };
  for (const name of TEXTS) if (name in item && typeof item[name] !== "string") item[name] = written(item[name]);
  model.items.push(item);
  model.heavy.chars += item.size;
  return item;
}

/** Characters of an event's line. */
const sizeOf = (event) => (Number.isFinite(event.size) ? event.size : USUAL_SIZE);

/** What has to be text, whatever a damaged or foreign log holds. */
const TEXTS = ["text", "system", "user", "tail", "lesson"];
const USUAL_SIZE = 600;

const written = (value) => (value === null || value === undefined ? "" : JSON.stringify(value));

/** Seconds that count against the time limit: the session's, without the time that it waited for its user. */
export function sessionSeconds(model, now = model.lastTime) {
  const { spent, since } = model.clock;
  return spent + (since === null ? 0 : Math.max(0, now - since));
}

/** The run is over without having said so: what is under way never returns. */
export function giveUp(model) {
  unfinished(model);
  pause(model, model.lastTime);
  model.awaiting = false;
  model.version += 1;
}

/** Seconds from the first event to the last. */
export const runSeconds = (model) => (model.firstTime === null ? 0 : model.lastTime - model.firstTime);

/** The same, as the list of runs says it once the run is over: its last moments leave no event. */
export const shownSeconds = (model, row) =>
  model.over && row?.state === "ended" ? (row.duration_s ?? runSeconds(model)) : runSeconds(model);

const HANDLERS = {
  run_started(model, event) {
    model.started = event;
    addItem(model, "started", event, { instruction: event.instruction, planner: event.planner, robot: event.robot });
  },
  task_stated(model, event) {
    model.instruction = event.instruction;
    addItem(model, "task", event, { instruction: event.instruction });
  },
  run_resumed: foldResumed,
  stage: foldStage,
  service: foldService,
  prompts: (model, event) => addItem(model, "prompts", event, { system: event.system ?? "", user: event.user ?? "" }),
  turn(model, event) {
    goOn(model, event);
    model.turn = event.turn ?? model.turn + 1;
    addItem(model, "turn", event, { turn: model.turn });
  },
  text: foldSpoken("text"),
  thinking: foldSpoken("thinking"),
  tool_called(model, event) {
    if (event.origin !== "user") goOn(model, event);
    else if (model.awaiting) model.clock.since ??= event.time; // until the planner waits on
    foldCall(model, event, addItem);
  },
  tool_progress: foldProgress,
  tool_returned: (model, event) => foldReturn(model, event, addItem),
  frame: foldFrame,
  step: (model, event) => foldStep(model, event, addItem),
  attempt_started(model, event) {
    model.attempts.push({ attempt: event.attempt, step: event.step, ended: null });
    mark(model, "attempt", String(event.attempt));
    addItem(model, "attempt", event, { attempt: event.attempt });
  },
  attempt_ended(model, event) {
    const attempt = model.attempts.find((known) => known.attempt === event.attempt && !known.ended);
    if (attempt) attempt.ended = event;
    const { attempt: number, benchmark_success: success, status, lesson, env_steps: envSteps } = event;
    addItem(model, "attempt_ended", event, { attempt: number, success, status, lesson, envSteps });
  },
  user_message(model, event) {
    const item = addItem(model, event.origin === "nudge" ? "nudge" : "user", event, {
      text: event.text,
      interrupt: Boolean(event.interrupt),
      delivered: event.origin === "nudge" ? true : null,
    });
    if (item.kind === "user") model.pending.push(item);
  },
  messages_delivered(model) {
    for (const item of model.pending.splice(0)) {
      item.delivered = true;
      item.version += 1;
    }
  },
  awaiting_user(model, event) {
    model.awaiting = true;
    pause(model, event.time);
    addItem(model, "awaiting", event, { turn: event.turn });
  },
  notice: (model, event) => addItem(model, "notice", event, { text: event.text, level: event.level ?? "info" }),
  usage: foldUsage,
  recovered(model, event) {
    mark(model, "recovered", event.service);
    addItem(model, "recovered", event, { service: event.service, step: event.step, text: event.detail ?? "" });
  },
  session_ended(model, event) {
    pause(model, event.time);
    model.awaiting = false;
    model.sessionEnd = event;
    const { reason, planner_status: status, detail } = event;
    addItem(model, "session_ended", event, { reason, status, text: detail ?? "" });
  },
  run_ended(model, event) {
    pause(model, event.time);
    model.outcome = event.outcome ?? {};
    model.over = true;
    model.awaiting = false;
    unfinished(model);
    addItem(model, "outcome", event, { outcome: model.outcome });
  },
  broken(model, event) {
    model.broken += 1;
    addItem(model, "broken", event, { line: event.line, text: event.text ?? "" });
  },
};

function foldSpoken(kind) {
  return (model, event) => {
    goOn(model, event);
    addItem(model, kind, event, { text: event.text ?? "", turn: event.turn });
  };
}

function foldUnknown(model, event) {
  model.unknown += 1;
  addItem(model, "unknown", event, { type: String(event.type ?? ""), data: event });
}

function foldResumed(model, event) {
  unfinished(model);
  const from = event.dropped_from_seq;
  if (typeof from === "number") {
    for (let index = model.items.length - 1; index >= 0 && model.items[index].seq >= from; index -= 1) {
      model.items[index].dropped = true;
      model.items[index].version += 1;
    }
  }
  while (model.steps.length && model.steps.at(-1).step > event.step) {
    model.stepsByIndex.delete(model.steps.pop().step);
  }
  pause(model, model.clock.at);
  Object.assign(model, { over: false, outcome: null, sessionEnd: null, awaiting: false });
  model.latest.frame = null;
  model.latest.step = model.steps.at(-1) ?? null;
  model.resumes.push({ step: event.step, planner: event.planner ?? "", time: event.time });
  mark(model, "resumed", String(event.step));
  const { step, planner, options } = event;
  addItem(model, "resumed", event, { step, planner, options, droppedFrom: from ?? null });
}

function foldStage(model, event) {
  const open = model.stages.findLast((stage) => stage.stage === event.stage && stage.status === "started");
  if (event.status === "started" || !open) {
    model.stages.push({ stage: event.stage, status: event.status, since: event.time, elapsed: event.elapsed_s ?? null });
  } else {
    Object.assign(open, { status: event.status, elapsed: event.elapsed_s ?? event.time - open.since });
  }
  if (event.stage === "session" && event.status === "started") model.clock.since = event.time;
  if (event.status === "failed") {
    addItem(model, "stage_failed", event, { stage: event.stage, text: event.detail ?? "" });
  }
}

function foldService(model, event) {
  const known = model.services.get(event.service) ?? { service: event.service, crashes: 0 };
  Object.assign(known, { state: event.state, detail: event.detail ?? "", since: event.time });
  if (event.state === "crashed") {
    known.crashes += 1;
    mark(model, "crashed", event.service);
  }
  model.services.set(event.service, known);
  const tail = typeof event.log_tail === "string" ? event.log_tail : "";
  addItem(model, "service", event, { service: event.service, state: event.state, text: event.detail ?? "", tail });
}

/** The planner works again: the clock goes on after a wait for the user. */
function goOn(model, event) {
  if (!model.awaiting) return;
  model.awaiting = false;
  if (model.clock.since === null) model.clock.since = event.time;
}

/** A resumed run begins with its resume, and with the ends of calls that its process did not make: they took no time. */
const ofLaterProcess = (event) =>
  event.type === "run_resumed" || (event.type === "tool_returned" && event.elapsed_s === 0);

function pause(model, time) {
  const { clock } = model;
  if (clock.since === null) return;
  clock.spent += Math.max(0, time - clock.since);
  clock.since = null;
}

/** Mark a place between two calls on the timeline. */
function mark(model, kind, label) {
  model.marks.push({ kind, label, before: model.calls.length });
}

/** Let go of what the oldest items say, until the rest fits. */
function letGo(model) {
  const { heavy, items } = model;
  while (heavy.chars > HEAVY_CHARS && heavy.oldest < items.length - 200) {
    const item = items[heavy.oldest];
    heavy.oldest += 1;
    heavy.chars -= item.size;
    if (item.offset === null || item.size < 400) continue;
    slim(item);
  }
}

function slim(item) {
  if (item.data !== undefined) item.data = undefined;
  if (typeof item.text === "string" && item.text.length > 200) item.text = item.text.slice(0, 200);
  else if (item.kind !== "call" && item.kind !== "prompts" && item.kind !== "unknown") return;
  if (item.kind === "prompts") Object.assign(item, { system: "", user: item.user.slice(0, 200) });
  item.gone = true;
  item.version += 1;
}
