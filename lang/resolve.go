package lang

// Vocabulary finds the ids of a model's entities and relations by name.
type Vocabulary interface {
	// FindEntity returns the id of an entity; its error says that it
	// is unknown.
	FindEntity(name string) (id int32, err error)
	// FindRelation returns the id of a relation; its error says that it
	// is unknown.
	FindRelation(name string) (id int32, err error)
	// NearestEntities returns at most max known names that resemble name.
	NearestEntities(name string, max int) []string
	// NearestRelations returns at most max known names that resemble name.
	NearestRelations(name string, max int) []string
}

// IDs are the ids of the names in a query.
type IDs struct {
	Entities, Relations map[string]int32
}

// Resolve finds the ids of the entities and relations that a query names. Each
// unknown name is reported once, at its first place, with the vocabulary's error
// as message. The error is an UnknownNamesError.
func Resolve(q *Query, v Vocabulary) (IDs, error) {
	r := &reporter{src: q.src}
	ids := IDs{map[string]int32{}, map[string]int32{}}
	// entity looks up a constant.
	entity := func(t Term) {
		if _, ok := ids.Entities[t.Name]; ok || t.Kind != Constant {
			return
		}
		id, err := v.FindEntity(t.Name)
		ids.Entities[t.Name] = id
		if err != nil {
			r.add(t.Pos, didYouMean(quoteAll(v.NearestEntities(t.Name, maxNearest))), "%s", err)
		}
	}
	walk(q.Formula, func(f Formula) {
		a, ok := f.(*Atom)
		if !ok {
			return
		}
		if _, ok := ids.Relations[a.Relation.Name]; !ok && !a.Relation.Param {
			id, err := v.FindRelation(a.Relation.Name)
			ids.Relations[a.Relation.Name] = id
			if err != nil {
				r.add(a.Relation.Pos, didYouMean(quoteAll(v.NearestRelations(a.Relation.Name, maxNearest))), "%s", err)
			}
		}
		entity(a.Head)
		entity(a.Tail)
	})
	if r.err() != nil {
		return ids, UnknownNamesError{r.errs}
	}
	return ids, nil
}

// UnknownNamesError lists the names of a query that a vocabulary lacks.
type UnknownNamesError struct{ ErrorList }

// Unwrap returns the list.
func (e UnknownNamesError) Unwrap() error { return e.ErrorList }
