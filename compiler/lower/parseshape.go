package lower

import (
	"fmt"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/scq"
)

// ParseShape returns the shape of a key, whose slots have no names but s1, s2, … and
// r1, r2, …: it compiles to the plan that the query with that key compiles to.
func ParseShape(key string) (*Shape, error) {
	graphs, err := scq.Parse(key)
	if err != nil {
		return nil, err
	}
	s := &Shape{Key: key, SCQs: graphs, Reversed: make([][]bool, len(graphs))}
	constants, relations := 0, 0
	for _, g := range graphs {
		s.Variables = append(s.Variables, g.Variables)
		for _, a := range g.Atoms {
			relations = max(relations, a.Relation+1)
		}
		for _, t := range g.Terms() {
			if t.Constant {
				constants = max(constants, t.Index+1)
			}
		}
	}
	for i := range constants {
		s.Constants = append(s.Constants, lang.Term{Kind: lang.Parameter, Name: fmt.Sprintf("s%d", i+1)})
	}
	for i := range relations {
		s.Relations = append(s.Relations, lang.Relation{Name: fmt.Sprintf("r%d", i+1), Param: true})
	}
	return s, nil
}
