/**
 * Drawing at a bounded rate: however often it is asked for, at most one draw every `INTERVAL_MS`, in an animation frame.
 */
const INTERVAL_MS = 100;

/**
 * @param {() => void} draw Draws everything that changed.
 * @returns {{request: () => void, stop: () => void}}
 */
export function scheduler(draw) {
  let last = -Infinity;
  let timer = 0;
  let frame = 0;
  let stopped = false;

  const run = (now) => {
    frame = 0;
    if (stopped) return;
    last = now;
    draw();
  };
  const ask = () => {
    timer = 0;
    frame = requestAnimationFrame(run);
  };
  return {
    request() {
      if (timer || frame || stopped) return;
      const wait = last + INTERVAL_MS - performance.now();
      if (wait <= 4) ask();
      else timer = setTimeout(ask, wait - 4);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    },
  };
}
