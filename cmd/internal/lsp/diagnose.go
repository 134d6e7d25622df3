package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/efoc/efoc/compiler/stages"
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
	// Data are the corrections that replace the range. The editor returns them with a request for actions.
	Data []string `json:"data,omitempty"`
}

// source is the source of all diagnostics.
const source = "efoc"

// diagnose returns all mistakes of a document, and its warnings.
func (s *session) diagnose(ctx context.Context, r *reading) []diagnostic {
	var mistakes lang.ErrorList
	for _, e := range r.mistakes {
		mistakes = append(mistakes, new(*e))
	}
	_ = lang.Unquoted(mistakes, s.Model.Bundle()) // in place

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
	// Templates that use one short name share its mistake.
	return slices.CompactFunc(list, func(a, b diagnostic) bool { return a.Range == b.Range && a.Message == b.Message })
}

// check returns the mistakes that prevent a template from being answered on the model.
func (s *session) check(f *lang.File, q *lang.Query) (mistakes lang.ErrorList) {
	var fault error
	defer func() {
		if fault != nil {
			mistakes = q.Mistake("", "%s", fault)
		}
	}()
	defer s.recovered("template "+q.Name, &fault)

	options := stages.Options{Layers: f.Layers, Semantics: s.semantics(f)}
	return stages.Analyze(q).Mistakes(s.Model.Bundle(), &s.plans, options)
}

// diagnostic marks the word at a mistake's position.
func (d *document) diagnostic(e lang.Error, severity int) diagnostic {
	message := e.Msg
	if e.Hint != "" {
		message += "\nhint: " + e.Hint
	}
	at := min(e.Pos.Offset, len(d.text))
	return diagnostic{d.span(at, d.wordEnd(at)), severity, source, message, e.Nearest}
}

// action is a change that an editor offers for a diagnostic.
type action struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Preferred   bool           `json:"isPreferred"`
	Diagnostics []any          `json:"diagnostics"`
	Edit        map[string]any `json:"edit"`
}

// codeAction offers the corrections of diagnostics, which the editor sends back.
func (s *session) codeAction(_ context.Context, p *params) (any, error) {
	actions := []action{}
	for _, sent := range p.Context.Diagnostics {
		var d diagnostic
		if json.Unmarshal(sent, &d) != nil || d.Source != source {
			continue // from another server, with unknown data
		}
		for i, word := range d.Data {
			changes := map[string][]edit{p.TextDocument.URI: {{d.Range, word}}}
			actions = append(actions, action{"Change to " + word, "quickfix", i == 0, []any{sent}, map[string]any{"changes": changes}})
		}
	}
	return actions, nil
}

// semantics returns the semantics of a file: the model's unless the file chooses one.
func (s *session) semantics(f *lang.File) model.Semantics {
	if chosen, err := model.ParseSemantics(f.Semantics); err == nil && f.Semantics != "" {
		return chosen
	}
	return s.Model.Bundle().Manifest.Semantics
}
