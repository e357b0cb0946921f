/**
 * Elements without HTML text: whatever a model, a tool or a dataset wrote becomes a text node.
 */

/**
 * Make an element.
 *
 * @param {string} tag Name of the element.
 * @param {Object<string, any>} [props] `class`, `dataset`, `on` (event → listener), `style` (property → value, custom
 *   properties included); anything else is an attribute. `true` sets an empty attribute; `false`, `null` and
 *   `undefined` leave it out.
 * @param {...any} children Nodes, text, arrays of them; `null`, `undefined` and `false` are left out.
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") node.className = value;
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else if (name === "style") for (const [key, entry] of Object.entries(value)) node.style.setProperty(key, entry);
    else if (name === "value" || name === "checked") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

/** Append children as `h` takes them. */
export function append(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Replace all children of a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, ...children);
}

/** Set a node's text where it differs, so that nothing is laid out anew for nothing. */
export function setText(node, text) {
  const value = String(text ?? "");
  if (node.textContent !== value) node.textContent = value;
}
