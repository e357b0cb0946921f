/**
 * Addresses behind the `#`: `#/run/KEY?step=3` is the page `run` with the parts `["KEY"]` and a query.
 */

/** Read an address. */
export function parseRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...parts] = path.split("/").map(decoded);
  return { page: page || "library", parts, query: new URLSearchParams(query) };
}

/** A part of an address that somebody cut stays as it is. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Write an address. */
export function routeTo(page, parts = [], query = {}) {
  const path = ["#", page, ...parts.map(encodeURIComponent)].join("/");
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value != null));
  return search.size ? `${path}?${search}` : path;
}

/** Go to an address. */
export const go = (...args) => {
  location.hash = routeTo(...args);
};

/** Change the query without a new page. */
export function replaceQuery(query) {
  const { page, parts } = parseRoute(location.hash);
  history.replaceState(null, "", routeTo(page === "library" && !parts.length ? "" : page, parts, query) || "#/");
}
