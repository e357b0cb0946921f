/**
 * What the list shows, as it stands in the address: `#/?robot=libero&q=bowl&sort=cost`.
 */
import { replaceQuery } from "/static/js/router.js";

/** Filters with a list of values each; `session` comes from a run's row. */
export const FILTERS = ["robot", "suite", "task", "planner", "model", "outcome"];
export const PAGE = 50;
const NAMES = ["q", ...FILTERS, "session", "sort", "order", "offset"];

/** Read the query of an address. */
export function readQuery(search) {
  const query = Object.fromEntries(NAMES.map((name) => [name, search.get(name) ?? ""]));
  query.offset = Math.max(0, Math.floor(Number(query.offset) || 0));
  return query;
}

/** Write it into the address; what is as usual is left out. */
export function writeQuery(query) {
  replaceQuery({ ...query, offset: query.offset || "" });
}

/** The address of the server's answer. */
export function listAddress(query) {
  const search = new URLSearchParams({ limit: PAGE, offset: query.offset });
  for (const name of NAMES) if (name !== "offset" && query[name] !== "") search.set(name, query[name]);
  return `/api/runs?${search}`;
}

/** Whether anything narrows the list. */
export const isNarrowed = (query) => ["q", "session", ...FILTERS].some((name) => query[name] !== "");

/** The query without anything that narrows it. */
export const widened = (query) => ({
  ...query,
  offset: 0,
  ...Object.fromEntries(["q", "session", ...FILTERS].map((name) => [name, ""])),
});
