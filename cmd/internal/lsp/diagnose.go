package lsp

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// Severities of diagnostics.
const (
	severityError   = 1
	severityWarning = 2
)

// diagnostic is a mistake, or a warning.
type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// diagnose returns all mistakes of a document, and its warnings.
func (s *session) diagnose(ctx context.Context, r *reading) []diagnostic {
	var mistakes lang.ErrorList
	for _, e := range r.mistakes {
		mistakes = append(mistakes, new(*e))
	}
	_ = lang.Unquoted(mistakes, s.Model) // in place

	list := []diagnostic{}
	for _, e := range mistakes {
		list = append(list, r.diagnostic(*e, severityError))
	}
	for _, q := range r.file.Queries {
		if ctx.Err() != nil {
			break // nobody reads them any more
		}
		for _, w := range q.Warnings {
			list = append(list, r.diagnostic(lang.Error(w), severityWarning))
		}
		for _, e := range s.check(r.file, q) {
			list = append(list, r.diagnostic(*e, severityError))
		}
	}

	slices.SortStableFunc(list, func(a, b diagnostic) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(list) // templates that use one short name share its mistake
}

// check returns what keeps a template from being answered on the model.
func (s *session) check(f *lang.File, q *lang.Query) (mistakes lang.ErrorList) {
	var fault error
	defer func() {
		if fault != nil {
			mistakes = q.Mistake("", "%s", fault)
		}
	}()
	defer s.recovered("template "+q.Name, &fault)

	options := compiler.CompileOptions{Layers: f.Layers, Semantics: s.semantics(f)}
	return compiler.Analyze(q).Mistakes(s.Model, &s.plans, options)
}

// diagnostic marks the word at which a mistake is.
func (d *document) diagnostic(e lang.Error, severity int) diagnostic {
	message := e.Msg
	if e.Hint != "" {
		message += "\nhint: " + e.Hint
	}
	at := min(e.Pos.Offset, len(d.text))
	return diagnostic{d.span(at, d.wordEnd(at)), severity, "efoc", message}
}

// semantics returns the semantics of a file: the model's unless the file chooses one.
func (s *session) semantics(f *lang.File) model.Semantics {
	if chosen, err := model.ParseSemantics(f.Semantics); err == nil && f.Semantics != "" {
		return chosen
	}
	return s.Model.Manifest.Semantics
}
