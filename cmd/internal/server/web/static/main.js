// The page: a question goes out, answers and their explanation come back.
import * as api from "./api.js";
import * as editor from "./editor.js";
import * as layers from "./layers.js";
import { answers } from "./answers.js";
import { semantics } from "./semantics.js";
import { copies } from "./copy.js";
import { csv, download } from "./download.js";
import { limit, offerColumns, parameters, pick, recallWanted, startWanted, wanted } from "./wanted.js";
import { $, h } from "./dom.js";

const setSize = 10, idle = 900;
let standard = "nsmp"; // the server's semantics
let asking = null, checking = null, timer = 0;
let shown = null; // what the page shows: the question, what was wanted, the report, the result

const question = () => ({ formula: editor.text().trim(), semantics: $("semantics").value });

// choose sets what answers mean, and says it in words.
function choose(name) {
  pick("semantics", name);
  $("meaning").textContent = semantics[$("semantics").value].meaning;
}

// complain shows the mistakes, with a caret under each.
function complain(problem) {
  const box = $("mistake");
  box.hidden = !problem;
  box.replaceChildren();
  if (!problem) return;
  $("token").hidden = problem.status !== 401;
  const list = problem.mistakes.length ? problem.mistakes : [{ message: problem.message }];
  box.replaceChildren(...list.map((m) => h("div", {},
    h("p", {}, m.message),
    m.source_line && m.column > 0 && h("pre", {}, m.source_line, "\n",
      h("span", { class: "caret" }, Array.from(m.source_line).slice(0, m.column - 1).map((c) => (c === "\t" ? c : " ")).join("") + "^".repeat(Math.max(1, m.length)))),
    m.hint && h("p", { class: "quiet" }, m.hint))));
  editor.mark(shifted(problem.mistakes));
}

// shifted moves mistakes by the blanks before the question, which are not sent.
function shifted(mistakes) {
  const blank = editor.text().match(/^\s*/)[0];
  const lines = blank.split("\n");
  return mistakes.map((m) => ({ ...m, line: m.line + lines.length - 1, column: m.line === 1 ? m.column + lines.at(-1).length : m.column }));
}

async function ask(remember = true) {
  const q = question();
  clearTimeout(timer);
  asking?.abort();
  checking?.abort();
  if (!q.formula) return $("formula").focus();
  asking = new AbortController();
  const { signal } = asking;
  complain(null);
  editor.mark([]);
  $("state").textContent = "…";
  const want = wanted(q);
  const address = `#${new URLSearchParams({ q: q.formula, ...parameters(want), semantics: q.semantics })}`;
  if (remember && address !== location.hash) history.pushState(null, "", address);
  try {
    const [report, result] = await Promise.all([api.explain(q, signal), api.ask({ ...q, ...want, sets: setSize }, signal)]);
    show({ q, want, report, result });
  } catch (problem) {
    if (problem.name === "AbortError") return;
    $("state").textContent = "";
    $("results").hidden = true;
    complain(problem);
  }
}

function show(now) {
  const { q, want, report, result } = (shown = now);
  $("token").hidden = true;
  $("results").hidden = false;
  offerColumns(report, ask);
  showAnswers();
  layers.show(report, result);
  copies($("copy"), { ...q, ...want, variable: result.variable, model: result.model });
  const time = result.seconds < 1 ? `${(1000 * result.seconds).toPrecision(2)} ms` : `${result.seconds.toPrecision(2)} s`;
  const shape = result.shape_name ? `, shape ${result.shape_name}` : "";
  $("state").textContent = `${result.answers.length} answers in ${time}${shape}, engine ${result.engine}`;
}

function showAnswers() {
  const { q, want, result } = shown;
  $("answers").replaceChildren(...answers(result, want.show ?? [], (entity) => api.witness(q, entity)));
  $("more").hidden = !result.next;
  $("csv").disabled = $("json").disabled = result.answers.length === 0;
}

// more adds the answers that follow those shown. Answers whose numbers agree to the last digits
// may change places between requests: those that are there already are left out.
async function more() {
  const now = shown;
  $("more").disabled = true;
  try {
    const page = await api.ask({ ...now.q, ...now.want, offset: now.result.next, sets: 0 });
    if (now !== shown) return;
    const known = new Set(now.result.answers.map((a) => a.id));
    now.result.answers.push(...page.answers.filter((a) => !known.has(a.id)));
    [now.result.next, now.result.incomplete] = [page.next, page.incomplete];
    showAnswers();
  } catch (problem) {
    complain(problem);
  } finally {
    $("more").disabled = false;
  }
}

// check looks for mistakes when the user pauses.
function check() {
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
      if (problem.name !== "AbortError") complain(problem);
    }
  }, idle);
}

// recall asks the question in the address.
function recall() {
  const saved = new URLSearchParams(location.hash.slice(1));
  if (!saved.get("q")) return;
  editor.set(saved.get("q"));
  recallWanted(saved, saved.get("q").trim());
  choose(saved.get("semantics") ?? standard);
  ask(false);
}

// load fetches the model and the examples.
async function load() {
  try {
    const [m, list] = await Promise.all([api.model(), api.examples()]);
    standard = m.semantics;
    limit(m.limits.k);
    if (m.type_relation) $("type").placeholder = `by ${m.type_relation}`;
    choose(standard);
    const count = (n) => n.toLocaleString("en");
    $("model").textContent = `${m.name || "a model"}: ${count(m.entities)} entities, ${count(m.relations)} relations, ${count(m.facts)} facts`;
    $("examples-title").hidden = list.examples.length === 0;
    $("examples").replaceChildren(...list.examples.map((e) => h("li", {},
      h("button", { type: "button", title: e.formula, onclick: () => { editor.set(e.formula); ask(); } }, e.title))));
  } catch (problem) {
    complain(problem);
  }
}

editor.start(ask, check);
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
startWanted(() => !$("results").hidden && ask());
$("more").addEventListener("click", more);
$("csv").addEventListener("click", () => download("answers.csv", "text/csv", csv(shown.result, shown.want.show ?? [])));
$("json").addEventListener("click", () => download("answers.json", "application/json", JSON.stringify(shown.result, null, 2)));
$("semantics").addEventListener("change", () => {
  choose($("semantics").value);
  if (!$("results").hidden) ask();
});
$("secret").addEventListener("change", () => {
  api.setToken($("secret").value);
  complain(null);
  load();
});
addEventListener("popstate", recall);
await load();
recall();
