package queryset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/nearest"
)

// reader groups the queries of files.
type reader struct {
	ctx     context.Context
	options Options
	path    string
	// split is the default split, empty if unknown.
	split    string
	warnings []Warning
	groups   []*Group
	// byName maps a name and template to a group, and forms maps a formula to its form.
	byName map[[2]string]*Group
	forms  map[string]*form
	// refused are the mistakes of formulas, in order, refusals by the formula's error.
	refused  []*Refused
	refusals map[string]*Refused
}

func newReader(ctx context.Context, path string, o Options) *reader {
	return &reader{ctx: ctx, options: o, path: path, byName: map[[2]string]*Group{}, forms: map[string]*form{}, refusals: map[string]*Refused{}}
}

// maxForms bounds the distinct formulas of a set.
const maxForms = 100_000

// form returns the form of a formula.
func (r *reader) form(text string) (*form, error) {
	if f := r.forms[text]; f != nil {
		return f, nil
	}
	if x := r.refusals[text]; x != nil {
		return nil, x.err
	}
	f, err := parseForm(text)
	if bad, ok := errors.AsType[*formulaError](err); ok && len(r.refused) < maxRefused {
		r.refusals[text] = &Refused{err: bad}
	}
	if err != nil {
		return nil, err
	}
	if len(r.forms) == maxForms {
		return nil, fmt.Errorf("more than %d different formulas", maxForms)
	}
	r.forms[text] = f
	return f, nil
}

// maxRefused bounds the distinct refused formulas before the set is refused.
const maxRefused = 1000

// refuse counts queries of a formula if err refuses it, and reports whether it does. place is the position of the
// first of these queries in a file.
func (r *reader) refuse(place, formula string, err error, queries int) bool {
	x := r.refusals[formula]
	if x == nil || !errors.Is(err, x.err) {
		return false
	}
	if x.Place == "" {
		x.Place = place
		r.refused = append(r.refused, x)
	}
	x.Queries += queries
	return true
}

// group returns the group of a name and form.
func (r *reader) group(name string, f *form) *Group {
	key := [2]string{name, f.formula}
	g := r.byName[key]
	if g == nil {
		g = &Group{Name: name, Template: f.template, Formula: f.formula}
		r.byName[key] = g
		r.groups = append(r.groups, g)
	}
	return g
}

// wants reports whether a group is requested and not full.
func (r *reader) wants(g *Group) bool {
	if r.options.Limit > 0 && len(g.Queries) >= r.options.Limit {
		return false
	}
	return r.wantsName(g.Name)
}

// warn records a warning.
func (r *reader) warn(file, msg string, queries int) {
	r.warnings = append(r.warnings, Warning{file, msg, queries})
}

// finish returns the set.
func (r *reader) finish() (*Set, error) {
	var names []string
	for _, g := range r.groups {
		names = append(names, g.Name)
	}
	have := slices.DeleteFunc(r.groups, func(g *Group) bool { return len(g.Queries) == 0 })
	for _, s := range r.options.Shapes {
		if slices.ContainsFunc(have, func(g *Group) bool { return g.Name == s }) {
			continue
		}
		err := fmt.Errorf("%s has no queries of shape %s", r.path, s)
		if near := nearest.Names(s, names, 3); len(near) > 0 {
			err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, ", "))
		}
		return nil, err
	}
	if len(have) == 0 {
		err := fmt.Errorf("%s has no queries", r.path)
		for _, w := range r.warnings {
			err = fmt.Errorf("%w\n%s", err, w)
		}
		for _, x := range r.refused {
			err = fmt.Errorf("%w\n%w", err, x)
		}
		return nil, err
	}
	slices.SortStableFunc(have, func(a, b *Group) int { return cmp.Compare(a.order(), b.order()) })
	for _, g := range have {
		for i := range g.Queries {
			g.Queries[i].Split = cmp.Or(g.Queries[i].Split, r.split)
			for _, ids := range []*[]int32{&g.Queries[i].Easy, &g.Queries[i].Hard} {
				slices.Sort(*ids)
				*ids = slices.Compact(*ids)
			}
		}
	}
	return &Set{Groups: have, Refused: r.refused}, nil
}

// args returns the parameter values in the order of the template.
func (f *form) args(value func(name string) (int32, bool)) ([]int32, error) {
	args := make([]int32, len(f.params))
	for i, p := range f.params {
		v, ok := value(p.Name)
		if !ok {
			return nil, fmt.Errorf("a query of shape %s needs field %s", cmp.Or(f.name, f.formula), p.Name)
		}
		args[i] = v
	}
	return args, nil
}

// wantsName reports whether a group with that name is requested.
func (r *reader) wantsName(name string) bool {
	return len(r.options.Shapes) == 0 || slices.Contains(r.options.Shapes, name)
}
