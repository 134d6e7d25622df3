package lang

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// maxExcerpt is the number of characters of a source line that an error shows.
const maxExcerpt = 120

// excerpt returns a source line with a caret under column col, both indented. The caret's line repeats the tabs
// of the source line and has spaces for its other characters, so that the two line up in any terminal. A long
// line is cut to the part around the caret.
func excerpt(line string, col int) string {
	if line == "" || col < 1 {
		return ""
	}
	runes := []rune(line)
	for i, r := range runes {
		if unicode.IsControl(r) && r != '\t' {
			runes[i] = unicode.ReplacementChar
		}
	}
	at := min(col-1, len(runes))
	prefix := ""
	suffix := ""
	if len(runes) > maxExcerpt {
		from := max(0, at-maxExcerpt/2)
		to := min(len(runes), from+maxExcerpt)
		if to < len(runes) {
			suffix = "…"
		}
		if from > 0 {
			prefix = "…"
		}
		runes = runes[from:to]
		at -= from
	}
	return "\t" + prefix + string(runes) + suffix + "\n\t" + blank(prefix+string(runes[:at])) + "^\n"
}

// blank returns white space as wide as text: it keeps tabs and replaces other characters by spaces, two for a
// wide character and none for a combining one.
func blank(text string) string {
	fields := strings.Split(text, "\t")
	for i, f := range fields {
		fields[i] = strings.Repeat(" ", uniseg.StringWidth(f))
	}
	return strings.Join(fields, "\t")
}
