// What may be missing of an entity: the best predictions by each plausible relation.
import * as api from "./api.js";
import { badge, bar, barOf } from "./answers.js";
import { button, entity, h, relation } from "./dom.js";
import { count } from "./numbers.js";
import { allowed, factOf, review, written } from "./facts.js";
import { raw } from "./syntax.js";

const together = 8; // questions of a request
const best = 3; // answers of a question
const few = 6; // relations shown at first
const never = 1e-6; // the confidence of what is marked as not true

// levels say how likely predictions are, from which confidence on.
const levels = [["Probably missing", 0.5], ["Possible", 0.1], ["Best guesses", 0]];

// predictions asks for the best predictions of an entity by each plausible relation, some relations at a time and no more
// than the server takes at once. It yields after each request all results so far, the relation of
// the likeliest prediction first.
export async function* predictions(e, question, most, signal) {
  const relations = e.plausible ?? [];
  const size = Math.min(together, most), found = [];
  for (let i = 0; i < relations.length; i += size) {
    const some = relations.slice(i, i + size);
    const { results } = await api.batch(some.map((r) => ({ formula: question(r.relation), k: best + 1, sets: 0, status: ["predicted", "confirmed"], in_range: true })), signal);
    results.forEach(({ result, error }, j) => {
      if (error) throw new api.Problem(0, error);
      const answers = result.answers.filter((a) => a.id !== e.id && (a.confidence ?? 1) > never).slice(0, best); // itself is no news
      if (answers.length > 0) found.push({ ...result, answers, by: some[j] });
    });
    const likely = ({ answers: [a] }) => a.confidence ?? a.score;
    found.sort((a, b) => likely(b) - likely(a));
    yield { found, left: relations.length - i - some.length };
  }
}

// missing is the list of them, which fills while they come; askFor makes a button that asks for all
// answers by a relation.
export function missing(e, all, askFor) {
  const state = h("p", { class: "quiet small", role: "status" }, "Asking the model…");
  const tables = h("div");
  let whole = false, last = [];
  const more = button("", () => {
    whole = true;
    render();
  }, { hidden: true });
  const atom = (r, a) => ({ head: e, relation: raw(r.by), tail: a });
  const render = () => {
    const measure = barOf(last.flatMap((r) => r.answers));
    const rows = (r, answers) => answers.map((a, i) => h("tr", { class: a.status },
      i === 0 && h("th", { scope: "rowgroup", rowspan: answers.length }, relation(r.by.name, r.by.relation), " ", askFor(r.by.relation)),
      h("td", {}, entity(a), a.status === "confirmed" && [" ", badge(a.status)]), h("td", { class: "bars" }, bar(measure(a))), allowed() && h("td", {}, review(written(factOf(atom(r, a))), () => factOf(atom(r, a))))));
    tables.replaceChildren(...levels.map(([name, least], i) => {
      const within = ({ confidence = 0 }) => confidence >= least && !(i > 0 && confidence >= levels[i - 1][1]);
      const body = last.slice(0, whole ? last.length : few).flatMap((r) => rows(r, r.answers.filter(within)));
      return body.length > 0 && h("table", {}, h("caption", {}, name), h("tbody", {}, body));
    }).filter(Boolean));
    more.textContent = `${count(last.length - few, "more relation")}`;
    more.hidden = whole || last.length <= few;
  };
  const finish = async () => {
    let left = 0;
    for await ({ found: last, left } of all) {
      render();
      if (left > 0) state.textContent = `Asking the model by ${count(left, "more relation")}…`;
    }
    const none = last.find((r) => r.uncalibrated);
    state.textContent = last.length === 0 ? "The model predicts nothing: no relation is plausible for it." : none ? `There is no confidence: ${none.uncalibrated}. The bars show the score.` : "The bars show the confidence.";
  };
  const section = h("section", { class: "missing", "aria-busy": "true" }, h("h3", {}, "Predicted"), state, tables, more);
  finish().catch((problem) => problem.name !== "AbortError" && (state.textContent = problem.message)).finally(() => section.removeAttribute("aria-busy"));
  return section;
}
