package lang

import (
	"math"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
)

// afterAll is the position of a comment behind the last token of its declaration.
const afterAll = math.MaxInt

// comment is a comment of a file, without its comment mark.
type comment struct {
	text string
	pos  ast.Pos

	// trails says that the comment follows code on its line.
	trails bool
	// decl is the index of the declaration, a clause or a query, that contains the comment or, if next is 0,
	// follows it.
	decl int
	// next is the offset of the next token in the declaration, skipping tokens that join or open operands; afterAll
	// if there is none.
	next int
}

// attachComments attaches each comment to the package clause or query directly below it, and adds the others to
// the loose comments. queryAt maps start offsets to queries.
func attachComments(file *File, queryAt map[int]*Query, tokens, comments []lexer.Token) {
	// starts are the indices of the tokens that start a declaration, and of the end.
	var starts []int
	clause := 0                   // where the next clause before the first query starts
	docs := make(map[int]*string) // by the line of the declaration, which must start it
	code := make(map[int]bool)    // the lines with code
	clauses := 0
	queries := 0
	for i, t := range tokens {
		q := queryAt[t.Pos.Offset]
		query := q != nil && !t.EOF()
		if query || t.EOF() || queries == 0 && i == clause {
			starts = append(starts, i)
		}
		switch {
		case query:
			queries++
			if !code[t.Pos.Line] {
				docs[t.Pos.Line] = &q.Doc
			}
		case queries == 0 && i == clause && !t.EOF():
			clauses++
			if t.Value == "package" {
				docs[t.Pos.Line] = &file.Doc
			}
			clause += clauseLength(tokens[i:])
		}
		code[t.Pos.Line] = code[t.Pos.Line] || !t.EOF()
	}
	for len(comments) > 0 {
		c, group := firstComment(comments, code)
		first := comments[0].Pos
		doc := docs[comments[group-1].Pos.Line+1]
		comments = comments[group:]
		if doc != nil && !c.trails && c.text != "" {
			*doc = c.text
			continue
		}
		next := sort.Search(len(tokens)-1, func(i int) bool { return tokens[i].Pos.Offset > first.Offset })
		c.decl = sort.SearchInts(starts, next+1) - 1
		switch {
		case next == starts[c.decl] && c.trails:
			c.decl--
			c.next = afterAll
		case next == starts[c.decl]:
		case c.decl < clauses:
			c.decl++ // a clause is one line
		default:
			end := starts[c.decl+1]
			for next < end && between(tokens[next], c.trails) {
				next++
			}
			c.next = tokens[next].Pos.Offset
			if next == end {
				c.next = afterAll
			}
		}
		file.loose = append(file.loose, c)
	}
}

// firstComment joins the leading comments on consecutive lines without code, and returns the result and their
// number.
func firstComment(comments []lexer.Token, code map[int]bool) (c comment, group int) {
	first := comments[0].Pos
	group = 1
	for group < len(comments) && !code[first.Line] &&
		comments[group].Pos.Line == comments[group-1].Pos.Line+1 && !code[comments[group].Pos.Line] {
		group++
	}
	lines := make([]string, group)
	for i, c := range comments[:group] {
		lines[i] = commentText(c.Value)
	}
	return comment{text: strings.Join(lines, "\n"), pos: position(first), trails: code[first.Line]}, group
}

// clauseLength returns the number of tokens of the first clause.
func clauseLength(tokens []lexer.Token) int {
	switch {
	case tokens[0].Value != "relation":
		return 2
	case tokens[4].Type == token.Inverse:
		return 5
	}
	return 4
}

// between reports whether a token joins or opens operands or, for a trailing comment, closes one.
func between(t lexer.Token, trails bool) bool {
	return t.Type == token.And || t.Type == token.Or || t.Type == token.Implies ||
		t.Type == token.Punct && (t.Value == "(" || t.Value == ")" && trails)
}

// commentText returns a comment without its mark, the space after it and trailing white space.
func commentText(c string) string {
	return strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(c, "//"), " "), " \t\r")
}
