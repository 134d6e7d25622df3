package difftest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/gogen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/expected"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

const (
	randomTemplates = 40
	relations       = 4
)

// models are the random models: entities and rank. The last has more entities than a block of the kernels.
var models = [][2]int{{12, 3}, {41, 16}, {300, 5}}

// TestRandom generates code for random templates, for each semantics, answers each in a separate program on
// random models, which are small, and compares every probability with the reference's on the unoptimised plan, and in
// every bit with the interpreter's on the same plan.
func TestRandom(t *testing.T) {
	long.Need(t, "it builds a program of generated code")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	dir := t.TempDir()
	file := randomFile(t)
	for _, semantics := range model.AllSemantics {
		file.Semantics = semantics.String()
		analyzed, err := stages.AnalyzeFile(file)
		require.NoError(t, err)
		code, err := gogen.File(analyzed, gogen.Options{Source: "random.efo", Package: semantics.String()})
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(dir, semantics.String()), 0o755))
		write(t, filepath.Join(dir, semantics.String(), "random_efo.go"), string(code.Code))
	}
	var opened []*runtime.Model
	for i, size := range models {
		m, err := plantest.NewModel(uint64(i+1), size[0], relations, size[1], model.DefaultSettings())
		require.NoError(t, err)
		require.NoError(t, model.Save(context.Background(), filepath.Join(dir, fmt.Sprint("model", i, ".efoc")), m.Bundle(), nil))
		opened = append(opened, m)
	}
	write(t, filepath.Join(dir, "main.go"), mainProgram(file))
	results := runProgram(t, dir)
	for _, semantics := range model.AllSemantics {
		for i, q := range file.Queries {
			for _, m := range opened {
				compare(t, q, semantics, m, arguments(i, m), results[0])
				results = results[1:]
			}
		}
	}
}

// randomFile draws the templates, the same in each run, and parses them from text.
func randomFile(t *testing.T) *lang.File {
	t.Helper()
	f := &lang.File{Package: "random"}
	for i := range randomTemplates {
		o := plantest.Options{Entities: models[0][0], Relations: relations, Name: fmt.Sprint("T", i), Values: true}
		if i%8 == 7 {
			o.Answers, o.Atoms, o.Disjuncts = 2+i/32, 5, 3
		}
		f.Queries = append(f.Queries, plantest.Formulas(o).Example(1000+i))
	}
	f, err := lang.ParseFile("random.efo", []byte(f.String()))
	require.NoError(t, err)
	return f
}

// arguments returns values for the parameters of template i.
func arguments(i int, m *runtime.Model) plantest.Arguments {
	a := plantest.Arguments{Entities: map[string]graph.EntityID{}, Relations: map[string]graph.RelationID{}, Model: m.Bundle()}
	for j, name := range plantest.EntityParams {
		a.Entities[name] = graph.EntityID((5*i + 3*j) % m.NumEntities())
	}
	for j, name := range plantest.RelationParams {
		a.Relations[name] = graph.RelationID((3*i + 5*j) % m.NumRelations())
	}
	return a
}

// mainProgram answers each template on each model and prints the answers.
func mainProgram(f *lang.File) string {
	var calls strings.Builder
	for _, semantics := range model.AllSemantics {
		mainCalls(&calls, f, semantics)
	}
	return fmt.Sprintf(program, len(models), calls.String())
}

// mainCalls prints the calls for the templates of one package.
func mainCalls(calls *strings.Builder, f *lang.File, semantics model.Semantics) {
	for i, q := range f.Queries {
		fmt.Fprintf(calls, "\tfor _, m := range models {\n\t\tq, err := %s.Bind%s(m)\n\t\tcheck(err)\n", semantics, q.Name)
		fmt.Fprintf(calls, "\t\tp := %s.%sParams{}\n", semantics, q.Name)
		for _, p := range q.Params {
			name := strings.ToUpper(p.Name)
			switch p.Kind {
			case kind.Number:
				fmt.Fprintf(calls, "\t\tp.%s = %d\n", name, plantest.NumberValue)
			case kind.Relation:
				j := strings.Index("pq", p.Name)
				fmt.Fprintf(calls, "\t\tp.%s = graph.RelationOf(graph.RelationID(%d %% m.NumRelations()))\n", name, 3*i+5*j)
			default:
				j := strings.Index("ab", p.Name)
				fmt.Fprintf(calls, "\t\tp.%s = graph.EntityOf(graph.EntityID(%d %% m.NumEntities()))\n", name, 5*i+3*j)
			}
		}
		calls.WriteString("\t\to := runtime.Options{K: m.NumEntities(), SetSize: m.NumEntities(), NoStatus: true}\n")
		calls.WriteString("\t\tanswers, err := q.Answer(context.Background(), p, o)\n\t\tcheck(err)\n")
		calls.WriteString("\t\tcheck(out.Encode(answers))\n\t}\n")
	}
}

// program is the program without the number of models and the calls.
const program = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"example.com/random/fit"
	"example.com/random/mixed"
	"example.com/random/nsmp"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	var models []*runtime.Model
	for i := range %d {
		m, err := runtime.Open(fmt.Sprint("model", i, ".efoc"))
		check(err)
		models = append(models, m)
	}
	out := json.NewEncoder(os.Stdout)
%s}
`

// runProgram builds and runs the program in a folder as a module that depends on this one, and returns its
// output.
func runProgram(t *testing.T, dir string) []*answersJSON {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.mod"), fmt.Sprintf(`module example.com/random

go 1.26.0

require github.com/efoc/efoc v0.0.0

replace github.com/efoc/efoc => %q
`, filepath.ToSlash(root)))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, stderr.String())
	}
	var results []*answersJSON
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var a answersJSON
		require.NoError(t, dec.Decode(&a))
		results = append(results, &a)
	}
	if want := randomTemplates * len(models) * len(model.AllSemantics); len(results) != want {
		t.Fatalf("the program gave %d answers, want %d", len(results), want)
	}
	return results
}

// answersJSON is the program's output for one query.
type answersJSON struct {
	Variable string
	Answers  []member
	Sets     []struct{ Top []member }
	Rows     []runtime.Row
}

type member struct {
	ID    graph.EntityID
	Score float32
}

// compare checks the answers of generated code against the interpreter's.
func compare(t *testing.T, q *lang.Query, semantics model.Semantics, m *runtime.Model, args plantest.Arguments, got *answersJSON) {
	t.Helper()
	if q.Others != nil {
		compareRows(t, q, semantics, m, args, got)
		return
	}
	shape := lower.NewShape(lower.Order(q.Normal))
	c, err := stages.Compile(shape, stages.Options{Semantics: semantics})
	require.NoError(t, err)
	want, err := expected.Of(t.Context(), c.Lowered, m.Bundle(), m.Settings(), args.Bindings(shape.Constants, shape.Relations, shape.Filters), 1)
	require.NoError(t, err)
	vectors := [][]float32{dense(got.Answers, m.NumEntities())}
	for _, s := range got.Sets {
		vectors = append(vectors, dense(s.Top, m.NumEntities()))
	}
	what, err := want.Compare(t.Context(), m.Bundle(), vectors)
	require.NoError(t, err)
	if what != "" {
		t.Errorf("%s by %s on %d entities: %s\n%s\n%s", q.Name, semantics, m.NumEntities(), what, q, c.Lowered)
	}
	if same := interpreted(t, q, semantics, m, args); !reflect.DeepEqual(vectors, same) {
		t.Errorf("%s by %s on %d entities: generated code gives\n%v\nthe interpreter\n%v\n%s", q.Name, semantics, m.NumEntities(), vectors, same, q)
	}
}

// interpreted returns the answer and fuzzy sets by the interpreter.
func interpreted(t *testing.T, q *lang.Query, semantics model.Semantics, m *runtime.Model, args plantest.Arguments) (vectors [][]float32) {
	t.Helper()
	a := stages.Analyze(q)
	part, err := a.Sole()
	require.NoError(t, err)
	c, err := part.Compile(stages.Options{Semantics: semantics})
	require.NoError(t, err)
	spec, err := a.Resolve(m.Bundle(), semantics)
	require.NoError(t, err)
	spec.Parts[0].Plan, err = c.Interpreted()
	require.NoError(t, err)
	p, err := m.Bind(spec)
	require.NoError(t, err)
	require.NoError(t, p.Each(t.Context(), []runtime.Args{valuesOf(q, args)}, nil, func(_ int, r *runtime.Run) error {
		for _, x := range append([]plan.Vector{r.Scores()}, r.Sets()...) {
			vectors = append(vectors, slices.Clone(x))
		}
		return nil
	}))
	return vectors
}

// valuesOf returns the values of a template's parameters.
func valuesOf(q *lang.Query, args plantest.Arguments) (values runtime.Args) {
	for _, x := range q.Params {
		switch x.Kind {
		case kind.Number:
			values = append(values, plan.Number(plantest.NumberValue))
		case kind.Relation:
			values = append(values, plan.Relation(graph.RelationOf(args.Relations[x.Name])))
		default:
			values = append(values, plan.Entity(graph.EntityOf(args.Entities[x.Name])))
		}
	}
	return values
}

// compareRows checks the rows of generated code against those of interpreted parts.
func compareRows(t *testing.T, q *lang.Query, semantics model.Semantics, m *runtime.Model, args plantest.Arguments, got *answersJSON) {
	t.Helper()
	p, err := compiler.Prepare(m, q, compiler.Options{Engine: compiler.EngineInterpreted, Semantics: &semantics})
	require.NoError(t, err)
	want, err := p.Ask(t.Context(), valuesOf(q, args), runtime.Options{K: m.NumEntities(), NoStatus: true})
	require.NoError(t, err)
	near := func(i, j int) bool { return math.Abs(float64(got.Rows[i].Score/want.Rows[j].Score-1)) < 1e-4 }
	same := len(got.Rows) == len(want.Rows)
	for i := 0; same && i < len(want.Rows); i++ {
		alone := (i == 0 || !near(i, i-1)) && i+1 < len(want.Rows) && !near(i, i+1)
		same = near(i, i) && (!alone || reflect.DeepEqual(got.Rows[i].Values, want.Rows[i].Values))
	}
	if !same {
		t.Errorf("%s by %s on %d entities: rows are\n%+v\nwant\n%+v\n%s", q.Name, semantics, m.NumEntities(), got.Rows, want.Rows, q)
	}
}

// dense returns the scores of all entities, 0 for those that are not reported.
func dense(members []member, n int) []float32 {
	x := make([]float32, n)
	for _, m := range members {
		x[m.ID] = m.Score
	}
	return x
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}
