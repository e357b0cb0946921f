/* What assistive technology cannot name or tell apart: controls without a name, pictures without alt, ids used twice. */
() => {
  const found = [];
  const shown = (node) => node.checkVisibility();
  for (const node of document.querySelectorAll("a, button, input, select, textarea, [role=tab], canvas, dialog, nav, [role=region]")) {
    const labels = [...(node.labels ?? [])].map((label) => label.textContent).join("");
    const referred = node.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent).join("");
    const own = node.matches("a, button, [role=tab]") ? node.textContent : "";
    const name = [node.getAttribute("aria-label"), referred, labels, own, node.title].find((text) => text?.trim());
    if (shown(node) && !name) found.push(`no name: ${node.cloneNode(false).outerHTML}`);
  }
  for (const node of document.querySelectorAll("img:not([alt])")) found.push(`no alt: ${node.src}`);
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push(`id twice: ${id}`);
  for (const node of document.querySelectorAll("[aria-describedby], [aria-controls]")) {
    const targets = `${node.getAttribute("aria-describedby") ?? ""} ${node.getAttribute("aria-controls") ?? ""}`.split(" ").filter(Boolean);
    for (const id of targets) if (!ids.includes(id)) found.push(`no such id: ${id}`);
  }
  const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(shown).map((node) => Number(node.tagName[1]));
  levels.forEach((level, index) => index && level > levels[index - 1] + 1 && found.push(`heading ${level} after ${levels[index - 1]}`));
  return found;
}
