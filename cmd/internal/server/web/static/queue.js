// A queue of facts that may be missing, which a person reviews by keyboard.
import * as api from "./api.js";
import { bar, barOf } from "./answers.js";
import { $, entity, h, relation } from "./dom.js";
import { judge, undo } from "./facts.js";
import { count } from "./numbers.js";
import { written } from "./why.js";

const long = 50; // facts of a queue
let queue = [], made = []; // a change, or null for a fact that was skipped, for each fact before the one that is shown
let busy = false;

const verdicts = { y: "true", n: "not true" };

// start makes the buttons and the keys of the queue work; closed is called when it was closed.
export function start(closed) {
  const dialog = $("queue");
  $("queue-open").addEventListener("click", () => open({}));
  $("queue-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", closed);
  for (const b of dialog.querySelectorAll("[data-key]")) b.addEventListener("click", () => press(b.dataset.key));
  dialog.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !dialog.querySelector(`[data-key="${CSS.escape(event.key)}"]`)) return;
    event.preventDefault();
    press(event.key);
  });
}

// open fetches the facts that are most likely missing, of a relation or of all, and shows the first one.
export async function open(parameters) {
  [queue, made] = [[], []];
  const dialog = $("queue");
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("[data-key]").focus(); // where the keys are heard
  $("queue-state").textContent = "Asking the model…";
  $("queue-fact").replaceChildren();
  try {
    queue = (await api.missing({ k: long, ...parameters })).facts;
    render();
  } catch (problem) {
    $("queue-state").textContent = problem.message;
  }
}

// press does what a key stands for: y, n, s to skip, u to go back.
async function press(key) {
  if (busy || (key === "u" ? made.length === 0 : made.length >= queue.length)) return;
  busy = true;
  try {
    if (key === "u") {
      if (made.at(-1)) await undo(made.at(-1));
      made.pop();
    } else {
      const { head, relation: name, tail } = queue[made.length];
      made.push(key === "s" ? null : await judge([head.name, name, tail.name], verdicts[key]));
    }
    render();
  } catch (problem) {
    $("queue-state").textContent = problem.message;
  } finally {
    busy = false;
  }
}

function render() {
  const fact = queue[made.length];
  const n = (verdict) => made.filter((m) => m?.verdict === verdict).length;
  const sum = `${n("true")} true, ${n("not true")} not true, ${made.filter((m) => m === null).length} skipped`;
  $("queue-state").textContent = fact ? `${made.length + 1} of ${queue.length}: ${sum}` : queue.length === 0 ? "No fact is likely to be missing." : `All ${count(queue.length, "fact")} reviewed: ${sum}.`;
  $("queue-fact").replaceChildren(...(fact ? shown(fact) : []));
}

const shown = (fact) => [
  h("p", { class: "fact" }, entity(fact.head), " ", relation(fact.relation), " ", entity(fact.tail)),
  bar(barOf([fact])(fact)),
  fact.witness?.length > 0 && h("p", { class: "quiet small" }, "The graph has"),
  fact.witness?.length > 0 && h("ul", { class: "why" }, fact.witness.map((a) => h("li", {}, written(a)))),
].filter(Boolean);
