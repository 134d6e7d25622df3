// The ways from an entity to another one, as a list and as a drawing.
import * as api from "./api.js";
import { button, entity, h } from "./dom.js";
import { complete, wholeField } from "./completion.js";
import { drawing } from "./drawing.js";
import { forwards, kind } from "./atoms.js";

// step is a link of a way, with the entity that it leads to.
const step = (link) => {
  const { relation } = forwards(link);
  const back = forwards(link).head.id !== link.head.id;
  return [" ", h("span", { class: `link ${kind(link)}` }, `${back ? "←" : ""}${relation}${link.observed ? "" : "?"}${back ? "" : "→"}`), " ", entity(link.tail)];
};

const way = (w) => h("li", {}, entity(w.links[0].head), w.links.map(step), h("span", { class: "quiet small" }, ` ${w.degree.toPrecision(2)}`));

// ways is a form that asks for an entity, and shows the ways to it.
export function ways(e, signal) {
  const name = h("input", { id: "way-to", type: "text", autocomplete: "off", spellcheck: "false", maxlength: 400, placeholder: "another entity" });
  const steps = h("select", {}, [1, 2, 3, 4].map((n) => h("option", { selected: n === 3 }, n)));
  const state = h("p", { class: "quiet small", role: "status" });
  const list = h("ol", { class: "ways" }), picture = h("div");
  const find = async (event) => {
    event.preventDefault();
    state.textContent = "…";
    list.replaceChildren();
    picture.replaceChildren();
    try {
      const found = await api.connect(e.name, name.value.trim(), steps.value, signal);
      list.append(...found.ways.map(way));
      const inner = (w) => w.links.slice(0, -1).map((l) => l.tail);
      if (found.ways.length > 0) picture.append(drawing(found.ways.map((w, i) => ({ title: `Way ${i + 1}`, answer: found.to, values: inner(w), atoms: w.links }))).element);
      state.textContent = found.ways.length === 0 ? "There is no such way." : found.incomplete ? `The search may have missed better ways: ${found.incomplete}.` : "";
    } catch (problem) {
      if (!signal.aborted) state.textContent = problem.message;
    }
  };
  const form = h("form", { class: "row", novalidate: true, onsubmit: find },
    h("span", { class: "field" }, h("label", { class: "inline", for: "way-to" }, "Ways to"), " ", name), h("label", { class: "inline" }, "of at most ", steps, " links"), button("Find", null, { type: "submit", class: "small" }));
  complete(name, wholeField(name, "entity"), (item) => item.text);
  return h("section", { class: "ways" }, form, state, list, picture);
}
