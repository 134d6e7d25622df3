// Elements are made here and nowhere else. Text becomes text nodes: what a model
// or a user calls things is never read as markup.

// h makes an element with attributes, listeners (onclick: f) and children. A child
// that is not an element becomes text; null and false leave it out.
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// svg makes an element of a drawing.
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((c) => c != null && c !== false));
  return element;
}

// $ finds the element of an id.
export const $ = (id) => document.getElementById(id);

// chance writes a probability with a few digits.
export function chance(p) {
  return p === 0 || p >= 0.001 ? p.toFixed(4) : p.toExponential(1);
}

// bar draws a probability, as long as it is beside the largest one.
export function bar(p, largest) {
  const filled = h("b");
  filled.style.width = `${largest > 0 ? (100 * p) / largest : 0}%`;
  return h("div", { class: "bar" }, h("i", { "aria-hidden": "true" }, filled), h("span", {}, chance(p)));
}
