// Builds a question out of choices, for people who write no formulas: each condition leads from an entity by a
// relation, or by two in a row, to what is asked for. The question is written into its field, where it can be edited.
import * as api from "./api.js";
import { $, button, h } from "./dom.js";
import { complete, wholeField } from "./completion.js";
import { count } from "./numbers.js";
import { written as writtenName } from "./syntax.js";

let conditions = []; // of the question
let filters = []; // by numbers and dates
let attributes = []; // of the model
let made = 0;
let write = null; // puts a question into its field

// start makes the builder work; written is called with each question that is built.
export function start(written) {
  write = written;
  $("build-more").addEventListener("click", () => add().querySelector("input").focus());
  $("build-value").addEventListener("click", () => addFilter().querySelector("select").focus());
  $("builder").addEventListener("toggle", () => $("builder").open && conditions.length === 0 && add());
}

// use sets the model that answers.
export function use(m) {
  attributes = m.attributes;
  $("build-value").hidden = attributes.length === 0;
}

// label says what a relation is, in the direction in which it leads on.
const label = ({ name, relation }, facts) => `${relation.endsWith("^-1") ? "← " : ""}${name}${relation.endsWith("^-1") ? "" : " →"} (${facts})`;

const none = (text) => h("option", { value: "" }, text);

// options are the relations of an entity with their numbers of facts, and those by which it may lack some.
function options(e) {
  const plausible = (e.plausible ?? []).filter((p) => !e.links.some((l) => l.relation === p.relation));
  return [
    ...e.links.map((l) => h("option", { value: l.relation }, label(l, count(l.count, "fact")))),
    ...plausible.map((p) => h("option", { value: p.relation }, label(p, "no fact yet"))),
  ];
}

// add adds a condition, and returns its fields.
function add() {
  const id = `build-${++made}`;
  const c = { entity: "", first: "", next: "", not: false };
  const field = h("input", { id, type: "text", autocomplete: "off", spellcheck: "false", maxlength: 400, placeholder: "an entity" });
  const by = h("select", { "aria-label": "by the relation", disabled: true }, none("first choose an entity"));
  const then = h("select", { "aria-label": "and from there by", disabled: true }, none("and no further"));
  const not = h("input", { type: "checkbox" });
  const state = h("span", { class: "quiet small", role: "status" });
  const fail = (problem) => (state.textContent = problem.message);
  const changed = (values) => {
    Object.assign(c, values);
    not.disabled = c.next !== ""; // the language has no "for none in between"
    not.checked = c.not;
    update();
  };

  complete(field, wholeField(field, "entity"), (item) => {
    by.replaceChildren(none("…"));
    api.entity(item.name, { k: 1 }).then((e) => {
      Object.assign(c, { links: e.links });
      by.replaceChildren(none("choose a relation"), ...options(e));
      by.disabled = false;
      then.replaceChildren(none("and no further"));
      then.disabled = true;
      changed({ entity: JSON.stringify(item.text), first: "", next: "" });
      by.focus();
    }).catch(fail);
    return item.text;
  }, true);
  by.addEventListener("change", async () => {
    changed({ first: by.value, next: "" });
    state.textContent = "";
    then.replaceChildren(none("and no further"));
    then.disabled = true;
    const example = c.links.find((l) => l.relation === by.value)?.entities[0];
    if (!example) return;
    try {
      const e = await api.entity(example.name, { k: 1 });
      then.append(...e.links.map((l) => h("option", { value: l.relation }, label(l, `${count(l.count, "fact")} of ${example.label}`))));
      then.disabled = false;
    } catch (problem) {
      fail(problem);
    }
  });
  then.addEventListener("change", () => changed({ next: then.value, not: c.not && then.value === "" }));
  not.addEventListener("change", () => changed({ not: not.checked }));

  const part = h("div", { class: "condition", role: "group", "aria-label": `Condition ${conditions.length + 1}` },
    h("span", { class: "field" }, h("label", { class: "inline", for: id }, "From"), " ", field), by, then,
    h("label", { class: "inline" }, not, " not"),
    button("×", () => {
      conditions = conditions.filter((other) => other !== c);
      part.remove();
      $("build-more").focus();
      update();
    }, { class: "small", "aria-label": "Leave this condition out" }), state);
  conditions.push(c);
  $("conditions").append(part);
  return part;
}

// addFilter adds a filter of what is asked for by a number or a date, and returns its fields.
function addFilter() {
  const by = h("select", { "aria-label": "the value" }, attributes.map((a) => h("option", { value: a.name }, a.name)));
  const operator = h("select", { "aria-label": "compared by" }, [">", ">=", "<", "<=", "=", "!="].map((o) => h("option", {}, o)));
  const value = h("input", { type: "text", size: 12, maxlength: 40, autocomplete: "off", "aria-label": "with" });
  // text is the filter as a formula has it, empty until it has a value.
  const f = () => {
    const date = attributes.find((a) => a.name === by.value).kind === "date", x = value.value.trim();
    value.placeholder = date ? "1950-01-31" : "12.5";
    return x && (date || isFinite(x)) ? `${writtenName(by.value)}(y) ${operator.value} ${date ? JSON.stringify(x) : Number(x)}` : "";
  };
  for (const field of [by, operator, value]) field.addEventListener("change", update);
  value.addEventListener("input", update);
  const part = h("div", { class: "condition", role: "group", "aria-label": `Value ${filters.length + 1}` }, "and its", by, operator, value,
    button("×", () => {
      filters = filters.filter((other) => other !== f);
      part.remove();
      $("build-value").focus();
      update();
    }, { class: "small", "aria-label": "Leave this value out" }));
  filters.push(f);
  f();
  $("values").append(part);
  return part;
}

// formula is the question that the conditions make, empty as long as there is none.
export function formula() {
  const bound = [];
  const atoms = conditions.filter((c) => c.first).map((c) => {
    if (!c.next) return `${c.not ? "!" : ""}${c.first}(${c.entity}, y)`;
    bound.push(`x${bound.length > 0 ? bound.length + 1 : ""}`);
    return `${c.first}(${c.entity}, ${bound.at(-1)}) & ${c.next}(${bound.at(-1)}, y)`;
  });
  if (atoms.length === 0) return "";
  atoms.push(...filters.map((f) => f()).filter(Boolean));
  return `${bound.length > 0 ? `exists ${bound.join(", ")}. ` : ""}${atoms.join(" & ")}`;
}

function update() {
  const text = formula();
  if (text) write(text);
}
