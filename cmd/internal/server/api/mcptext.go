package api

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
)

// lines is text for an assistant, truncated at a line before it gets too long for the context.
type lines struct {
	text strings.Builder
	left int // bytes
	cut  int // lines
}

// add adds a line if it fits.
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

// shorten truncates a text to most bytes: an error quotes the assistant's text.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// String returns the text, with a note on truncation.
func (l *lines) String() string {
	text := l.text.String()
	if l.cut > 0 {
		text += fmt.Sprintf("[%d more lines left out: ask for less, or use offset]\n", l.cut)
	}
	return text
}

// addAll adds lines.
func (l *lines) addAll(list []string) {
	for _, line := range list {
		l.add("%s", line)
	}
}

// entity adds an entity's facts.
func (l *lines) entity(info *EntityInfo) {
	l.add("entity %s, %s", print.Both(info.Name, info.Label), tables.Number(info.Facts, "fact"))
	for _, v := range info.Values {
		l.add("\t%s\t%s", v.Attribute, v.Value)
	}
	for _, k := range info.Links {
		var names []string
		for _, e := range k.Entities {
			names = append(names, print.Both(e.Name, e.Label))
		}
		more := ""
		if k.Count > len(names) {
			more = fmt.Sprintf("; %d more", k.Count-len(names))
		}
		l.add("\t%s\t%s%s", k.Relation, strings.Join(names, ", "), more)
	}
}

// missing adds the facts that the graph most likely lacks.
func (l *lines) missing(found *missing.Result) {
	if len(found.Facts) == 0 {
		return
	}
	l.add("predicted, not stored:")
	for _, f := range found.Facts {
		atom := runtime.WitnessAtom{Relation: f.Relation, Head: f.Head, Tail: f.Tail}
		l.add("\t%s\tconfidence %.2f, %s", print.Atom(&atom), f.Confidence, f.Status)
	}
}

// relation adds a relation's examples.
func (l *lines) relation(info *RelationInfo) {
	l.add("relation %s, %s, %s, %s; for example", print.Both(info.Name, info.Label), tables.Number(info.Facts, "fact"), tables.Number(info.Heads, "head"), tables.Number(info.Tails, "tail"))
	for _, f := range info.Examples {
		l.add("\t%s(%s, %s)", ast.Relation{Name: info.Name}.String(), print.Quoted(f.Head), print.Quoted(f.Tail))
	}
}
