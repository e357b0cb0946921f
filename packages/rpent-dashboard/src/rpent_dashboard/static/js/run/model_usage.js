/**
 * The part of the model about what the language models cost.
 */

const FIELDS = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_tokens",
  cacheWrite: "cache_write_tokens",
  reasoning: "reasoning_tokens",
  requests: "requests",
};

const counts = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, requests: 0, cost: null });

/** Nothing used. */
export const newUsage = () => ({ ...counts(), models: new Map() });

/** One response of a model. */
export function foldUsage(model, event) {
  const name = event.model ?? "";
  if (!model.usage.models.has(name)) model.usage.models.set(name, counts());
  for (const usage of [model.usage, model.usage.models.get(name)]) {
    for (const [key, field] of Object.entries(FIELDS)) {
      usage[key] += Number(event[field] ?? (key === "requests" ? 1 : 0)) || 0;
    }
    if (typeof event.cost_usd === "number") usage.cost = (usage.cost ?? 0) + event.cost_usd;
  }
}

/** Spent and allowed: one entry for each limit that is set. */
export function budgets(model, limits, seconds) {
  const spent = {
    max_turns: model.turn,
    max_tool_calls: model.toolCalls,
    token_limit: model.usage.input + model.usage.output,
    max_env_steps: model.envSteps,
    time_limit_s: seconds,
    cost_limit_usd: model.usage.cost ?? 0,
  };
  return Object.entries(spent)
    .filter(([name]) => typeof limits?.[name] === "number")
    .map(([name, value]) => ({ name, value, limit: limits[name] }));
}
