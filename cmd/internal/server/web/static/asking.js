// Asks the question of the page, and shows what comes back.
import * as address from "./address.js";
import * as api from "./api.js";
import * as editor from "./editor.js";
import * as layers from "./layers.js";
import * as library from "./library.js";
import * as shelf from "./shelf.js";
import * as templates from "./templates.js";
import { answers, list, warnings } from "./answers.js";
import { known, narrow, total } from "./above.js";
import { complain } from "./problems.js";
import { copies } from "./copy.js";
import { drawing } from "./drawing.js";
import { because } from "./why.js";
import { chart } from "./chart.js";
import { coordinates, map } from "./map.js";
import { filtered } from "./values.js";
import { whyNot } from "./whynot.js";
import { $, h } from "./dom.js";
import { count, duration, percent } from "./numbers.js";
import { semantics } from "./semantics.js";
import { offerColumns, parameters, pick, recallWanted, wanted, without } from "./wanted.js";

const setSize = 10, idle = 900;
let asking = null, checking = null, timer = 0;
let shown = null; // what the page shows: the question, what was wanted, the report, the result
// views are the ways to show answers; that of a chart may be followed by a colon and an attribute.
export const views = ["table", "graph", "map", "chart"];
let view = "table", model = { attributes: [] };
let opened = null; // the address of the question that the page shows, once it shows one

// use sets the model that answers.
export const use = (m) => (model = m);

// choose sets what answers mean, and says it in words.
export function choose(name) {
  pick("semantics", name);
  $("meaning").textContent = semantics[$("semantics").value].meaning;
}

// question is what is in the box, with the layers of the template that it is from.
function question() {
  const chosen = $("semantics").value, layers = templates.current()?.template.layers;
  const assume = $("assume").value.trim();
  return { formula: editor.text().trim(), semantics: chosen, ...(layers && chosen !== "fit" && { settings: { layers } }), ...(assume && { assume: [assume] }) };
}

// written is the address of a question and of what is wanted of its answers.
const written = (q, want) => new URLSearchParams({
  q: q.formula, ...parameters(want), semantics: q.semantics, ...(without().length > 0 && { without: without().join() }),
  ...(q.assume && { assume: q.assume[0] }), ...(view !== "table" && { view }), ...templates.parameters(),
}).toString();

// current is the address of what the page shows.
export const current = () => shown && written(shown.q, shown.want);

// isOpen reports whether the page shows the question of its address.
export const isOpen = () => opened === address.question();

// ask asks; remembered says that the question becomes part of the history.
export async function ask(remembered = true) {
  const q = question();
  clearTimeout(timer);
  asking?.abort();
  checking?.abort();
  if (!q.formula) return $("formula").focus();
  asking = new AbortController();
  const { signal } = asking;
  complain(null);
  editor.mark([]);
  $("state").textContent = "Asking…";
  const want = wanted(q), to = written(q, want);
  if (remembered) address.go(to);
  opened = address.question();
  try {
    const found = await api.ask({ ...q, ...want, sets: setSize, ...(q.assume && { compare: true }) }, signal);
    if (list(found)) show({ q, want, report: await api.explain(q, signal), result: found });
    else say(q, found); // it has no plan of its own
    total(found, q, want, signal);
  } catch (problem) {
    if (problem.name === "AbortError") return;
    $("state").textContent = "";
    $("results").hidden = $("verdict").hidden = true;
    return complain(problem, ask);
  }
  if (!remembered) return;
  library.remember(to);
  shelf.render(open);
}

// again asks the question of the page once more, after facts have changed.
export async function again() {
  if (!$("results").hidden || !$("verdict").hidden) await ask(false);
}

// said says the replies that are no lists, by kind.
const said = {
  verdict: (v) => {
    const confidence = v.confidence ? `, confidence ${percent(v.confidence)}` : "";
    return v.status === "known" ? "Yes: it is known." : v.holds ? `Probably${confidence}.` : v.confidence >= 0.1 ? `Possibly${confidence}.` : `Neither known nor likely${confidence}.`;
  },
  count: (c) => `${known(c)}.`,
};

// say shows a reply that is no list; one of a kind that the page does not know as JSON.
function say(q, found) {
  shown = null;
  $("token").hidden = $("results").hidden = true;
  document.title = `${q.formula} – efoc`;
  const reply = found[found.kind], witnesses = reply.witnesses ?? [];
  $("verdict").hidden = false;
  const parts = [h("h2", { id: "verdict-title", tabindex: "-1" }, said[found.kind]?.(reply) ?? JSON.stringify(reply)),
    found.before && h("p", { class: "quiet" }, `Without the assumption: ${said[found.kind](found.before[found.kind])}`), ...warnings({ warnings: found.warnings, ...reply }),
    ...witnesses.map((w) => because(w, "")), witnesses.length > 0 && drawing(witnesses).element];
  $("verdict").replaceChildren(...parts.filter(Boolean));
  $("state").textContent = `answered in ${duration(found.seconds)}`;
}

function show(now) {
  $("verdict").hidden = true;
  const { q, want, report, result: r } = (shown = now);
  $("token").hidden = true;
  $("results").hidden = false;
  document.title = `${q.formula} – efoc`;
  $("chosen").textContent = [`${want.coverage ? "all true answers in 9 of 10 questions" : count(want.k, "answer")} by ${$("semantics").selectedOptions[0].textContent}`, want.min_confidence && `confidence from ${percent(want.min_confidence)}`,
    want.type && `of type ${want.type}`, q.assume && `assuming ${q.assume[0]}`, want.in_range && "in range only"].filter(Boolean).join(", ");
  if (!r.rows) offerColumns(report, () => look(view), ask);
  showAnswers();
  $("why-not").replaceChildren(...whyNot(q, r.variables ?? [r.variable]));
  $("download-state").textContent = "";
  $("how").hidden = $("along").hidden = Boolean(r.rows);
  if (!r.rows) {
    layers.show(report, r);
    copies($("copy"), { ...q, ...want, variable: r.variable, model: r.model, file: model.file });
  }
  $("engine").textContent = `${r.shape_name ? `Shape ${r.shape_name}, engine` : "Engine"} ${r.engine}`;
  $("state").textContent = `${count(list(r).length, "answer")} in ${duration(r.seconds)}`;
}

function showAnswers() {
  const { q, want, result: r } = shown;
  const none = list(r).length === 0, [as] = none ? views : view.split(":"), drawn = as !== "table";
  $("warnings").replaceChildren(...warnings(r));
  for (const name of views) {
    const choice = $(`view-${name}`);
    choice.setAttribute("aria-pressed", String(name === as));
    choice.disabled = none && name !== "table";
  }
  $("view-map").hidden = Boolean(r.rows) || !coordinates(model.attributes);
  $("view-chart").hidden = Boolean(r.rows) || model.attributes.length === 0;
  $("narrowing").hidden = $("narrowed").hidden = drawn;
  $("columns").hidden = drawn || Boolean(r.rows);
  if (drawn) showDrawn(drawings[as]);
  else $("answers").replaceChildren(...answers(r, { show: want.show, without: without(), why: (entity) => api.witnesses(q, [entity]), atoms: r.rows ? 0 : shown.report.disjuncts.flatMap((d) => d.edges).length }));
  narrow();
  $("more").hidden = !r.next || drawn;
  $("csv").disabled = $("json").disabled = none;
}

// ofRow is the witness of a row: the value of the last variable is the answer that the others lead to.
const ofRow = ({ witness, values }) => ({ ...witness, title: values.map((v) => v.label).join(", "), answer: values.at(-1), values: [...values.slice(0, -1), ...(witness?.values ?? [])] });

const drawings = { graph: drawWitnesses, map: ({ result }) => map(result.answers, coordinates(model.attributes)), chart: drawChart };

// showDrawn shows a drawing in place of the table, unless the user has asked for something else meanwhile.
async function showDrawn(draw) {
  const now = shown, wanted = view;
  try {
    const elements = await draw(now);
    if (now === shown && wanted === view) $("answers").replaceChildren(...elements);
  } catch (problem) {
    $("answers").replaceChildren(h("p", { class: "warning" }, problem.message));
  }
}

// drawWitnesses draws the witnesses of the first answers. Rows come with theirs.
async function drawWitnesses(now) {
  const all = list(now.result), first = all.slice(0, api.mostWitnesses);
  now.witnesses ??= now.result.rows ? first.map(ofRow) : (await api.witnesses(now.q, first.map((a) => a.name))).witnesses;
  return [h("p", { class: "quiet small" }, `The best witness of ${all.length > first.length ? `the first ${first.length} of ${count(all.length, "answer")}` : "each answer"}: click a name to add its facts, and again for its drawer.`),
    drawing(now.witnesses).element];
}

// drawChart charts the attribute that the view names, or else one by which the question filters, or the first one.
function drawChart({ result }) {
  const name = view.slice("chart:".length) || filtered(result)[0]?.attribute;
  const attribute = model.attributes.find((a) => a.name === name) ?? model.attributes[0];
  return chart(result.answers, attribute, model.attributes, (other) => look(`chart:${other}`));
}

// look shows the answers as a table or a graph, and notes that in the address.
export function look(as) {
  view = as;
  if (!shown) return;
  showAnswers();
  if (!address.question()) return;
  history.replaceState(null, "", `#${current()}`);
  opened = address.question();
}

// following asks for answers that follow those of a result, as many at most.
const following = (now, result, k) => api.ask({ ...now.q, ...now.want, k, offset: result.next, sets: 0 });

// extend adds them to the result. Answers whose numbers agree to the last digits may change places
// between requests: those that are there already are left out.
function extend(result, page) {
  if (result.rows) result.rows.push(...page.rows);
  else extendAnswers(result, page);
  [result.next, result.incomplete, result.proved] = [page.next, page.incomplete, page.proved];
}

function extendAnswers(result, page) {
  const known = new Set(result.answers.map((a) => a.id));
  result.answers.push(...page.answers.filter((a) => !known.has(a.id)));
}

// more adds the answers that follow those shown.
export async function more() {
  const now = shown;
  $("more").disabled = true;
  try {
    const page = await following(now, now.result, now.want.k);
    if (now !== shown) return;
    extend(now.result, page);
    showAnswers();
    $("state").textContent = `${count(list(now.result).length, "answer")} in ${duration(page.seconds)}`;
  } catch (problem) {
    complain(problem, ask);
  } finally {
    $("more").disabled = false;
  }
}

// taken is the result of the question that the page shows, and the variables beside its answers:
// those shown, or as many as there are up to most, of which progress hears. It is null if the user
// has asked another question meanwhile.
export async function taken(most, progress) {
  const now = shown, result = structuredClone(now.result);
  while (result.next && result.next < most) {
    progress(list(result).length);
    const page = await following(now, result, Math.min(model.limits.k, most - result.next));
    if (now !== shown) return null;
    extend(result, page);
  }
  return { result, show: now.want.show ?? [] };
}

// check looks for mistakes when the user pauses. What ends where the user types is unfinished
// rather than wrong.
export function check() {
  clearTimeout(timer);
  checking?.abort();
  complain(null);
  $("state").textContent = "";
  const q = question();
  if (!q.formula) return;
  timer = setTimeout(async () => {
    checking = new AbortController();
    try {
      await api.explain(q, checking.signal);
    } catch (problem) {
      if (problem.name !== "AbortError" && problem.code !== "sentence" && !editor.unfinished(problem.mistakes)) complain(problem, ask);
    }
  }, idle);
}

// open asks the question of an address; it returns whether there is one.
export function open(to, remembered = true) {
  const saved = new URLSearchParams(to), formula = saved.get("q")?.trim();
  if (!formula) return false;
  editor.set(saved.get("q"));
  templates.recall(saved);
  recallWanted(saved, formula);
  const kept = saved.get("view") ?? "";
  view = views.includes(kept.split(":")[0]) ? kept : "table";
  $("assume").value = saved.get("assume") ?? "";
  choose(saved.get("semantics") ?? model.semantics);
  ask(remembered);
  return true;
}
