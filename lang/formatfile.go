package lang

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/efoc/efoc/lang/ast"
)

// String returns the file in canonical form. Parsing the result gives the same file except for positions.
// Comments stay in front of a declaration, above the line of the operand that they precede or belong to, or at
// the end of a line.
func (f *File) String() string {
	w := fileWriter{loose: slices.Clone(f.loose)}
	slices.SortStableFunc(w.loose, func(a, b comment) int { return cmp.Compare(a.decl, b.decl) })
	clause := func(text string) func(bool) []line {
		return func(bool) []line { return []line{{text: text}} }
	}
	if f.Package != "" {
		w.declaration("\n", f.Doc, clause("package "+f.Package))
	}
	if f.Semantics != "" {
		w.declaration("", "", clause("semantics "+f.Semantics))
	}
	if f.Layers != 0 {
		w.declaration("", "", clause(fmt.Sprintf("layers %d", f.Layers)))
	}
	for _, a := range f.Aliases {
		w.declaration("", "", clause("relation "+a.Name+" = "+a.Relation.String()))
	}
	for _, q := range f.Queries {
		w.declaration("\n", q.Doc, q.lines)
	}
	for _, c := range w.loose {
		w.paragraph("\n", c.text)
	}
	return w.String()
}

// fileWriter prints the declarations of a file.
type fileWriter struct {
	strings.Builder
	// loose are the comments not printed yet; decls is the number of declarations printed.
	loose []comment
	decls int
}

// declaration prints gap, then a declaration with its comments. It breaks the lines if that is needed to keep
// comments in position.
func (w *fileWriter) declaration(gap, doc string, layout func(broken bool) []line) {
	var inside []comment
	for ; len(w.loose) > 0 && w.loose[0].decl <= w.decls; w.loose = w.loose[1:] {
		if c := w.loose[0]; c.next > 0 {
			inside = append(inside, c)
		} else {
			w.paragraph(gap, c.text)
		}
	}
	lines := layout(true)
	if !place(lines, inside) {
		lines = layout(false)
		place(lines, inside)
	}
	if doc != "" {
		lines[0].above = []string{doc}
	}
	if w.Len() > 0 {
		w.WriteString(gap)
	}
	w.WriteString(ast.Joined(lines, "\n") + "\n")
	w.decls++
}

// paragraph prints a comment outside declarations.
func (w *fileWriter) paragraph(gap, text string) {
	if w.Len() > 0 {
		w.WriteString(gap)
	}
	w.WriteString(asComment("", text))
}

// line is a printed line of a declaration.
type line struct {
	indent, text string
	// at is the source offset of the line's first token, 0 for the first line of a declaration.
	at int
	// above are the comments above the line; behind is the comment at its end, if any.
	above, behind []string
}

// String prints the line with its comments.
func (l line) String() string {
	var b strings.Builder
	for _, text := range l.above {
		b.WriteString(asComment(l.indent, text))
	}
	b.WriteString(l.indent + l.text)
	for _, text := range l.behind {
		b.WriteString(" " + strings.TrimSuffix(asComment("", text), "\n"))
	}
	return b.String()
}

// asComment prints a comment.
func asComment(indent, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight(indent+"// "+line, " \t\r") + "\n")
	}
	return b.String()
}

// place assigns comments to lines of a declaration. It reports whether a comment belongs between two lines of
// the formula.
func place(lines []line, comments []comment) (between bool) {
	// from returns the index of the line that holds an offset.
	from := func(offset int) int {
		return sort.Search(len(lines), func(i int) bool { return lines[i].at > offset }) - 1
	}
	for _, c := range comments {
		i := from(c.pos.Offset)
		next := max(1, from(c.next))
		if c.next == afterAll {
			// There is no next line: the last comment goes behind the last line.
			next = len(lines)
			between = between || lines[i].behind != nil && i > 1
			lines[i].above = append(lines[i].above, lines[i].behind...)
			lines[i].behind = nil
		}
		if c.trails && i < next && lines[i].behind == nil {
			lines[i].behind = []string{c.text}
			between = between || 0 < i && i < len(lines)-1
		} else {
			lines[next].above = append(lines[next].above, c.text)
			between = between || next > 1
		}
	}
	return between
}
