// The question as Go and as Python, as a call of curl, and as a template.
import { h } from "./dom.js";
import { parameters } from "./wanted.js";

// goString writes a Go string: as it is between backquotes, where it can be.
const goString = (text) => (/[`\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``);
const shellString = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const goSemantics = { nsmp: "model.NSMP", fit: "model.FIT", mixed: "model.Mixed" };

const capital = (name) => name[0].toUpperCase() + name.slice(1);

// goOptions writes what is wanted of the answers.
function goOptions({ k, coverage, status, in_range, min_confidence, type, show }) {
  const filter = [status && `Statuses: ${status.map((s) => `runtime.${capital(s)}`).join(" | ")}`, in_range && "InRange: true", min_confidence && `MinConfidence: ${min_confidence}`, type && "Type: kind"].filter(Boolean);
  return [coverage ? `Coverage: ${coverage}` : `K: ${k}`, "SetSize: 3", filter.length > 0 && `Filter: runtime.AnswerFilter{${filter.join(", ")}}`,
    show && `Show: []string{${show.map((v) => JSON.stringify(v)).join(", ")}}`].filter(Boolean).join(", ");
}

// asked is what a request says.
const asked = ({ variable, model, file, ...request }) => request;

// goLayers sets the number of layers, which a template may have.
const goLayers = ({ settings }) => (settings ? `	settings := m.Settings()
	settings.Layers = ${settings.layers}
` : "");

// pythonArguments writes what is asked as arguments. A text of JSON is one of Python, too.
const pythonArguments = ({ formula, k, coverage, semantics, settings, status, in_range, min_confidence, type, show, assume }) => [JSON.stringify(formula), coverage ? `coverage=${coverage}` : `k=${k}`, `semantics="${semantics}"`,
  settings && `settings=${JSON.stringify(settings)}`, status && `status=${JSON.stringify(status)}`, in_range && "in_range=True", min_confidence && `min_confidence=${min_confidence}`,
  type && `type=${JSON.stringify(type)}`, show && `show=${JSON.stringify(show)}`, assume && `assume=${JSON.stringify(assume)}`].filter(Boolean);

const writers = {
  Go: (q) => `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
${q.file ? "" : '	"github.com/efoc/efoc/cmd/efoc/world"\n'})

func main() {
	m, err := ${q.file ? `runtime.Open(${JSON.stringify(q.file)})` : "world.Open()"}
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
${goLayers(q)}	q, err := compiler.Prepare(m, ${goString(q.formula)}, compiler.Options{Semantics: new(${goSemantics[q.semantics]})${q.settings ? ", Settings: &settings" : ""}})
	if err != nil {
		log.Fatal(err)
	}
${q.type ? `	kind, err := m.ParseType(${JSON.stringify(q.type)})
	if err != nil {
		log.Fatal(err)
	}
` : ""}	r, err := q.Ask(context.Background(), nil, runtime.Options{${goOptions(q)}})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range r.Rows {
		fmt.Println(row.Values[0].Label, row.Score, row.Status)
	}
}
`,
  Python: (q) => `import efoc

with efoc.open(${q.file ? JSON.stringify(q.file) : ""}) as model:
    answers = model.ask(${pythonArguments(q).join(", ")})
for answer in answers:
    print(answer.label, answer.score, answer.status)
`,
  curl: (q) => (q.settings || q.assume ? `curl ${location.origin}/v1/ask --json ${shellString(JSON.stringify(asked(q)))}
` : `curl -G ${location.origin}/v1/ask \\
    --data-urlencode ${shellString(`formula=${q.formula}`)} \\
    ${Object.entries({ ...parameters(q), semantics: q.semantics }).map(([name, value]) => `--data-urlencode ${/[^\w,.=-]/.test(value) ? shellString(`${name}=${value}`) : `${name}=${value}`}`).join(" ")}
`),
  ".efo": (q) => `package questions
semantics ${q.semantics}
${q.settings ? `layers ${q.settings.layers}\n` : ""}
query Question ${q.variable}${q.show ? ` show ${q.show.join(", ")}` : ""} =
    ${q.formula}
`,
};

let form = "Go";

// copies shows the question in the chosen form, with a button that copies it.
export function copies(into, question) {
  const forms = question.assume ? ["Python", "curl"] : Object.keys(writers); // the others have no place for assumptions
  if (!forms.includes(form)) form = forms[0];
  const code = writers[form](question);
  const button = h("button", { type: "button", class: "do", onclick: () => copy(code, button, pre) }, "Copy");
  const pre = h("pre", { class: "code", tabindex: 0, "aria-label": `The question as ${form}` }, h("code", {}, code));
  into.replaceChildren(
    h("div", { class: "tabs" }, forms.map((name) =>
      h("button", {
        type: "button", "aria-pressed": String(name === form),
        onclick: () => {
          form = name;
          copies(into, question);
          into.querySelector('[aria-pressed="true"]').focus();
        },
      }, name)), button),
    pre);
}

async function copy(code, button, pre) {
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = "Copied";
  } catch {
    // Without HTTPS a browser may refuse: then the text is selected at least.
    getSelection().selectAllChildren(pre);
    button.textContent = "Selected";
  }
}
