package ir

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// String returns the plan's text form, which Parse reads back.
func (p *Plan) String() string {
	var b strings.Builder
	p.WriteTo(&b) // a strings.Builder returns no error
	return b.String()
}

// WriteTo writes the plan's text form.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	pr := &printer{w: w, ids: make(map[*Value]int, len(p.Values))}
	pr.printf("plan %s\n", strconv.Quote(p.Shape))
	pr.printf("constants %d\nrelations %d\nlayers%s\n", p.Constants, p.Relations, joinInts(p.Layers))
	for i, v := range p.Values {
		pr.ids[v] = i
		pr.value(i, v)
	}
	if p.Answer != nil {
		pr.printf("answer %s\n", pr.ref(p.Answer))
	}
	for _, v := range p.Keeps {
		pr.printf("keep %s\n", pr.ref(v))
	}
	for _, s := range p.Sets {
		pr.printf("set %d %s %s\n", s.SCQ, s.Variable, pr.ref(s.Value))
	}
	return pr.n, pr.err
}

func joinInts(xs []int) string {
	var b strings.Builder
	for _, x := range xs {
		fmt.Fprintf(&b, " %d", x)
	}
	return b.String()
}

// printer keeps its first error, so that printing needs no error branches.
type printer struct {
	w   io.Writer
	n   int64
	err error
	ids map[*Value]int
}

func (p *printer) printf(format string, args ...any) {
	if p.err != nil {
		return
	}
	n, err := fmt.Fprintf(p.w, format, args...)
	p.n += int64(n)
	p.err = err
}

// ref names a value.
func (p *printer) ref(v *Value) string {
	if id, ok := p.ids[v]; ok {
		return "v" + strconv.Itoa(id)
	}
	return "v?"
}

func (p *printer) value(id int, v *Value) {
	text := fmt.Sprintf("v%d:%s = %s", id, v.Space(), v.Expr(p.ref))
	if v.Note == "" {
		p.printf("%s\n", text)
		return
	}
	p.printf("%-40s ; %s\n", text, v.Note)
}

// Expr returns the right side of the value's line, naming operands by ref.
func (v *Value) Expr(ref func(*Value) string) string {
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
