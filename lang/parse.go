package lang

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// ParseFile parses and checks an .efo file. The name is used in positions
// only. The error is an ErrorList with the mistakes of all queries.
func ParseFile(name string, text []byte) (*File, error) {
	p := newParser(name, string(text))
	tokens, comments := p.scan(MaxFileBytes, "a file")
	if tokens == nil {
		return nil, p.err()
	}
	// A query keyword always starts a query, so each is parsed by itself and
	// a syntax error affects its query only.
	parts := split(tokens)
	file := p.head(parts[0])
	first := make(map[string]Pos)
	for _, part := range parts[1:] {
		q := p.query(part)
		if q == nil {
			continue
		}
		file.Queries = append(file.Queries, q)
		if before, ok := first[q.Name]; ok {
			p.add(q.Pos, "", "query %s is already declared at %s", q.Name, at(before))
		} else {
			first[q.Name] = q.Pos
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	attachComments(file, tokens, comments)
	return file, nil
}

// ParseFormula parses and checks an ad-hoc question: a formula in which one
// variable, the free one, is not quantified. The error is an ErrorList.
func ParseFormula(text string) (*Query, error) {
	p := newParser("", text)
	formula := p.sole()
	if formula == nil {
		return nil, p.err()
	}
	q := &Query{Formula: formula, Pos: formula.Position(), src: p.src}
	if p.adHocFree(q); len(p.errs) == 0 {
		p.check(q)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return q, nil
}

// parser is the state of one parse.
type parser struct {
	reporter
}

// newParser returns a parser of a text.
func newParser(name, text string) *parser {
	return &parser{reporter{src: &source{name: name, text: text}}}
}

// scan returns the tokens and comments of the text; the tokens are nil where
// the text is too long or no text at all.
func (p *parser) scan(limit int, what string) (tokens, comments []lexer.Token) {
	text := p.src.text
	start := Pos{File: p.src.name, Line: 1, Col: 1}
	if len(text) > limit {
		p.add(start, "", "%s of %d bytes is over the limit of %d bytes", what, len(text), limit)
		return nil, nil
	}
	if !utf8.ValidString(text) {
		p.add(p.src.pos(validPrefix(text)), "", "the text is not valid UTF-8")
		return nil, nil
	}
	tokens, comments, err := scan(p.src)
	if err != nil {
		p.add(start, "", "%s", err)
		return nil, nil
	}
	return tokens, comments
}

// validPrefix returns the length of the longest prefix that is valid UTF-8.
func validPrefix(text string) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// split cuts tokens before each query keyword. Each part ends with an
// end-of-text token, which has the value "query" where another part follows.
func split(tokens []lexer.Token) [][]lexer.Token {
	var parts [][]lexer.Token
	start := 0
	for i, t := range tokens {
		if t.Type == keywordToken && t.Value == "query" {
			end := lexer.EOFToken(t.Pos)
			end.Value = t.Value
			parts = append(parts, append(tokens[start:i:i], end))
			start = i
		}
	}
	return append(parts, tokens[start:])
}

// head parses what stands before the first query.
func (p *parser) head(tokens []lexer.Token) *File {
	file := &File{}
	node := run(p, headParser, tokens)
	if node != nil && node.Package != nil {
		file.Package = node.Package.Name.Text
	}
	if node != nil {
		p.choices(file, node)
	}
	return file
}

// Semantics are the names of the semantics that a file can choose.
var Semantics = []string{"nsmp", "fit", "mixed"}

// Hints for the clauses below the package clause.
var (
	semanticsHint = "choose one of " + strings.Join(Semantics, ", ")
	layersHint    = fmt.Sprintf("choose a number from 1 to %d, or leave the clause out for one more than there are variables", MaxLayers)
)

// choices converts the clauses that say how the queries of a file are answered.
func (p *parser) choices(file *File, node *headNode) {
	if s := node.Semantics; s != nil {
		if file.Semantics = s.Name.Text; !slices.Contains(Semantics, file.Semantics) {
			p.add(position(s.Name.Pos), semanticsHint, "unknown semantics %q", clip(file.Semantics, maxClip))
		}
	}
	if l := node.Layers; l != nil {
		n, err := strconv.Atoi(l.Count.Value)
		if file.Layers = n; err != nil || n < 1 || n > MaxLayers {
			p.add(position(l.Count.Pos), layersHint, "the number of layers is %s", clip(l.Count.Value, maxClip))
		}
	}
}

// query parses and checks a template; it returns nil after a syntax error.
func (p *parser) query(tokens []lexer.Token) *Query {
	node := run(p, queryParser, tokens)
	if node == nil {
		return nil
	}
	before := len(p.errs)
	q := &Query{
		Name:    node.Name.Text,
		Params:  p.params(node.Params),
		Free:    node.Free.Text,
		FreePos: position(node.Free.Pos),
		Formula: p.formula(node.Formula),
		Pos:     position(node.Name.Pos),
		src:     p.src,
	}
	if len(p.errs) == before {
		p.check(q)
	} else {
		p.errs = append(p.errs, checkNames(q, true)...)
	}
	return q
}

// sole parses a text that is one formula; it returns nil after a syntax error.
func (p *parser) sole() Formula {
	tokens, _ := p.scan(MaxFormulaBytes, "a formula")
	if tokens == nil {
		return nil
	}
	node := run(p, soleParser, tokens)
	if node == nil {
		return nil
	}
	formula := p.formula(node.Formula)
	if len(p.errs) > 0 {
		return nil
	}
	return formula
}

// check records the mistakes that Normalize finds in a query.
func (p *parser) check(q *Query) {
	_, _, err := Normalize(q)
	var list ErrorList
	if errors.As(err, &list) {
		p.errs = append(p.errs, list...)
	}
}

// run runs one of the grammar's parsers over tokens that end with an
// end-of-text token; it returns nil after a syntax error.
func run[N any](p *parser, parser *participle.Parser[N], tokens []lexer.Token) *N {
	if deep, pos := nesting(tokens); deep > MaxNesting {
		p.add(pos, "", "the formula nests %d deep, over the limit of %d", deep, MaxNesting)
		return nil
	}
	lex, err := lexer.Upgrade(&replay{tokens})
	if err != nil {
		p.add(position(tokens[0].Pos), "", "%s", err)
		return nil
	}
	node, err := parser.ParseFromLexer(lex)
	var syntax *syntaxError
	var other participle.Error
	switch {
	case errors.As(err, &syntax):
		p.add(position(syntax.pos), syntax.hint, "%s", syntax.msg)
	case errors.As(err, &other):
		p.add(position(other.Position()), "", "%s", other.Message())
	case err != nil:
		p.add(position(tokens[0].Pos), "", "%s", err)
	default:
		return node
	}
	return nil
}
