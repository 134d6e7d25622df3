package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// attachComments gives each comment to the package clause or query that it
// stands right above, or else to the loose comments.
func attachComments(file *File, tokens, comments []lexer.Token) {
	// Find the declarations by line.
	docs := make(map[int]*string)
	n := 0
	for _, t := range tokens {
		if t.Type != keywordToken {
			continue
		}
		switch t.Value {
		case "package":
			docs[t.Pos.Line] = &file.Doc
		case "query":
			docs[t.Pos.Line] = &file.Queries[n].Doc
			n++
		}
	}
	// A comment above a declaration must have its line to itself.
	code := make(map[int]bool)
	for _, t := range tokens {
		code[t.Pos.Line] = true
	}
	for len(comments) > 0 {
		// Take the comments of consecutive lines.
		group := 1
		for group < len(comments) && !code[comments[0].Pos.Line] &&
			comments[group].Pos.Line == comments[group-1].Pos.Line+1 && !code[comments[group].Pos.Line] {
			group++
		}
		lines := make([]string, group)
		for i, c := range comments[:group] {
			lines[i] = commentText(c.Value)
		}
		text := strings.Join(lines, "\n")
		doc := docs[comments[group-1].Pos.Line+1]
		if doc != nil && !code[comments[0].Pos.Line] {
			*doc = text
		} else {
			file.Loose = append(file.Loose, Comment{Text: text, Pos: position(comments[0].Pos)})
		}
		comments = comments[group:]
	}
}

// commentText returns a comment without its mark, one space after it and
// white space at its end.
func commentText(c string) string {
	return strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(c, "//"), " "), " \t\r")
}
