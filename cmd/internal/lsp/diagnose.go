package lsp

import (
	"cmp"
	"errors"
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
func (s *session) diagnose(d *document) (list []diagnostic) {
	list = []diagnostic{}
	var fault error
	defer s.recovered("diagnostics of "+d.uri, &fault)
	f, mistakes := d.parse()
	_ = lang.Unquoted(mistakes, s.Model)
	semantics := s.semantics(f)
	for _, q := range f.Queries {
		for _, w := range q.Warnings {
			list = append(list, d.diagnostic(lang.Error(w), severityWarning))
		}
		a := compiler.Analyze(q)
		_, unknown := a.Resolve(s.Model)
		_, _, refused := s.plans.Compile(a.Shape, compiler.CompileOptions{Layers: f.Layers, Semantics: semantics})
		for _, err := range []error{unknown, a.Locate(refused)} {
			if more, ok := errors.AsType[lang.ErrorList](err); ok {
				mistakes = append(mistakes, more...)
			} else if err != nil {
				mistakes = append(mistakes, q.Errorf(q.Pos, "", "%s", err))
			}
		}
	}
	for _, e := range mistakes {
		list = append(list, d.diagnostic(*e, severityError))
	}
	slices.SortStableFunc(list, func(a, b diagnostic) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	return list
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

// semantics returns that of a file: the model's unless it chooses one.
func (s *session) semantics(f *lang.File) model.Semantics {
	if chosen, err := model.ParseSemantics(f.Semantics); err == nil && f.Semantics != "" {
		return chosen
	}
	return s.Model.Manifest.Semantics
}
