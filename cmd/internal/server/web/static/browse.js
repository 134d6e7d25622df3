// The drawer: what is known of an entity or a relation, and what may be missing. Names
// anywhere open it, and so does an address.
import * as address from "./address.js";
import * as api from "./api.js";
import * as editor from "./editor.js";
import { $, button, entity, h, relation } from "./dom.js";
import { missing, predictions } from "./missing.js";
import { likeliest } from "./review.js";
import { neighbourhood } from "./neighbourhood.js";
import { count } from "./numbers.js";
import { raw, written } from "./syntax.js";

const dialog = $("browse");
let at = null; // what it shows; null while it is closed
let requests = new AbortController(); // for what it shows
let ask = null; // asks a question
let model = null;
const sizes = [10, 50, 100];
let size = sizes[0]; // how many entities of a relation to show at a time

// start makes names open the drawer; asked is called with a question to ask.
export function start(asked) {
  ask = asked;
  document.addEventListener("click", (event) => open(event.target.closest("[data-entity], [data-relation]"), event));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") open(event.target.closest("svg [data-entity]"), event);
  });
  $("browse-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    if (dialog.open) return; // the event came late: the address has opened it again
    requests.abort();
    if (at) address.go(address.question());
    at = null;
  });
  // A click beside it closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

function open(name, event) {
  if (!name) return;
  event.preventDefault();
  look(name.dataset.entity !== undefined ? { entity: name.dataset.entity } : { relation: name.dataset.relation });
}

// use sets the model that answers.
export const use = (m) => (model = m);

// look shows an entity or a relation, by its name.
export function look(next) {
  address.go(address.question(), next);
  recall();
}

// recall shows what the address says, or nothing.
export function recall() {
  const next = address.shown();
  if (next.entity || next.relation) return show(next);
  at = null;
  dialog.close();
}

async function show(next) {
  at = next;
  requests.abort();
  requests = new AbortController();
  const { signal } = requests;
  if (!dialog.open) dialog.showModal();
  $("browse-state").textContent = "…";
  try {
    const found = next.entity ? await api.entity(next.entity, { k: size }, signal) : await api.relation(next.relation, signal);
    if (signal.aborted) return;
    $("browse-title").replaceChildren(h("bdi", {}, found.label));
    $("browse-what").replaceChildren(...(next.entity ? about(found, next.view, signal) : samples(found, signal)));
    $("browse-state").textContent = "";
  } catch (problem) {
    if (signal.aborted) return;
    $("browse-title").textContent = "Not found";
    $("browse-what").replaceChildren();
    $("browse-state").textContent = problem.message;
  }
  dialog.scrollTop = 0;
  $("browse-title").focus();
}

const quoted = (name) => JSON.stringify(name);

// asking asks a question in place of that of the page.
const asking = (formula, label) => button("Ask", () => {
  at = null; // the address becomes that of the question
  dialog.close();
  ask(formula);
}, { class: "small", "aria-label": label, title: formula });

const inserting = (text) => button("Put into the question", () => {
  dialog.close();
  editor.insert(text);
}, { class: "small" });

// about is an entity: its facts and what may be missing, as lists or as a graph.
function about(e, view, signal) {
  const drawn = view === "graph";
  const choice = (label, next, pressed) => button(label, () => look({ entity: e.name, view: next }), { "aria-pressed": String(pressed) });
  const question = (r) => `${r}(${quoted(e.text)}, y)`;
  const askFor = (r) => asking(question(r), `Ask for ${r} of ${e.label}`);
  const found = predictions(e, question, model.limits.batch, signal);
  return [
    h("p", { class: "quiet small" }, "Entity ", e.name !== e.label && h("bdi", {}, e.name), " with ", count(e.facts, "fact")),
    h("div", { class: "row" }, h("div", { class: "row choice", role: "group", "aria-label": "Show the entity as" }, choice("Lists", "", !drawn), choice("Graph", "graph", drawn)), inserting(quoted(e.text))),
    ...(e.values ?? []).map((v) => h("p", { class: "small" }, h("bdi", {}, v.attribute), ": ", h("bdi", {}, v.value))),
    ...(drawn ? [neighbourhood(e, found)] : [h("div", { class: "row title" }, h("h3", {}, "Facts"), e.links.some((l) => l.count > sizes[0]) && chooseSize(e)), ...e.links.map((l) => facts(e, l, askFor, signal)), missing(e, found, askFor)]),
  ];
}

// chooseSize chooses how many entities of each relation are shown at a time.
const chooseSize = (e) => h("label", { class: "inline small" }, "At a time ", h("select", { onchange: (event) => {
  size = Number(event.target.value);
  show({ entity: e.name });
} }, sizes.map((n) => h("option", { selected: n === size }, n))));

// facts are those of an entity by a relation, with a button for more, and if they are many a field that narrows them.
function facts(e, l, askFor, signal) {
  const list = h("ul", { class: "names" });
  const state = h("span", { class: "quiet small", role: "status" });
  const told = ({ count: all, entities }) => {
    list.append(...entities.map((x) => h("li", {}, entity(x))));
    const left = all - list.children.length;
    more.hidden = left <= 0;
    state.textContent = left > 0 ? ` ${count(left, "other")} ` : all === 0 ? "No name is like that." : "";
  };
  let typed = 0;
  const load = async (offset) => {
    const mine = ++typed;
    try {
      const [next] = (await api.entity(e.name, { relation: raw(l), name: like.value.trim(), offset, k: size }, signal)).links;
      if (mine !== typed) return;
      if (offset === 0) list.replaceChildren();
      told(next ?? { count: 0, entities: [] });
    } catch (problem) {
      if (!signal.aborted) state.textContent = problem.message;
    }
  };
  const like = h("input", { type: "search", size: 12, maxlength: 400, placeholder: "filter", hidden: l.count <= l.entities.length, autocomplete: "off", spellcheck: "false",
    "aria-label": `${l.relation} of ${e.label} with names like`, oninput: () => load(0) });
  const more = button("More", () => load(list.children.length), { class: "small", "aria-label": `More ${l.relation} of ${e.label}` });
  told(l);
  return h("section", { class: "links" },
    h("h4", {}, relation(l.name, l.relation), h("span", { class: "quiet small" }, ` ${count(l.count, "entity", "entities")} `), askFor(l.relation), " ", like),
    list, more, state);
}

// samples are facts of a relation.
function samples(r, signal) {
  return [
    h("p", { class: "quiet small" }, "Relation ", r.name !== r.label && h("bdi", {}, r.name),
      ` with ${count(r.facts, "fact")} from ${count(r.heads, "entity", "entities")} to ${count(r.tails, "entity", "entities")}`),
    h("h3", {}, "For example"),
    h("ul", { class: "facts" }, r.examples.map((f) => h("li", {}, entity(f.head), h("span", { "aria-label": "to" }, " → "), entity(f.tail), " ",
      asking(`${written(r.text)}(${quoted(f.head.name)}, y)`, `Ask for ${r.label} of ${f.head.label}`)))),
    likeliest(r.name, signal),
  ];
}
