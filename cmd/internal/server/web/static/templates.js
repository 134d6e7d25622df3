// The server's query templates as forms: what is filled in becomes the question.
import * as api from "./api.js";
import * as editor from "./editor.js";
import { $, h } from "./dom.js";
import { complete, wholeField } from "./completion.js";
import { inserted } from "./syntax.js";

let list = [], ask = null;
let filled = null; // the template that made the question, with its values and the question

// start fetches the templates; asked is called with one whose form was filled in.
export async function start(asked) {
  ask = asked;
  list = (await api.templates()).templates;
  $("templates").hidden = list.length === 0;
  if (list.length === 0) return;
  $("template").replaceChildren(...list.map((t) => h("option", { value: t.name }, t.name)));
  $("template").onchange = () => show({});
  show({});
}

const chosen = () => list.find((t) => t.name === $("template").value);
const fields = () => [...$("parameters").querySelectorAll("input")];

// show shows the form of the template that is chosen, with values of its parameters.
function show(values) {
  const t = chosen();
  $("template-doc").textContent = t.doc ?? "";
  $("template-formula").textContent = t.formula;
  $("parameters").replaceChildren(...t.params.map((p) => {
    const id = `parameter-${p.name}`;
    const field = h("input", {
      id, name: p.name, type: ["number", "date"].includes(p.kind) ? p.kind : "text", ...(p.kind === "number" && { step: "any" }),
      required: true, autocomplete: "off", spellcheck: "false", maxlength: 400, value: values[p.name] ?? "",
    });
    const row = h("div", { class: "parameter" }, h("label", { for: id }, p.name, h("span", { class: "quiet small" }, ` ${p.kind}`)), field);
    if (p.kind === "entity" || p.kind === "relation") complete(field, wholeField(field, p.kind), (item) => item.text);
    return row;
  }));
}

// value writes a value in place of a parameter; a relation may be given as an inverse, which turns
// that of the formula around.
function value(param, text, inverse) {
  if (param.kind === "number") return String(Number(text));
  if (param.kind !== "relation") return JSON.stringify(text);
  const turned = text.endsWith("^-1");
  const name = inserted({ kind: "relation", text: turned ? text.slice(0, -3) : text }, "(");
  return name + (turned !== inverse ? "^-1" : "");
}

// fill puts values in the places of a template's parameters, which are outside of its quoted names.
export function fill(t, values) {
  return t.formula.replace(/"(?:[^"\\]|\\.)*"|\$([\p{L}_][\p{L}\p{N}_]*)(\^-1)?/gu, (whole, name, inverse) =>
    (name ? value(t.params.find((p) => p.name === name), values[name], Boolean(inverse)) : whole));
}

export function submit() {
  const t = chosen(), values = Object.fromEntries(fields().map((f) => [f.name, f.value.trim()]));
  const wrong = fields().find((f) => !f.value.trim());
  if (wrong) { // a number field without a number has no value either
    wrong.focus();
    wrong.reportValidity();
    return;
  }
  filled = { template: t, values, formula: fill(t, values) };
  editor.set(filled.formula);
  ask(t, filled.formula);
}

// current is the template that made the question, if one did and it was not changed since.
export const current = () => (filled && filled.formula === editor.text().trim() ? filled : null);

// parameters are those of an address that say which template it was.
export function parameters() {
  const now = current();
  if (!now) return {};
  return { template: now.template.name, ...Object.fromEntries(Object.entries(now.values).map(([name, v]) => [`arg.${name}`, v])) };
}

// recall fills in the form that an address says the question is from.
export function recall(saved) {
  const t = list.find((x) => x.name === saved.get("template"));
  if (!t) return;
  const values = Object.fromEntries(t.params.map((p) => [p.name, saved.get(`arg.${p.name}`) ?? ""]));
  $("template").value = t.name;
  show(values);
  filled = { template: t, values, formula: saved.get("q").trim() };
}
