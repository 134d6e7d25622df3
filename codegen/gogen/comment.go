package gogen

import (
	"go/build/constraint"
	"strings"
	"unicode/utf8"

	"github.com/efoc/efoc/codegen/internal/codegen"
)

// comment prints a comment, line by line.
func (g *generator) comment(text string) {
	for _, line := range commentLines(text) {
		g.out.Comment(line)
	}
}

// maxWidth is the maximum line length, as far as names in queries allow.
const maxWidth = 120

// prose prints the generator's own text as a wrapped comment.
func (g *generator) prose(text string) {
	for _, line := range wrapped(text) {
		g.comment(line)
	}
}

// wrapped breaks text into lines.
func wrapped(text string) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line+word) > maxWidth-20 {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// commentLines splits text into lines that are safe as comments. It drops control characters, and adds the
// comment mark to each line itself, so that no printer chooses another kind of comment.
func commentLines(text string) []string {
	if text == "" {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		line = strings.TrimRight("// "+strings.Map(codegen.Printable, line), " ")
		if constraint.IsPlusBuild(line) {
			// gofmt would turn it into a build constraint.
			line = "// \"" + strings.TrimPrefix(line, "// ") + "\""
		}
		lines = append(lines, line)
	}
	return lines
}
