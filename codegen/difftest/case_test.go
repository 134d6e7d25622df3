package difftest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/expected"
	"github.com/efoc/efoc/testdata/plantest"
)

// A testCase is a reproducible comparison.
type testCase struct {
	// Note describes the discovered difference.
	Note  string `json:"-"`
	World world  `json:"world"`
	// Fingerprint is the world's fingerprint.
	Fingerprint uint64 `json:"fingerprint,string"`
	// Query is a template; Bindings hold values for its parameters, one set per query of the batch. A batch of one
	// is asked as a single query.
	Query     string             `json:"-"`
	Bindings  []map[string]int32 `json:"bindings"`
	Semantics model.Semantics    `json:"semantics"`
	Settings  model.Settings     `json:"settings"`
	// Kernels and Engine select the implementation.
	Kernels string          `json:"kernels"`
	Engine  compiler.Engine `json:"engine"`
}

// A question is a template prepared for any model.
type question struct {
	text     string
	params   []lang.Param
	shape    *lower.Shape
	compiled *stages.Compiled
	plans    map[compiler.Engine]*plan.Plan
}

// engines are the engines that are compared with the reference, in order.
var engines = []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterpreted, compiler.EngineLayers}

// generated are the generated plans.
var generated = shapes.Plans()

// questions caches prepared templates.
type questions struct {
	mu    sync.Mutex
	cache stages.Cache
	model *runtime.Model // to resolve templates in, which contain no names
	ready map[string]*question
}

func newQuestions() (*questions, error) {
	m, err := world{Entities: 1, Relations: 1, Rank: 1, Table: table.Float32, Scale: 1}.model()
	if err != nil {
		return nil, err
	}
	return &questions{model: m, ready: map[string]*question{}}, nil
}

// parseTemplate parses one template.
func parseTemplate(text string) (*lang.Query, error) {
	file, err := lang.ParseFile("case.efo", []byte("package cases\n\n"+text+"\n"))
	if err != nil {
		return nil, err
	}
	if len(file.Queries) != 1 {
		return nil, fmt.Errorf("%d templates, want one", len(file.Queries))
	}
	return file.Queries[0], nil
}

// get returns a template for a number of layers and a semantics. keep says that it will be requested again.
func (qs *questions) get(text string, layers int, semantics model.Semantics, keep bool) (*question, error) {
	key := fmt.Sprint(layers, " ", semantics, " ", text)
	qs.mu.Lock()
	known := qs.ready[key]
	qs.mu.Unlock()
	if known != nil {
		return known, nil
	}
	parsed, err := parseTemplate(text)
	if err != nil {
		return nil, err
	}
	q := &question{text: text, params: parsed.Params, plans: map[compiler.Engine]*plan.Plan{}}
	o := compiler.Options{Plans: generated, Semantics: new(semantics), Cache: &qs.cache}
	if !keep {
		o.Cache = &stages.Cache{}
	}
	s := model.DefaultSettings()
	s.Layers, o.Settings = layers, &s
	for _, o.Engine = range engines {
		p, err := compiler.Prepare(qs.model, parsed, o)
		if err != nil && o.Engine == compiler.EngineCompiled && strings.Contains(err.Error(), "no generated code") {
			continue
		}
		if err != nil {
			return nil, err
		}
		q.shape, q.compiled, q.plans[o.Engine] = p.Shape(), p.Compiled(), p.Spec().Parts[0].Plan
	}
	if keep {
		qs.mu.Lock()
		qs.ready[key] = q
		qs.mu.Unlock()
	}
	return q, nil
}

// ask binds the plan of an engine to a model; nil if the engine has none.
func (q *question) ask(m *runtime.Model, e compiler.Engine) (*runtime.Question, error) {
	if q.plans[e] == nil {
		return nil, nil
	}
	return m.Bind(byslot.Spec("", q.plans[e], plantest.Conditions(q.shape.Filters)))
}

// bind returns a question's slots filled for a model.
func (q *question) bind(m *runtime.Model, values map[string]int32) scq.Bindings {
	return argumentsOf(m, q.params, values).Bindings(q.shape.Constants, q.shape.Relations, q.shape.Filters)
}

// argumentsOf resolves the parameters of a template in a model.
func argumentsOf(m *runtime.Model, params []lang.Param, values map[string]int32) plantest.Arguments {
	a := plantest.Arguments{Entities: map[string]graph.EntityID{}, Relations: map[string]graph.RelationID{}, Model: m.Bundle()}
	for _, p := range params {
		if p.Kind == kind.Relation {
			a.Relations[p.Name] = graph.RelationID(values[p.Name])
		} else {
			a.Entities[p.Name] = graph.EntityID(values[p.Name])
		}
	}
	return a
}

// wanted is the expected result of a query.
type wanted struct {
	*expected.Result
	settings model.Settings
	bindings scq.Bindings
}

// expect computes a query in the reference.
func (q *question) expect(m *runtime.Model, s model.Settings, b scq.Bindings, seed uint64) (*wanted, error) {
	x, err := expected.Of(context.Background(), q.compiled.Lowered, m.Bundle(), s, b, seed)
	return &wanted{x, s, b}, err
}

// folder holds the numbered cases.
const folder = "../../testdata/regress"

// numbered returns the files of the numbered cases, in order.
func numbered() ([]string, error) { return filepath.Glob(filepath.Join(folder, "[0-9]*.txtar")) }

// keep writes a case to the next number, and returns the file name.
func (c *testCase) keep() (string, error) {
	files, err := numbered()
	if err != nil {
		return "", err
	}
	next := 1
	if len(files) > 0 {
		if _, err := fmt.Sscanf(filepath.Base(files[len(files)-1]), "%d.txtar", &next); err != nil {
			return "", err
		}
		next++
	}
	c.Fingerprint = c.World.fingerprint()
	text, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, fmt.Sprintf("%04d.txtar", next))
	archive := &txtar.Archive{Comment: []byte(c.Note), Files: []txtar.File{{Name: "query.efo", Data: []byte(c.Query)}, {Name: "case.json", Data: text}}}
	return path, os.WriteFile(path, txtar.Format(archive), 0o644)
}

// readCase reads a kept case.
func readCase(path string) (*testCase, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	c := &testCase{Note: strings.TrimSpace(string(archive.Comment)), Query: strings.TrimSpace(string(archive.Files[0].Data))}
	return c, json.Unmarshal(archive.Files[1].Data, c)
}
