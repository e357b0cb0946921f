/**
 * What was written before, and what is being written, kept for a reload.
 */
const KEPT = 50;
const DRAFT = "rpent.session.draft";
const HISTORY = "rpent.session.history";

/** The draft. */
export const draft = {
  read: () => sessionStorage.getItem(DRAFT) ?? "",
  write: (text) => (text ? sessionStorage.setItem(DRAFT, text) : sessionStorage.removeItem(DRAFT)),
};

/**
 * Earlier texts, walked through with arrows as in a shell.
 *
 * @returns {{add: (text: string) => void, back: (now: string) => string|null, forward: () => string|null,
 *   leave: () => void, walking: () => boolean}}
 */
export function inputHistory() {
  let texts = read();
  let at = texts.length;
  let unsent = "";

  function add(text) {
    texts = [...texts.filter((other) => other !== text), text].slice(-KEPT);
    at = texts.length;
    sessionStorage.setItem(HISTORY, JSON.stringify(texts));
  }
  function back(now) {
    if (at === 0) return null;
    if (at === texts.length) unsent = now;
    at -= 1;
    return texts[at];
  }
  function forward() {
    if (at >= texts.length) return null;
    at += 1;
    return at === texts.length ? unsent : texts[at];
  }
  const leave = () => {
    at = texts.length;
  };
  return { add, back, forward, leave, walking: () => at < texts.length };
}

function read() {
  try {
    const texts = JSON.parse(sessionStorage.getItem(HISTORY) ?? "[]");
    return Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : [];
  } catch {
    return [];
  }
}
