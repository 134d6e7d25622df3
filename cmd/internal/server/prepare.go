package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
)

// Question is a query as clients send it, in one of four ways.
type Question struct {
	Formula   string          `json:"formula,omitempty"`
	Template  string          `json:"template,omitempty"`
	Shape     string          `json:"shape,omitempty"`
	Benchmark string          `json:"benchmark,omitempty"`
	Args      compiler.Values `json:"args,omitempty"`
	Settings  Settings        `json:"settings,omitzero"`
	Semantics string          `json:"semantics,omitempty"`

	parsed stages.Text    // of another endpoint, in place of the four
	at     *runtime.Model // a snapshot to ask about; nil means the newest facts
}

// Settings are the settings of message passing that a request changes, by name.
type Settings map[string]float64

// apply returns s with the settings that the request gives.
func (o Settings) apply(s model.Settings) (model.Settings, error) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		x := model.SettingNamed(name)
		value := o[name]
		switch {
		case x == nil || !x.ReadBy(model.NSMP):
			return s, badRequest("settings: unknown name %q, want lambda, alpha, weight, epsilon or layers", name)
		case x.IsWhole() && value != math.Trunc(value):
			return s, badRequest("settings: %s is %v, want a whole number", name, value)
		}
		if err := x.Check(value); err != nil {
			return s, badRequest("settings: %w", err)
		}
		x.Set(&s, value)
	}
	return s, nil
}

// text returns the one text that the question has.
func (q *Question) text(limit int) (stages.Text, error) {
	given := slices.DeleteFunc([]stages.Text{
		q.parsed, stages.Formula(q.Formula), {Syntax: "template", Text: q.Template, Parse: parseTemplate},
		{Syntax: "shape", Text: q.Shape, Parse: benchmark.Query}, {Syntax: "benchmark", Text: q.Benchmark, Parse: lang.ParseBenchmark},
	}, func(t stages.Text) bool { return t.Text == "" })
	if len(given) != 1 {
		return stages.Text{}, badRequest("want one of formula, template, shape and benchmark, got %d", len(given))
	}
	return given[0], checkLength(given[0].Text, limit)
}

// checkLength checks the bytes of a query.
func checkLength(text string, limit int) error {
	if len(text) > limit {
		return refused(http.StatusRequestEntityTooLarge, "too_large", "the query has %d bytes, over the limit of %d", len(text), limit)
	}
	return nil
}

// parseTemplate reads an .efo file of one query.
func parseTemplate(text string) (*lang.Query, error) {
	file, err := lang.ParseFile("", []byte(text))
	if err != nil {
		return nil, err
	}
	if len(file.Queries) != 1 {
		return nil, badRequest("the template holds %d queries, want 1", len(file.Queries))
	}
	return file.Queries[0], nil
}

// asked is a query that was read.
type asked struct {
	*stages.Analysis
	at        *runtime.Model // a snapshot
	settings  model.Settings
	semantics model.Semantics
}

// read reads a query.
func (s *Server) read(h *openModel, q *Question) (*asked, error) {
	semantics := s.semantics(h)
	if q.Semantics != "" {
		var err error
		semantics, err = model.ParseSemantics(q.Semantics)
		if err != nil {
			return nil, badRequest("%w", err)
		}
	}
	if semantics == model.FIT && len(q.Settings) > 0 {
		return nil, badRequest("settings are those of message passing, which semantics %s does not read: leave them out, or ask for %s or %s",
			model.FIT, model.NSMP, model.Mixed)
	}
	text, err := q.text(s.Limits.Formula)
	if err != nil {
		return nil, err
	}
	at := cmp.Or(q.at, h.model.Now())
	a, err := s.cache.Analyze(text)
	if err != nil {
		return nil, lang.Unquoted(err, at.Bundle())
	}
	settings, err := q.Settings.apply(at.Settings())
	return &asked{a, at, settings, semantics}, err
}

// check reads a question, looks its names up and bounds its size. All of this is cheap.
func (s *Server) check(h *openModel, q *Question) (*asked, error) {
	a, err := s.read(h, q)
	if err != nil {
		return nil, err
	}
	if _, err := a.Source.Resolve(a.at.Bundle()); err != nil {
		return nil, err
	}
	return a, s.bound(a.messages())
}

// bound refuses a query whose layers could send too many messages.
func (s *Server) bound(messages int) error {
	if messages <= s.Limits.Messages {
		return nil
	}
	return tooCostly("the layers of this query could send %d messages, over the limit of %d: use fewer disjuncts, atoms or layers",
		messages, s.Limits.Messages)
}

// semantics answers requests that name none.
func (s *Server) semantics(h *openModel) model.Semantics {
	if s.Semantics != nil {
		return *s.Semantics
	}
	return h.model.Bundle().Manifest.Semantics
}

// messages counts what the layers of all parts could send.
func (a *asked) messages() (n int) {
	for _, part := range a.PartsFor(a.semantics) {
		n += messages(part.Shape, a.settings.Layers, part.Semantics(a.semantics))
	}
	return n
}

// messages counts those that the layers of a query could send. Truth degrees read each
// edge both ways, once for each variable at most, which comes to as many.
func messages(shape *lower.Shape, layers int, semantics model.Semantics) int {
	n := 0
	for i := range shape.Disjuncts {
		g := &shape.Disjuncts[i]
		l := layers
		if l == 0 || semantics == model.FIT {
			l = len(g.Variables) + 1
		}
		n += 2 * len(g.Atoms) * l
	}
	return n
}

// prepared is a question that can be answered.
type prepared struct {
	*compiler.Prepared
	kind     plan.Kind
	args     runtime.Args
	bytes    int64 // that it needs
	messages int   // that its layers could send
	bare     bool  // the response has no witnesses
}

// shape names the shape of a question that has one, which has no names of the graph.
func (p *prepared) shape() string {
	if len(p.Spec().Variables) == 1 {
		return p.Shape().Key
	}
	return ""
}

// prepare compiles a question, or finds its shape compiled, and fills in its names. If it is to be counted, the
// number of its answers is asked for.
func (s *Server) prepare(ctx context.Context, h *openModel, q *Question, counted bool) (p *prepared, err error) {
	ctx, span := s.span(ctx, "prepare")
	defer func() { end(span, err) }()
	err = s.scheduler.run(ctx, 0, func(ctx context.Context) (err error) {
		p, err = s.compile(ctx, h, q, counted)
		return err
	})
	if err == nil {
		s.traceQuestion(span, p)
	}
	return p, err
}

// compile does the work of prepare.
func (s *Server) compile(ctx context.Context, h *openModel, q *Question, counted bool) (*prepared, error) {
	a, err := s.read(h, q)
	if err != nil {
		return nil, err
	}
	if err := s.bound(a.messages()); err != nil {
		return nil, err
	}
	if counted {
		a.Analysis, err = a.Wanting(kind.Count)
		if err != nil {
			return nil, err
		}
	}
	if err := pause.Here(ctx); err != nil {
		return nil, err
	}
	p := &prepared{messages: a.messages()}
	p.Prepared, err = s.bind(h, a)
	if err != nil {
		return nil, err
	}
	p.kind = p.Spec().Kind
	p.args, err = p.Args(q.Args)
	if err != nil {
		return nil, badRequest("args: %w", err)
	}
	return p, s.afford(h, p)
}

// afford checks the memory that a question takes.
func (s *Server) afford(h *openModel, p *prepared) error {
	p.bytes = p.Bytes()
	for i := range p.Spec().Parts {
		p.bytes = max(p.bytes, workspaceBytes(p.Model(), p.Part(i).Plan()))
	}
	return s.checkBytes(p.bytes)
}

// checkBytes refuses a query that needs more memory than a job may have.
func (s *Server) checkBytes(need int64) error {
	most := s.scheduler.most()
	if need <= most {
		return nil
	}
	return tooCostly("this query needs %d bytes to be answered, over the limit of %d: use fewer disjuncts, atoms or layers, "+
		"or have the server started with a higher --max memory, of which a query may have half", need, most)
}

// bind binds a question for answers to the device, if there is one that has kernels for it, and others to the
// model in main memory.
func (s *Server) bind(h *openModel, a *asked) (*compiler.Prepared, error) {
	if h.onDevice != nil && a.Source.Asks() == kind.Answers {
		o := s.prepareOptions(a.settings, a.semantics)
		o.Engine, o.Kernels = compiler.EngineCUDA, s.Kernels
		if p, err := compiler.PrepareAnalysis(h.onDevice, a.Analysis, o); !errors.Is(err, compiler.ErrNoKernels) {
			return p, err
		}
	}
	return compiler.PrepareAnalysis(a.at, a.Analysis, s.prepareOptions(a.settings, a.semantics))
}

func (s *Server) prepareOptions(settings model.Settings, semantics model.Semantics) compiler.Options {
	return compiler.Options{
		Settings: &settings, Plans: s.Plans, Cache: &s.cache, Semantics: &semantics,
	}
}

// bindHere binds a question that a device has no room for to the model in main memory.
func (s *Server) bindHere(ctx context.Context, h *openModel, p *prepared) (*prepared, error) {
	here := *p
	err := s.scheduler.run(ctx, 0, func(context.Context) (err error) {
		here.Prepared, err = compiler.PrepareAnalysis(p.Model(), p.Analysis, s.prepareOptions(p.Settings, p.Semantics))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &here, s.afford(h, &here)
}

// workspaceBytes returns what the workspace of one query takes: its vectors, one more for
// what Correct notes, and its embeddings. The memory of truth degrees is metered while
// they are computed: see fit.Cache.SetRunBudget.
func workspaceBytes(m *runtime.Model, p *plan.Plan) int64 {
	const number = 4 // bytes
	return number * (int64(p.Vectors+1)*int64(m.NumEntities()) + int64(p.Embeddings+1)*2*int64(m.Bundle().Predictor.Rank))
}
