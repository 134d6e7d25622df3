package host

import (
	"cmp"
	"context"
	"errors"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
)

// Asked is a parsed query.
type Asked struct {
	*stages.Analysis
	At        *runtime.Model // a snapshot
	Settings  model.Settings
	Semantics model.Semantics
	warnings  []lang.Warning // of assumptions
	bound     *boundQuestions
	*lease
}

// assumes reports whether the question has assumptions.
func (a *Asked) assumes() bool { return a.At.Base() != a.At }

// read parses a query. The caller releases it.
func (s *Host) read(ctx context.Context, h *Model, q *Question) (*Asked, error) {
	semantics := s.DefaultSemantics(h)
	if q.Semantics != "" {
		var err error
		semantics, err = model.ParseSemantics(q.Semantics)
		if err != nil {
			return nil, problem.Bad("%w", err)
		}
	}
	if semantics == model.FIT && len(q.Settings) > 0 {
		return nil, problem.Bad("settings are those of message passing, which semantics %s does not read: leave them out, or ask for %s or %s",
			model.FIT, model.NSMP, model.Mixed)
	}
	text, err := q.text(s.Limits.Formula)
	if err != nil {
		return nil, err
	}
	at := cmp.Or(q.At, h.model.Now())
	settings, err := q.Settings.apply(at.Settings())
	if err != nil {
		return nil, err
	}
	a, err := s.Cache.Analyze(text)
	if err != nil {
		return nil, lang.Unquoted(err, at.Bundle())
	}
	asked := &Asked{Analysis: a, At: at, Settings: settings, Semantics: semantics, bound: &h.bound}
	return asked, s.assume(ctx, h, asked, q.Assume)
}

// Check parses a question, resolves its names and bounds its size. All of this is cheap.
func (s *Host) Check(ctx context.Context, h *Model, q *Question) (*Asked, error) {
	a, err := s.read(ctx, h, q)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	if _, err := a.Source.Resolve(a.At.Bundle()); err != nil {
		return nil, err
	}
	return a, s.checkMessages(a.messages())
}

// checkMessages refuses a query whose layers could send too many messages.
func (s *Host) checkMessages(messages int) error {
	if messages <= s.Limits.Messages {
		return nil
	}
	return problem.TooCostly("the layers of this query could send %d messages, over the limit of %d: use fewer disjuncts, atoms or layers",
		messages, s.Limits.Messages)
}

// DefaultSemantics is the semantics for requests that name none.
func (s *Host) DefaultSemantics(h *Model) model.Semantics {
	if s.Semantics != nil {
		return *s.Semantics
	}
	return h.model.Bundle().Manifest.Semantics
}

// messages counts what the layers of all parts could send.
func (a *Asked) messages() (n int) {
	for _, part := range a.PartsFor(a.Semantics) {
		n += messages(part.Shape, a.Settings.Layers, part.Semantics(a.Semantics))
	}
	return n
}

// messages bounds the messages of a query's layers. Truth degrees read each edge both ways, at most once per
// variable, which is the same number.
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

// Prepare compiles a question, or finds its shape compiled, and resolves its names. The
// caller calls Release after the last use.
func (s *Host) Prepare(ctx context.Context, h *Model, q *Question) (p *Prepared, err error) {
	err = s.Run(ctx, 0, func(ctx context.Context) (err error) {
		p, err = s.compile(ctx, h, q)
		return err
	})
	return p, err
}

// compile is Prepare without the scheduler. A question is bound once for its text, its settings and the facts.
func (s *Host) compile(ctx context.Context, h *Model, q *Question) (*Prepared, error) {
	a, err := s.read(ctx, h, q)
	if err != nil {
		return nil, err
	}
	bound, err := s.boundTo(ctx, h, a)
	if err != nil {
		a.Release()
		return nil, err
	}
	p := *bound
	p.Warnings = a.warnings
	p.lease = a.lease
	p.Given, err = p.Args(q.Args)
	if err != nil {
		a.Release()
		return nil, problem.Bad("args: %w", err)
	}
	return &p, nil
}

// boundTo binds a question to its snapshot, unless it is bound already.
func (s *Host) boundTo(ctx context.Context, h *Model, a *Asked) (*Prepared, error) {
	key := boundKey{a.Analysis, a.Settings, a.Semantics}
	bound := a.bound.find(a.At, key)
	if bound != nil {
		return bound, nil
	}
	bound, err := s.bindFirst(ctx, h, a)
	if err == nil && bound.Messages <= MaxShared {
		a.bound.keep(a.At, key, bound)
	}
	return bound, err
}

// bindFirst binds a question that is not bound yet.
func (s *Host) bindFirst(ctx context.Context, h *Model, a *Asked) (*Prepared, error) {
	p := &Prepared{Messages: a.messages()}
	if err := s.checkMessages(p.Messages); err != nil {
		return nil, err
	}
	if err := pause.Here(ctx); err != nil {
		return nil, err
	}
	var err error
	p.Prepared, err = s.bind(h, a)
	if err != nil {
		return nil, err
	}
	p.Kind = p.Spec().Kind
	p.Layers = p.Prepared.Layers()
	return p, s.afford(h, p)
}

// afford checks the memory that a question needs.
func (s *Host) afford(h *Model, p *Prepared) error {
	p.Need = p.Bytes()
	for i := range p.Spec().Parts {
		p.Need = max(p.Need, workspaceBytes(p.Model(), p.Spec().Parts[i].Plan))
	}
	return s.checkBytes(p.Need)
}

// checkBytes refuses a query above the memory limit of a job.
func (s *Host) checkBytes(need int64) error {
	most := s.scheduler.most()
	if need <= most {
		return nil
	}
	return problem.TooCostly("this query needs %d bytes to be answered, over the limit of %d: use fewer disjuncts, atoms or layers, "+
		"or have the server started with a higher --max memory, of which a query may have half", need, most)
}

// bind binds a question for answers to the device, if that has kernels for it, and others to the model in main
// memory.
func (s *Host) bind(h *Model, a *Asked) (*compiler.Prepared, error) {
	if h.onDevice != nil && !a.assumes() && a.Source.Asks() == kind.Answers {
		o := s.prepareOptions(a.Settings, a.Semantics)
		o.Engine, o.Kernels = compiler.EngineCUDA, s.Kernels
		if p, err := compiler.Prepare(h.onDevice, a.Analysis, o); !errors.Is(err, compiler.ErrNoKernels) {
			return p, err
		}
	}
	return compiler.Prepare(a.At, a.Analysis, s.prepareOptions(a.Settings, a.Semantics))
}

func (s *Host) prepareOptions(settings model.Settings, semantics model.Semantics) compiler.Options {
	return compiler.Options{
		Settings: &settings, Plans: s.Plans, Cache: &s.Cache, Semantics: &semantics,
	}
}

// BindHere binds a question that does not fit the device to the model in main memory.
func (s *Host) BindHere(ctx context.Context, h *Model, p *Prepared) (*Prepared, error) {
	here := *p
	if p.Against != nil {
		var err error
		here.Against, err = s.BindHere(ctx, h, p.Against)
		if err != nil {
			return nil, err
		}
	}
	err := s.Run(ctx, 0, func(context.Context) (err error) {
		here.Prepared, err = compiler.Prepare(p.Model(), p.Analysis, s.prepareOptions(p.Settings, p.Semantics))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &here, s.afford(h, &here)
}

// workspaceBytes returns the memory of one query's workspace: its vectors, one more for Correct, and its embeddings.
// The memory of truth degrees is metered during their computation: see fit.Cache.SetRunBudget.
func workspaceBytes(m *runtime.Model, p *plan.Plan) int64 {
	const number = 4 // bytes
	return number * (int64(p.Vectors+1)*int64(m.NumEntities()) + int64(p.Embeddings+1)*2*int64(m.Bundle().Predictor.Rank))
}
