package sparqlresult

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/names"
)

// Bind resolves the literals of the query to entities of a model. If strict, unknown names are
// errors; otherwise see sparql.Request.Bind. The error is a lang.ErrorList.
func Bind(r *sparql.Request, m *runtime.Model, strict bool) error {
	return r.Bind(known{m}, strict)
}

// known implements a request's view of a model.
type known struct{ *runtime.Model }

// Find returns the name of the entity with a name or label. A label shared by several counts as found; looking it up
// reports the ambiguity.
func (k known) Find(text string) (string, bool) {
	id, err := k.Bundle().FindEntity(text)
	if err != nil {
		return text, !errors.Is(err, names.ErrUnknown)
	}
	return k.Bundle().Entities.Name(id), true
}

// HasRelation reports whether there is a relation with a name or label. It returns an error if the import skipped the
// relation's statements because they are about literals.
func (k known) HasRelation(text string) (bool, error) {
	_, err := k.Bundle().FindRelation(text)
	unknown, ok := errors.AsType[*names.UnknownError](err)
	if ok && unknown.Literals > 0 {
		return false, err
	}
	return !ok, nil
}

// HasAttribute reports whether there is an attribute of that name.
func (k known) HasAttribute(name string) bool {
	_, err := k.Bundle().FindAttribute(name)
	return err == nil
}

// HasSeveral reports whether an entity has several values of an attribute.
func (k known) HasSeveral(attribute string) bool { return k.Bundle().HasSeveralValues(attribute) }

// Literals reports whether any entity is a literal.
func (k known) Literals() bool { return k.Bundle().Entities.StartsWith(`"`) }

// compareTerms orders entities by name, as ORDER BY does: blank nodes, IRIs, literals; numeric literals by value.
func compareTerms(a, b string) int {
	x, kindOfA := kindOf(a)
	y, kindOfB := kindOf(b)
	if c := cmp.Compare(kindOfA, kindOfB); c != 0 {
		return c
	}
	if kindOfA != literal {
		return strings.Compare(sparql.IRI(a), sparql.IRI(b))
	}
	v, errA := strconv.ParseFloat(x.Text, 64)
	w, errB := strconv.ParseFloat(y.Text, 64)
	if x.Datatype != "" && y.Datatype != "" && errA == nil && errB == nil {
		return cmp.Compare(v, w)
	}
	return cmp.Or(strings.Compare(x.Text, y.Text), strings.Compare(a, b))
}

// The kinds of terms, in their order.
const (
	blank = iota
	iri
	literal
)

func kindOf(name string) (l sparql.Literal, kind int) {
	l, ok := sparql.LiteralOf(name)
	switch {
	case ok:
		return l, literal
	case strings.HasPrefix(name, "_:"):
		return l, blank
	}
	return l, iri
}
