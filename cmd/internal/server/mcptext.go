package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// lines is text for an assistant, cut at a line before it gets too long for its context.
type lines struct {
	text strings.Builder
	left int // bytes
	cut  int // lines
}

// add adds a line, if there is room for it.
func (l *lines) add(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if l.cut > 0 || len(line)+1 > l.left {
		l.cut++
		return
	}
	l.left -= len(line) + 1
	l.text.WriteString(strings.TrimSuffix(line, "\n"))
	l.text.WriteByte('\n')
}

// shorten cuts a text to most bytes: an error quotes the assistant's text.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// String returns the text, and says what was cut.
func (l *lines) String() string {
	if l.cut > 0 {
		return fmt.Sprintf("%s[%d more lines left out: ask for less, or use offset]\n", l.text.String(), l.cut)
	}
	return l.text.String()
}

// rows adds a line for each row, and notes about all of them.
func (l *lines) rows(r *Response, offset int, show []string) {
	if len(r.Rows) == 0 {
		l.add("no answers")
	} else {
		l.add("%s", strings.Join(slices.Concat([]string{"rank"}, r.Variables, []string{"confidence", "status"}, show), "\t"))
	}
	for i, x := range r.Rows {
		row := []string{fmt.Sprint(offset + i + 1)}
		for _, v := range x.Values {
			row = append(row, both(v.Name, v.Label))
		}
		confidence := "unknown"
		status := x.Status.String()
		if r.Uncalibrated == "" {
			confidence = fmt.Sprintf("%.2f", x.Confidence)
		}
		if x.OutOfRange {
			status += ", out of range"
		}
		row = append(row, confidence, status)
		for _, variable := range show {
			v := x.Value(variable)
			row = append(row, both(v.Name, v.Label))
		}
		l.add("%s", strings.Join(row, "\t"))
	}
	if slices.ContainsFunc(r.Rows, func(x runtime.Row) bool { return x.Status == runtime.Known && x.Confidence > 0 && x.Confidence < 1 }) {
		l.add("confidence of a known answer: the chance that no missing fact refutes it, as the query negates an atom")
	}
	for _, w := range r.envelope.Warnings {
		l.add("%s", w)
	}
	if r.Uncalibrated != "" {
		l.add("no confidence: %s", r.Uncalibrated)
	}
	if r.Next > 0 {
		l.add("more with offset %d", r.Next)
	}
	several := r.Kind == plan.Rows
	if several && !r.Proved {
		l.add("the search was bounded: others may be better")
	}
	if r.Incomplete {
		l.add("the search for further %s was given up", map[bool]string{false: "answers", true: "rows"}[several])
	}
}

// verdict adds whether a sentence holds, and its best witness.
func (l *lines) verdict(v *runtime.Verdict) {
	switch {
	case v.Status == runtime.Known:
		l.add("yes: it is known")
	case v.Uncalibrated != "":
		l.add("not known; no confidence: %s", v.Uncalibrated)
	case v.Holds:
		l.add("probably: %s with confidence %.2f", v.Status, v.Confidence)
	case v.Confidence >= Possible:
		l.add("possible: %s with confidence %.2f", v.Status, v.Confidence)
	default:
		l.add("neither known nor likely: %s with confidence %.2f", v.Status, v.Confidence)
	}
	for i := range v.Witnesses {
		for _, x := range v.Witnesses[i].Values {
			l.add("%s = %s", x.Variable, both(x.Name, x.Label))
		}
		l.atoms(&v.Witnesses[i])
	}
}

// number adds how many answers there are.
func (l *lines) number(n *runtime.Count) {
	l.add("%s known", count(n.Known, "answer"))
	if n.Uncalibrated != "" {
		l.add("no estimate of others: %s", n.Uncalibrated)
		return
	}
	l.add("%.1f others expected; %.1f in all, from %.1f to %.1f in nine of ten cases", n.Missing, n.Total(), n.Low, n.High)
}

// witness adds why one entity is an answer.
func (l *lines) witness(w *runtime.Witness) {
	answer := both(w.Answer.Name, w.Answer.Label)
	if w.Degree == 0 {
		l.add("%s: no witness", answer)
		return
	}
	l.add("%s, degree %.3g", answer, w.Degree)
	l.atoms(w)
}

// atoms adds a line for each atom of a witness.
func (l *lines) atoms(w *runtime.Witness) {
	for _, a := range w.Atoms {
		not := ""
		how := "predicted"
		if a.Negated {
			not = "!"
		}
		if a.Observed {
			how = "stored fact"
		}
		name, inverse := strings.CutSuffix(a.Relation, "^-1")
		more := ""
		if a.Confidence > 0 {
			more = fmt.Sprintf(", confidence %.2f", a.Confidence)
		}
		if a.Added != nil {
			more = ", added " + a.Added.String()
		}
		l.add("\t%s%s(%s, %s)\t%s, degree %.3g%s", not, ast.Relation{Name: name, Inverse: inverse}.String(), quoted(a.Head), quoted(a.Tail), how, a.Degree, more)
	}
}

// entity adds an entity's facts.
func (l *lines) entity(info *entityInfo) {
	l.add("entity %s, %s", info.both(), count(info.Facts, "fact"))
	for _, v := range info.Values {
		l.add("\t%s\t%s", v.Attribute, v.Value)
	}
	for _, k := range info.Links {
		var names []string
		for _, e := range k.Entities {
			names = append(names, both(e.Name, e.Label))
		}
		more := ""
		if k.Count > len(names) {
			more = fmt.Sprintf("; %d more", k.Count-len(names))
		}
		l.add("\t%s\t%s%s", k.Relation, strings.Join(names, ", "), more)
	}
}

// relation adds a relation's examples.
func (l *lines) relation(info *relationInfo) {
	l.add("relation %s, %s, %s, %s; for example", info.both(), count(info.Facts, "fact"), count(info.Heads, "head"), count(info.Tails, "tail"))
	for _, f := range info.Examples {
		l.add("\t%s(%s, %s)", ast.Relation{Name: info.Name}.String(), quoted(f.Head), quoted(f.Tail))
	}
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// both returns a name as a formula has it, with the label if that differs.
func (f *Found) both() string { return both(f.Name, f.Label) }

func both(name, label string) string {
	if label == name || label == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, label)
}

// quoted writes an entity as a formula does.
func quoted(e runtime.Value) string {
	return ast.Term{Kind: ast.Constant, Name: e.Name}.String()
}
