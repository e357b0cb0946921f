/**
 * The active option of a listbox whose keys are handled by a text field that keeps the focus.
 */

/**
 * @param {HTMLElement} list Its children are the options, each with an id.
 * @param {HTMLElement} owner The text field.
 * @returns {{at: number, moveTo: (at: number) => void}} `at` is -1 while none is active.
 */
export function activeOption(list, owner) {
  const cursor = {
    at: -1,
    moveTo(at) {
      list.children[cursor.at]?.setAttribute("aria-selected", "false");
      cursor.at = at;
      const item = list.children[at];
      item?.setAttribute("aria-selected", "true");
      item?.scrollIntoView({ block: "nearest" });
      if (item) owner.setAttribute("aria-activedescendant", item.id);
      else owner.removeAttribute("aria-activedescendant");
    },
  };
  return cursor;
}
