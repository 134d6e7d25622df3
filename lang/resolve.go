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

// Resolve checks that a vocabulary knows each entity and relation that a query
// names. Each unknown name is reported once, at its first place, with the
// vocabulary's error as message. The error is an ErrorList.
func Resolve(q *Query, v Vocabulary) error {
	r := &reporter{src: q.src}
	entities, relations := make(map[string]bool), make(map[string]bool)
	// entity looks up a constant.
	entity := func(t Term) {
		if t.Kind != Constant || entities[t.Name] {
			return
		}
		entities[t.Name] = true
		if _, err := v.FindEntity(t.Name); err != nil {
			r.add(t.Pos, didYouMean(quoteAll(v.NearestEntities(t.Name, maxNearest))), "%s", err)
		}
	}
	walk(q.Formula, func(f Formula) {
		a, ok := f.(*Atom)
		if !ok {
			return
		}
		if rel := a.Relation; !rel.Param && !relations[rel.Name] {
			relations[rel.Name] = true
			if _, err := v.FindRelation(rel.Name); err != nil {
				r.add(rel.Pos, didYouMean(quoteAll(v.NearestRelations(rel.Name, maxNearest))), "%s", err)
			}
		}
		entity(a.Head)
		entity(a.Tail)
	})
	return r.err()
}
