// The page: what it begins with, and what its buttons do.
import * as above from "./above.js";
import * as address from "./address.js";
import * as api from "./api.js";
import * as asking from "./asking.js";
import * as browse from "./browse.js";
import * as builder from "./builder.js";
import * as completion from "./completion.js";
import * as editor from "./editor.js";
import * as facts from "./facts.js";
import * as find from "./find.js";
import * as kinds from "./kinds.js";
import * as library from "./library.js";
import * as queue from "./queue.js";
import * as shelf from "./shelf.js";
import * as templates from "./templates.js";
import * as values from "./values.js";
import * as vocabulary from "./vocabulary.js";
import { complain } from "./problems.js";
import { download } from "./download.js";
import { $, button, h } from "./dom.js";
import { count } from "./numbers.js";
import { limit, showVariables, startWanted } from "./wanted.js";

let examples = [];
let turned = -1; // how far back in the history the box is

const open = (address) => asking.open(address);

// askFor asks a question in place of that in the box.
function askFor(formula) {
  turned = -1;
  editor.set(formula);
  asking.ask();
  scrollTo({ top: 0 });
}

// turn puts an earlier or later question of the history into the box.
function turn(by) {
  const asked = library.asked();
  // The last one that was asked is often in the box already.
  if (turned < 0 && by > 0 && asked[0] && library.formula(asked[0]) === editor.text().trim()) turned = 0;
  turned = Math.min(asked.length - 1, Math.max(0, turned + by));
  if (asked[turned]) editor.set(library.formula(asked[turned]));
}

// begin asks the question of the address, or else the first example.
function begin() {
  if (asking.open(address.question(), false) || examples.length === 0) return;
  editor.set(examples[0].formula);
  asking.ask(false);
}

// load fetches the model, the examples and the templates.
async function load() {
  try {
    const [m, list] = await Promise.all([api.model(), api.examples(), templates.start((t, formula) => {
      if (t.semantics) asking.choose(t.semantics);
      showVariables(formula, t.show ?? []);
      asking.ask();
    })]);
    asking.use(m);
    browse.use(m);
    builder.use(m);
    completion.use(m);
    facts.use(m);
    kinds.use(m);
    library.use(m.name);
    shelf.render(open);
    limit(m.limits.k);
    if (m.type_relation) $("type").placeholder = `by ${m.type_relation}`;
    asking.choose(m.semantics);
    $("model").textContent = `${m.name || "a model"}: ${count(m.entities, "entity", "entities")}, ${count(m.relations, "relation")}, ${count(m.facts, "fact")}`;
    examples = list.examples;
    $("examples").replaceChildren(...examples.map((e) => h("li", {},
      button([h("code", {}, e.formula), h("span", { class: "quiet small" }, e.title)], () => askFor(e.formula), { class: "question" }))));
    $("examples-none").hidden = examples.length > 0;
    if (!editor.text()) begin(); // who was faster keeps what was typed
    browse.recall();
  } catch (problem) {
    complain(problem);
  }
}

async function copyLink() {
  const link = `${location.origin}${location.pathname}#${asking.current() ?? ""}`;
  try {
    await navigator.clipboard.writeText(link);
    $("state").textContent = "The link is copied.";
  } catch {
    // Without HTTPS a browser may refuse: then the link is in the address bar.
    history.replaceState(null, "", link);
    $("state").textContent = "The link is in the address bar.";
  }
}

editor.start({
  ask: () => {
    turned = -1;
    asking.ask();
  },
  changed: asking.check, back: () => turn(1), forth: () => turn(-1),
});
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  asking.ask();
});
$("template-form").addEventListener("submit", (event) => {
  event.preventDefault();
  templates.submit();
});
startWanted(() => asking.isOpen() && asking.ask());
above.start();
browse.start(askFor);
builder.start((formula) => {
  editor.set(formula);
  asking.check();
});
facts.start(async () => {
  values.forget();
  if ($("queue").open) return; // the page follows when that is closed
  await asking.again();
  if (document.activeElement === document.body) $("judged").querySelector("button")?.focus();
});
queue.start(asking.again);
find.start(browse.look, Boolean(address.question()));
vocabulary.start();
shelf.start(open, asking.current);
$("link").addEventListener("click", copyLink);
for (const name of asking.views) $(`view-${name}`).addEventListener("click", () => asking.look(name));
$("more").addEventListener("click", asking.more);
$("csv").addEventListener("click", () => download("csv"));
$("json").addEventListener("click", () => download("json"));
$("semantics").addEventListener("change", () => {
  asking.choose($("semantics").value);
  if (!$("results").hidden) asking.ask();
});
$("secret").addEventListener("change", () => {
  api.setToken($("secret").value);
  complain(null);
  load();
});
addEventListener("popstate", () => {
  if (!asking.isOpen()) begin();
  browse.recall();
});
await load();
