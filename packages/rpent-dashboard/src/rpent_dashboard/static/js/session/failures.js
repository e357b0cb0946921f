/**
 * Tasks that could not be run: said at once, wherever on the page somebody looks.
 */
import { t } from "/static/js/i18n.js";
import { whatWasSaid } from "/static/js/session/queue.js";
import { toast } from "/static/js/shell/announce.js";

/**
 * @returns {(tasks: object[]) => void} Takes the tasks as they are now; those that failed since they were last seen are
 *   told of. What had failed before is left to the queue.
 */
export function failures() {
  let known = null;
  return (tasks) => {
    const fresh = tasks.filter(({ id, status }) => known && status === "failed" && (known.get(id) ?? "queued") !== status);
    known = new Map(tasks.map(({ id, status }) => [id, status]));
    for (const task of fresh) toast(t("session.failed", { task: task.label, why: whatWasSaid(task) }), { kind: "error" });
  };
}
