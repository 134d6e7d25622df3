// Completes the name that is being typed: a list of what the server finds, below the field.
import { h } from "./dom.js";
import { search } from "./api.js";
import { count } from "./numbers.js";

const k = 8, pause = 120;
let made = 0;
let attributes = []; // of the model

// use sets the model that answers.
export const use = (m) => (attributes = m.attributes);

// attributesLike are the attributes that have a text in their names.
const attributesLike = (text) => attributes.filter(({ name }) => text && name.toLowerCase().includes(text.toLowerCase()))
  .map((a) => ({ kind: "attribute", text: a.name, facts: a.values }));

// Completion is the list of a field. place(asked) says what is being typed: its kind, its text,
// where it begins and ends, and whether nothing but a name can stand there; null for nothing.
// written(item, rest) is what an item puts there, before the rest. anchor(place) is where the
// list goes, the lower left corner of the field without it. A list that is eager takes the first match on Enter
// even if the list is still to come. In a formula attributes may stand where relations do.
export class Completion {
  constructor(field, list, { place, written, anchor, eager = false, formula = false }) {
    Object.assign(this, { field, list, place, written, anchor, eager, formula, hurried: false, items: [], active: -1, at: null, timer: 0, request: null, number: ++made });
    // A click on an item comes first, and the focus may have come back by then.
    field.addEventListener("blur", () => setTimeout(() => document.activeElement === field || this.close(), 150));
  }

  // suggest looks for names; asked says that the user asked for it.
  suggest(asked) {
    clearTimeout(this.timer);
    this.request?.abort();
    this.hurried = false;
    this.at = this.place(asked);
    if (!this.at) return this.close();
    const { text, kind } = this.at;
    this.timer = setTimeout(async () => {
      this.request = new AbortController();
      try {
        const { results } = await search(text, kind, k, this.request.signal);
        this.show([...(this.formula && kind === "relation" ? attributesLike(text) : []), ...results]);
      } catch (problem) {
        // An aborted search was replaced by one that is still to be shown. Of other problems the question itself will tell.
        if (problem.name !== "AbortError") this.close();
      }
    }, asked ? 0 : pause);
  }

  show(found) {
    this.items = found;
    if (this.hurried && found.length > 0) return this.accept(0);
    if (found.length === 0 || document.activeElement !== this.field) return this.close();
    this.list.replaceChildren(...found.map((item, i) =>
      h("li", { role: "option", id: `completion-${this.number}-${i}`, onmousedown: (e) => { e.preventDefault(); this.accept(i); } },
        h("bdi", {}, item.text), h("span", { class: "quiet small" }, count(item.facts, item.kind === "attribute" ? "value" : "fact")))));
    this.open(true);
    const { left, top } = this.anchor?.(this.at, this.list) ?? { left: 0, top: this.field.offsetTop + this.field.offsetHeight + 4 };
    this.list.style.left = `${left}px`;
    this.list.style.top = `${top}px`;
    this.select(0);
    this.chosen = this.at.sure;
  }

  // key returns what a key does instead of typing, if it does.
  key({ key, ctrlKey }) {
    if (key === " " && ctrlKey) return () => this.suggest(true);
    if (this.list.hidden && key === "Enter" && this.eager && this.field.value) return () => {
      this.suggest(true);
      this.hurried = true;
    };
    if (this.list.hidden) return null;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) return () => {
      this.select((this.active + step + this.items.length) % this.items.length);
      this.chosen = true;
    };
    // Tab leaves a field where something else than a name may stand, unless one was chosen.
    if (key === "Enter" || (key === "Tab" && this.chosen)) return () => this.accept(this.active);
    return key === "Escape" ? () => this.close() : null;
  }

  select(i) {
    this.list.children[this.active]?.removeAttribute("aria-selected");
    this.active = i;
    const item = this.list.children[i];
    if (!item) return this.field.removeAttribute("aria-activedescendant");
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", item.id);
  }

  accept(i) {
    const { from, to } = this.at;
    const text = this.written(this.items[i], this.field.value.slice(to));
    this.field.focus();
    this.field.setRangeText(text, from, to, "end");
    this.close();
    this.field.dispatchEvent(new Event("input"));
    this.close();
  }

  close() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.open(false);
    this.items = [];
    this.select(-1);
  }

  open(yes) {
    this.list.hidden = !yes;
    if (this.field.getAttribute("role") === "combobox") this.field.setAttribute("aria-expanded", String(yes));
  }
}

// complete makes a field of one line complete names; place, written and eager are as in Completion.
export function complete(field, place, written, eager = false) {
  const list = h("ul", { role: "listbox", class: "completions", id: `completions-${made + 1}`, "aria-label": "Names", hidden: true });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" })) field.setAttribute(name, value);
  field.after(list);
  const completion = new Completion(field, list, { place, written, eager });
  field.addEventListener("input", () => completion.suggest(false));
  field.addEventListener("keydown", (event) => {
    const act = !event.isComposing && completion.key(event);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// wholeField is the place of a field that holds one name of a kind, of a relation perhaps as its inverse.
export const wholeField = (field, kind) => (asked) => {
  const text = kind === "relation" ? field.value.replace(/\^-1$/, "") : field.value;
  return text || asked ? { kind, text, from: 0, to: text.length, sure: false } : null;
};
