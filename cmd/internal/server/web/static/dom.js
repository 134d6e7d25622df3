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

// button makes a button that does something.
export const button = (label, onclick, attributes) => h("button", { type: "button", onclick, ...attributes }, label);

// entity is the name of an entity, which opens the drawer: see browse.js. Names have their own
// direction of writing.
export const entity = (e) => h("button", { type: "button", class: "entity", "data-entity": e.name, title: e.name === e.label ? null : e.name }, h("bdi", {}, e.label));

// relation is the name of a relation, which opens its examples; text is how it is written.
export const relation = (name, text = name) => h("button", { type: "button", class: "entity", "data-relation": name }, h("bdi", {}, text));

// scrolling wraps what may be wider than the screen, for the keyboard too.
export const scrolling = (label, child) => h("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, child);
