package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the plan's text form, which Parse accepts.
func (p *Plan) String() string {
	ids := make(map[*Value]int, len(p.Values))
	ref := func(v *Value) string {
		if id, ok := ids[v]; ok {
			return "v" + strconv.Itoa(id)
		}
		return "v?"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "plan %q\nconstants %d\nrelations %d\n", p.Shape, p.Constants, p.Relations)
	if p.Filters > 0 {
		fmt.Fprintf(&b, "filters %d\n", p.Filters)
	}
	b.WriteString("layers")
	for _, l := range p.Layers {
		fmt.Fprintf(&b, " %d", l)
	}
	b.WriteString("\n")
	for i, v := range p.Values {
		ids[v] = i
		text := fmt.Sprintf("v%d:%s = %s", i, v.Space(), v.expr(ref))
		if v.Note != "" {
			text = fmt.Sprintf("%-40s ; %s", text, v.Note)
		}
		b.WriteString(text + "\n")
	}
	if p.Answer != nil {
		fmt.Fprintf(&b, "answer %s\n", ref(p.Answer))
	}
	for _, s := range p.Sets {
		fmt.Fprintf(&b, "set %d %s %s\n", s.Disjunct, s.Variable, ref(s.Value))
	}
	return b.String()
}

// expr returns the right side of the value's line, with operands named by ref.
func (v *Value) expr(ref func(*Value) string) string {
	info := v.Op.Info()
	parts := []string{v.Op.String()}
	for _, a := range v.Args {
		parts = append(parts, ref(a))
	}
	if info.Const {
		parts = append(parts, "s"+strconv.Itoa(v.Const+1))
	}
	if info.Rel {
		parts = append(parts, "r"+strconv.Itoa(v.Rel+1))
	}
	if info.Filter {
		parts = append(parts, "p"+strconv.Itoa(v.Filter+1))
	}
	if info.Index {
		parts = append(parts, "#"+strconv.Itoa(v.Index))
	}
	if info.Dir && v.Backward {
		parts = append(parts, "backward")
	}
	if info.Neg && v.Negated {
		parts = append(parts, "negated")
	}
	if v.Sweep > 0 {
		parts = append(parts, "@"+strconv.Itoa(v.Sweep))
	}
	if v.Exchange > 0 {
		parts = append(parts, "^"+strconv.Itoa(v.Exchange))
	}
	return strings.Join(parts, " ")
}
