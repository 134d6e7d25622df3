package host

import (
	"maps"
	"math"
	"slices"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Question is a client's query, a formula or a template.
type Question struct {
	Formula   string          `json:"formula,omitempty" jsonschema:"question with one free variable, or several, such as exists x. borders(\"France\", x) & capital(x, y), or without one, which asks yes or no"`
	Template  string          `json:"template,omitempty" query:"-" jsonschema:"name of a template that the tool templates lists, in place of a formula"`
	Args      compiler.Values `json:"args,omitempty" query:"-" jsonschema:"values of the parameters of the template by name: entities and relations by name, numbers, dates such as 1950-01-31"`
	Settings  Settings        `json:"settings,omitzero" query:"-"`
	Semantics string          `json:"semantics,omitempty" jsonschema:"nsmp, fit or mixed; the best for the model if not given"`
	Assume    []string        `json:"assume,omitempty" query:"whole" jsonschema:"facts to take for stored in this question, or with ! before them for not stored, such as borders(\"France\", \"Italy\") or population(\"Rome\") = 5; nothing is changed"`

	Parsed stages.Text    `json:"-"` // from another endpoint, instead of the two
	At     *runtime.Model `json:"-"` // a snapshot to ask about; nil means the newest facts
}

// Settings are the settings of message passing that a request overrides, by name.
type Settings map[string]float64

// apply returns s with the settings of the request.
func (o Settings) apply(s model.Settings) (model.Settings, error) {
	if len(o) == 0 {
		return s, nil
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		x := model.SettingNamed(name)
		value := o[name]
		switch {
		case x == nil || !x.ReadBy(model.NSMP):
			return s, problem.Bad("settings: unknown name %q, want lambda, alpha, weight, epsilon or layers", name)
		case x.IsWhole() && value != math.Trunc(value):
			return s, problem.Bad("settings: %s is %v, want a whole number", name, value)
		}
		if err := x.Check(value); err != nil {
			return s, problem.Bad("settings: %w", err)
		}
		x.Set(&s, value)
	}
	return s, nil
}

// text returns the question's one text.
func (q *Question) text(limit int) (stages.Text, error) {
	given := slices.DeleteFunc([]stages.Text{
		q.Parsed, stages.Formula(q.Formula), {Syntax: "template", Text: q.Template, Parse: parseTemplate},
	}, func(t stages.Text) bool { return t.Text == "" })
	if len(given) != 1 {
		return stages.Text{}, problem.Bad("want one of formula and template, got %d", len(given))
	}
	return given[0], CheckLength(given[0].Text, limit)
}

// CheckLength checks the length of a query in bytes.
func CheckLength(text string, limit int) error {
	if len(text) > limit {
		return problem.New("too_large", "the query has %d bytes, over the limit of %d", len(text), limit)
	}
	return nil
}

// parseTemplate parses an .efo file with one query.
func parseTemplate(text string) (*lang.Query, error) {
	file, err := lang.ParseFile("", []byte(text))
	if err != nil {
		return nil, err
	}
	if len(file.Queries) != 1 {
		return nil, problem.Bad("the template holds %d queries, want 1", len(file.Queries))
	}
	return file.Queries[0], nil
}
