/* Texts on the page whose contrast misses WCAG AA: 4.5:1, and 3:1 for large ones. */
() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    pen.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
    }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (node) => {
    const found = [];
    for (let at = node; at; at = at.parentElement) found.unshift(getComputedStyle(at).backgroundColor);
    return ["white", ...found];
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    const disabled = node.closest(":disabled, [aria-disabled=true]");
    if (!text || disabled || node.closest("script, noscript, option, datalist, .visually-hidden, .skip-link") || !node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const below = grounds(node);
    const [front, back] = [paint([...below, style.color]), paint(below)].map(luminance);
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (contrast < (large ? 3 : 4.5)) faint.add(`${contrast.toFixed(2)}: ${text.slice(0, 60)} (${node.className || node.tagName})`);
  }
  return [...faint];
}
