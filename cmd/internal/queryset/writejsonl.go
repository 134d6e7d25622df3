package queryset

import (
	"encoding/json"
	"strconv"

	"github.com/efoc/efoc/lang"
)

// NewGroup returns an empty group for the benchmark shape of a name. pni has two readings; universally selects
// pni-universal.
func NewGroup(name string, q *lang.Query, universally bool) *Group {
	formula, _ := shapeNamed(name) // there is one
	if universally && name == "pni" {
		name += universal
	}
	return &Group{Name: name, Template: q, Formula: formula}
}

// LineWriter returns a function that appends a query of the group to a text, as a line of JSON Lines.
func (g *Group) LineWriter() func(text []byte, q Case) []byte {
	head := g.lineHead()
	return func(text []byte, q Case) []byte {
		text = append(text, head...)
		if q.Split != "" {
			text = append(append(text, `, "split": `...), quoted(q.Split)...)
		}
		for i, p := range g.Template.Params {
			text = strconv.AppendQuote(append(text, ", "...), p.Name)
			text = strconv.AppendInt(append(text, ": "...), int64(q.Args[i]), 10)
		}
		text = appendList(append(text, `, "easy": `...), q.Easy)
		text = appendList(append(text, `, "hard": `...), q.Hard)
		return append(text, "}\n"...)
	}
}

// lineHead returns the beginning of the group's lines.
func (g *Group) lineHead() string {
	if formula, err := shapeNamed(g.Name); err == nil && formula == g.Formula {
		return `{"type": ` + quoted(g.Name)
	}
	if g.Name == g.Formula {
		return `{"formula": ` + quoted(g.Formula)
	}
	return `{"type": ` + quoted(g.Name) + `, "formula": ` + quoted(g.Formula)
}

// quoted formats a text in JSON.
func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("internal error: queryset: " + err.Error()) // every text can be quoted
	}
	return string(quoted)
}

// appendList appends a list of ids.
func appendList(line []byte, ids []int32) []byte {
	line = append(line, '[')
	for i, id := range ids {
		if i > 0 {
			line = append(line, ", "...)
		}
		line = strconv.AppendInt(line, int64(id), 10)
	}
	return append(line, ']')
}
