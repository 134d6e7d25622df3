package server

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Question is a query as clients send it, in one of four ways.
type Question struct {
	Formula   string            `json:"formula,omitempty"`
	Template  string            `json:"template,omitempty"`
	Shape     string            `json:"shape,omitempty"`
	Benchmark string            `json:"benchmark,omitempty"`
	Args      map[string]string `json:"args,omitempty"`
	Settings  Settings          `json:"settings,omitzero"`
	Semantics string            `json:"semantics,omitempty"`

	parsed compiler.Text // of another endpoint, in place of the four
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
func (q *Question) text(limit int) (compiler.Text, error) {
	given := slices.DeleteFunc([]compiler.Text{
		q.parsed, compiler.Formula(q.Formula), {Syntax: "template", Text: q.Template, Parse: parseTemplate},
		{Syntax: "shape", Text: q.Shape, Parse: benchmark.Query}, {Syntax: "benchmark", Text: q.Benchmark, Parse: lang.ParseBenchmark},
	}, func(t compiler.Text) bool { return t.Text == "" })
	if len(given) != 1 {
		return compiler.Text{}, badRequest("want one of formula, template, shape and benchmark, got %d", len(given))
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

// checked is a query that the model knows the names of and the server can afford.
type checked struct {
	*asked
	messages int // that its layers could send
}

// asked is a query that was read.
type asked struct {
	*compiler.Analysis
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
	a, err := s.cache.Analyze(text)
	if err != nil {
		return nil, lang.Unquoted(err, h.model.Now())
	}
	settings, err := q.Settings.apply(h.model.Manifest.Settings)
	return &asked{a, settings, semantics}, err
}

// check reads a query, looks its names up and bounds its size. All of this is cheap.
func (s *Server) check(h *openModel, q *Question) (*checked, error) {
	a, err := s.read(h, q)
	if err != nil {
		return nil, err
	}
	if _, err := a.Sole(); err != nil {
		return nil, err
	}
	return &checked{a, partMessages(a)}, s.checkParts(h, a)
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
	return h.model.Manifest.Semantics
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

// prepared is a query that can be answered.
type prepared struct {
	*compiler.Prepared
	bytes    int64 // of its workspace
	messages int   // that its layers could send
	bindings scq.Bindings
}

// oneLine prints a query in a line.
func oneLine(q *lang.Query) string { return strings.Join(strings.Fields(q.String()), " ") }

// prepare compiles a query, or finds its shape compiled, and fills in its names.
func (s *Server) prepare(ctx context.Context, h *openModel, q *Question) (p *prepared, err error) {
	ctx, span := s.span(ctx, "prepare")
	defer func() { end(span, err) }()
	if err := s.startCompiling(ctx); err != nil {
		return nil, err
	}
	defer s.stopCompiling()
	p, err = s.compile(h, q)
	if err == nil {
		s.traceQuestion(span, p)
	}
	return p, err
}

// compile does the work of prepare.
func (s *Server) compile(h *openModel, q *Question) (*prepared, error) {
	c, err := s.check(h, q)
	if err != nil {
		return nil, err
	}
	p, err := s.bind(h, c)
	if err != nil {
		return nil, err
	}
	b, err := p.Bindings(q.Args)
	if err != nil {
		return nil, badRequest("args: %w", err)
	}
	return s.afford(h, p, c.messages, b)
}

// afford checks the memory that a query takes. messages bounds the messages that its layers can send.
func (s *Server) afford(h *openModel, p *compiler.Prepared, messages int, b scq.Bindings) (*prepared, error) {
	each := workspaceBytes(h.model.Now(), p.Query.Plan())
	return &prepared{p, each, messages, b}, s.checkBytes(each)
}

// checkBytes refuses a query that needs more memory than a batch may have.
func (s *Server) checkBytes(need int64) error {
	if need <= s.room().bytes {
		return nil
	}
	return tooCostly("this query needs %d bytes to be answered, over the limit of %d: use fewer disjuncts, atoms or layers, "+
		"or have the server started with a higher --max memory, which batches that run share", need, s.room().bytes)
}

// bind binds a query to the device, if there is one that has kernels for it, or to the model in
// main memory.
func (s *Server) bind(h *openModel, c *checked) (*compiler.Prepared, error) {
	if h.onDevice != nil {
		o := s.prepareOptions(c.settings, c.semantics)
		o.Engine, o.Kernels = compiler.EngineCUDA, s.Kernels
		if p, err := c.Prepare(h.onDevice, o); !errors.Is(err, compiler.ErrNoKernels) {
			return p, err
		}
	}
	return c.Prepare(h.model.Now(), s.prepareOptions(c.settings, c.semantics))
}

func (s *Server) prepareOptions(settings model.Settings, semantics model.Semantics) compiler.PrepareOptions {
	return compiler.PrepareOptions{
		Settings: &settings, Plans: s.Plans, Cache: &s.cache, Semantics: &semantics,
	}
}

// bindHere binds a query that a device has no room for to the model in main memory.
func (s *Server) bindHere(ctx context.Context, h *openModel, p *prepared) (*prepared, error) {
	if err := s.startCompiling(ctx); err != nil {
		return nil, err
	}
	defer s.stopCompiling()
	here, err := p.Analysis.Prepare(h.model.Now(), s.prepareOptions(p.Settings, p.Semantics))
	if err != nil {
		return nil, err
	}
	return s.afford(h, here, p.messages, p.bindings)
}

// room is what a batch that runs may have.
func (s *Server) room() room { return room{maxTogether, s.turns.room} }

// maxTogether bounds a batch: as many queries run together at most.
const maxTogether = 64

// startCompiling waits until there is a processor for parsing and compiling.
func (s *Server) startCompiling(ctx context.Context) error {
	select {
	case s.compiling <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Server) stopCompiling() { <-s.compiling }

// memoryError says whether a query that was given up for its memory is too large by
// itself, or came while others took too much.
func (s *Server) memoryError(err error) error {
	var memory *fit.MemoryError
	switch {
	case !errors.As(err, &memory):
		return err
	case memory.Run > s.room().bytes:
		return tooCostly("this query needs more than %d bytes to be answered: use fewer variables in cycles or fewer negated atoms, "+
			"or have the server started with a higher --max memory, which batches that run share", s.room().bytes)
	}
	return overloaded(1, "the queries that run take more than %d bytes, the limit of --max memory", memory.Budget)
}

// workspaceBytes returns what the workspace of one query takes: its vectors, one more for
// what Correct notes, and its embeddings. The memory of truth degrees is metered while
// they are computed: see fit.Rows.SetRunBudget.
func workspaceBytes(m *runtime.Model, p *plan.Plan) int64 {
	const number = 4 // bytes
	return number * (int64(p.Vectors+1)*int64(m.NumEntities()) + int64(p.Embeddings+1)*2*int64(m.Predictor.Rank))
}
