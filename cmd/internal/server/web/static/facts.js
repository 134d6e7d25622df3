// Facts that a person says are true or not true, under a name, and may take back.
import * as api from "./api.js";
import { $, button, h } from "./dom.js";
import { forwards, kind } from "./atoms.js";

const nameStorage = "efoc-name";
const changes = []; // made in this visit, the latest first
let model = null, changed = null;

const verdicts = {
  true: { change: (fact) => ({ add: [fact] }), told: "added" },
  "not true": { change: (fact) => ({ untrue: [fact] }), told: "marked as not true" },
};

// use sets the model that answers.
export function use(m) {
  model = m;
  $("changes").hidden = !allowed();
}

// allowed reports whether the server takes changes.
export const allowed = () => Boolean(model?.changes_facts);

// start calls a function after each change.
export function start(call) {
  changed = call;
  $("who-cancel").addEventListener("click", () => $("who").close());
  $("who-open").addEventListener("click", () => introduce("").catch(() => {})); // cancelled, all stays as it was
}

// factOf is the fact that an atom of a witness states: the names of head, relation and tail.
export function factOf(atom) {
  const { head, relation, tail } = forwards(atom);
  return [head.name, relation, tail.name];
}

// predicted are the atoms of a witness that the graph does not have.
export const predicted = (witness) => (witness.atoms ?? []).filter((a) => kind(a) === "predicted");

// written is a fact as a formula has it.
export const written = ([head, relation, tail]) => `${relation}(${head}, ${tail})`;

// introduce asks for the name of the user and for the server's token.
function introduce(problem) {
  const dialog = $("who");
  $("who-problem").textContent = problem;
  $("who-name").value = localStorage.getItem(nameStorage) ?? "";
  $("who-token").value = "";
  dialog.showModal();
  return new Promise((resolve, reject) => {
    let given = false;
    $("who-form").onsubmit = (event) => {
      event.preventDefault();
      given = true;
      localStorage.setItem(nameStorage, $("who-name").value.trim());
      api.setFactsToken($("who-token").value);
      dialog.close();
    };
    dialog.onclose = () => (given ? resolve() : reject(new Error("Nothing was changed.")));
  });
}

// send makes a change in the name of the user, who is asked for it with the first one.
async function send(change) {
  if (!api.hasFactsToken()) await introduce("");
  for (;;) {
    try {
      const by = localStorage.getItem(nameStorage);
      return await api.change({ ...change, ...(by && { by }) });
    } catch (problem) {
      if (problem.status !== 401) throw problem;
      await introduce(problem.message);
    }
  }
}

// judge says of a fact that it is true or not true, and returns the change; null if somebody had said so before, which is not to be
// undone here.
export async function judge(fact, verdict) {
  const { added, marked = 0 } = await send(verdicts[verdict].change(fact));
  const change = added + marked > 0 ? { fact, verdict } : null;
  if (change) changes.unshift(change);
  render();
  if (!change) $("judged").textContent = `${written(fact)} was ${verdicts[verdict].told} before: nothing changed.`;
  changed();
  return change;
}

// undo takes a change back: the fact is not stored then, and has no mark.
export async function undo(change) {
  await send({ remove: [change.fact] });
  changes.splice(changes.indexOf(change), 1);
  render();
  changed();
}

const told = ({ fact, verdict }) => [h("bdi", {}, written(fact)), ` ${verdicts[verdict].told} `];

// undoing is a button that takes a change back; back is called then, or with a problem.
const undoing = (change, back) => button("Undo", () => undo(change).then(back, back), { class: "small", "aria-label": `Undo: ${written(change.fact)} ${verdicts[change.verdict].told}` });

function render() {
  const state = $("changes-state");
  const entry = (change) => h("li", {}, told(change), undoing(change, (problem) => (state.textContent = problem?.message ?? "")));
  $("changed").replaceChildren(...changes.map(entry));
  $("judged").replaceChildren(...(changes.length > 0 ? entry(changes[0]).childNodes : []));
}

// review has two buttons beside what find returns a fact for; label says what that is. A server that takes no changes has none.
export function review(label, find) {
  if (!allowed()) return null;
  const state = h("span", { class: "quiet small", role: "status" }), box = h("span", { class: "row review" });
  const complain = (problem) => (state.textContent = problem.message);
  const choice = (verdict) => button(verdict, async () => {
    try {
      done(await judge(await find(), verdict));
    } catch (problem) {
      complain(problem);
    }
  }, { class: "small", "aria-label": `${verdict}: ${label}` });
  const offer = () => box.replaceChildren(...Object.keys(verdicts).map(choice), state);
  const done = (change) => {
    if (!change) return;
    const back = undoing(change, (problem) => (problem ? complain(problem) : offer()));
    box.replaceChildren(h("span", { class: "quiet small" }, verdicts[change.verdict].told), back, state);
    back.focus();
  };
  offer();
  return box;
}
