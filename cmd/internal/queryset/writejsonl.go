package queryset

import (
	"encoding/json"
	"io"
	"strconv"
)

// jsonLines writes JSON Lines.
func (w *writer) jsonLines(to io.Writer, set *Set) error {
	var line []byte
	for _, g := range set.Groups {
		head, err := g.lineHead()
		if err != nil {
			return err
		}
		for _, q := range g.Queries {
			if err := w.step(w.path); err != nil {
				return err
			}
			line = append(line[:0], head...)
			for i, p := range g.Template.Params {
				line = strconv.AppendQuote(append(line, ", "...), p.Name)
				line = strconv.AppendInt(append(line, ": "...), int64(q.Args[i]), 10)
			}
			line = appendIDs(append(line, `, "easy": `...), q.Easy)
			line = appendIDs(append(line, `, "hard": `...), q.Hard)
			if _, err := to.Write(append(line, "}\n"...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lineHead begins a line of the group.
func (g *Group) lineHead() (string, error) {
	if _, err := shapeNamed(g.Name); err == nil {
		return `{"type": "` + g.Name + `"`, nil
	}
	formula, err := json.Marshal(g.Formula)
	if err != nil || g.Name == g.Formula {
		return `{"formula": ` + string(formula), err
	}
	name, err := json.Marshal(g.Name)
	return `{"type": ` + string(name) + `, "formula": ` + string(formula), err
}

// appendIDs appends a list of ids.
func appendIDs(line []byte, ids []int32) []byte {
	line = append(line, '[')
	for i, id := range ids {
		if i > 0 {
			line = append(line, ", "...)
		}
		line = strconv.AppendInt(line, int64(id), 10)
	}
	return append(line, ']')
}
