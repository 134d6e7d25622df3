package runtime

import (
	"cmp"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Named returns the entity with an id, with its name and label.
func (m *Model) Named(id int32) Value { return m.named("", graph.EntityID(id)) }

// named returns the value of a variable.
func (m *Model) named(variable string, e graph.EntityID) Value {
	return Value{Variable: variable, ID: e, Name: m.EntityName(e), Label: m.EntityLabel(e)}
}

// rows converts findings for a variable to named rows, whose values share one array.
func (m *Model) rows(variable string, found []judge.Finding) []Row {
	rows := make([]Row, len(found))
	values := make([]Value, len(found))
	for i, f := range found {
		values[i] = Value{Variable: variable, ID: f.Entity}
		rows[i] = Row{
			Values: values[i : i+1 : i+1], Score: f.Score, Confidence: f.Confidence, Basis: (*Basis)(f.Basis),
			Status: Status(f.Status), OutOfRange: f.OutOfRange,
		}
	}
	m.setNames(values)
	return rows
}

// Initial capacity for the names and labels of a page.
const (
	pageValues = 16
	nameBytes  = 64
)

// setNames sets the names and labels of values as substrings of one string.
func (m *Model) setNames(values []Value) {
	names := m.bundle.Entities
	var (
		texts  [pageValues * nameBytes]byte
		places [2 * pageValues]int
	)
	text := texts[:0]
	ends := places[:0] // of names and labels in it
	for _, v := range values {
		text = names.AppendName(text, int32(v.ID))
		ends = append(ends, len(text))
		text = names.AppendLabel(text, int32(v.ID))
		ends = append(ends, len(text))
	}
	all := string(text)
	start := 0
	for i := range values {
		v := &values[i]
		v.Name = all[start:ends[2*i]]
		v.Label = cmp.Or(all[ends[2*i]:ends[2*i+1]], v.Name)
		start = ends[2*i+1]
	}
}

// members names the members of a variable's fuzzy set.
func (m *Model) members(variable string, list []top.Ranked) []Row {
	found := make([]judge.Finding, len(list))
	for i, e := range list {
		found[i] = judge.Finding{Entity: e.Entity, Score: e.Score}
	}
	return m.rows(variable, found)
}

// witness names the entities and relations of a witness.
func (q *query) witness(x *explain.Witness) Witness {
	m := q.model
	w := Witness{Answer: m.named("", x.Answer), Disjunct: x.Disjunct, Degree: x.Degree}
	names := q.names.variables[x.Disjunct]
	for v := 1; v < len(x.Values); v++ { // existential variables
		w.Values = append(w.Values, m.named(names[v], x.Values[v]))
	}
	for _, a := range x.Atoms {
		relation := a.Relation
		head := a.Head
		tail := a.Tail
		if q.reversed(x.Disjunct, a.Index) {
			relation = relation.Inverse()
			head, tail = tail, head
		}
		atom := m.Stored(head, relation, tail)
		atom.Negated = a.Negated
		atom.Fails = string(a.Fails)
		atom.Observed = a.Observed
		atom.Degree = float32(a.Degree)
		if holds := a.Observed != a.Negated; holds && relation != explain.Same {
			atom.Assumed = m.assumes(graph.TripleOf(head, relation, tail))
		}
		w.Atoms = append(w.Atoms, atom)
	}
	for _, f := range x.Filters {
		w.Filters = append(w.Filters, m.filter(f))
	}
	return w
}

// filter names a filter and the value that meets it.
func (m *Model) filter(f explain.FilterAtom) WitnessFilter {
	named := WitnessFilter{Attribute: f.Attribute(), Asked: f.Selector().String(), Entity: m.named("", f.Entity), Degree: f.Factor(f.Entity)}
	if v, known := f.Witness(f.Entity); known {
		named.Value = v.Kind.Text(v.Number)
		named.Added = m.bundle.ValueOrigin(v)
		named.Assumed = m.base != nil && !m.base.bundle.HasValue(v)
	}
	return named
}

// Stored returns a link of the graph as an atom.
func (m *Model) Stored(h graph.EntityID, r graph.RelationID, t graph.EntityID) WitnessAtom {
	atom := WitnessAtom{Relation: "=", Head: m.named("", h), Tail: m.named("", t), Observed: true, Degree: 1, relation: r}
	if r != explain.Same {
		atom.Relation = m.RelationName(r)
		atom.Added = m.bundle.Origin(graph.TripleOf(h, r, t))
	}
	return atom
}

// reversed reports whether the query writes an atom of a disjunct from its other end.
func (q *query) reversed(disjunct, atom int) bool {
	r := q.names.reversed
	return r != nil && r[disjunct] != nil && r[disjunct][atom]
}
