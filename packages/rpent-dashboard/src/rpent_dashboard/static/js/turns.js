/**
 * Streams take turns. A browser keeps six connections to one server for all its windows together; were they all
 * streams, no request would get through any more, an interrupt neither.
 */

const PLACES = 4;
const TURN_MS = 1000;

/**
 * Call `begin` as soon as there is a place, and `end` when another stream, of any window, waits for it; then again.
 * Where the browser has no locks (over a network without TLS), there is always a place.
 *
 * @param {() => void} begin
 * @param {() => void} end
 * @returns {() => void} Gives the place up for good.
 */
export function takeTurns(begin, end) {
  if (!navigator.locks) {
    begin();
    return end;
  }
  const leaving = new AbortController();
  keepTrying(leaving.signal, begin, end).catch((error) => {
    if (!leaving.signal.aborted) throw error;
  });
  return () => leaving.abort();
}

async function keepTrying(left, begin, end) {
  while (!left.aborted) {
    if (await somewhere(left, begin, end)) continue;
    const name = await leastWanted();
    await navigator.locks.request(name, { signal: left }, () => turn(name, left, begin, end));
  }
}

/** Take a place that is free; false where none is. */
async function somewhere(left, begin, end) {
  for (let place = 0; place < PLACES && !left.aborted; place++) {
    const name = nameOf(place);
    const taken = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await turn(name, left, begin, end);
      return Boolean(lock);
    });
    if (taken) return true;
  }
  return left.aborted;
}

async function turn(name, left, begin, end) {
  if (left.aborted) return;
  begin();
  try {
    do await pause(left);
    while (!left.aborted && !(await waiting(name)));
  } finally {
    end();
  }
}

const nameOf = (place) => `rpent-stream-${place}`;

async function waiting(name) {
  const { pending } = await navigator.locks.query();
  return pending.filter((request) => request.name === name).length;
}

async function leastWanted() {
  const names = Array.from({ length: PLACES }, (_, place) => nameOf(place));
  const counts = await Promise.all(names.map(waiting));
  return names[counts.indexOf(Math.min(...counts))];
}

function pause(left) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TURN_MS);
    left.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
