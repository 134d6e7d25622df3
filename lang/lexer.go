package lang

import (
	"io"
	"maps"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"
)

// rules are the tokens. What no other rule takes is Bad, so that the lexer
// never fails and mistakes are reported by the parser, which knows what it
// expected instead.
var rules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "whitespace", Pattern: `[ \t\r\n]+`},
	{Name: "Comment", Pattern: `//[^\n]*`},
	{Name: "String", Pattern: `"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`\n]*`"},
	{Name: "OpenString", Pattern: "[\"'`][^\n]*"},
	{Name: "Param", Pattern: `\$[\p{L}_][\p{L}\p{Nd}_]*`},
	{Name: "Ident", Pattern: `[\p{L}_][\p{L}\p{Nd}_]*`},
	{Name: "Exists", Pattern: `∃`},
	{Name: "Forall", Pattern: `∀`},
	{Name: "And", Pattern: `&&?|∧`},
	{Name: "Or", Pattern: `\|\|?|∨`},
	{Name: "Not", Pattern: `[!¬~]`},
	{Name: "Inverse", Pattern: `\^-1\b`},
	{Name: "Punct", Pattern: `[(),.=]`},
	{Name: "Bad", Pattern: `/[^\s()"'&|,]*|[0-9][\p{L}\p{Nd}_]*|\^[-+0-9]*|.`},
})

// keywords maps each keyword to the name of its token type.
var keywords = map[string]string{
	"package":  "Keyword",
	"query":    "Keyword",
	"entity":   "Keyword",
	"relation": "Keyword",
	"exists":   "Exists",
	"forall":   "Forall",
	"and":      "And",
	"or":       "Or",
	"not":      "Not",
}

// symbols are the token types by name: those of the rules, and Keyword.
var symbols = func() map[string]lexer.TokenType {
	types := maps.Clone(rules.Symbols())
	lowest := lexer.EOF
	for _, t := range types {
		lowest = min(lowest, t)
	}
	types["Keyword"] = lowest - 1
	return types
}()

// The token types that are looked at outside the grammar.
var (
	commentToken    = symbols["Comment"]
	stringToken     = symbols["String"]
	openStringToken = symbols["OpenString"]
	paramToken      = symbols["Param"]
	identToken      = symbols["Ident"]
	keywordToken    = symbols["Keyword"]
	existsToken     = symbols["Exists"]
	forallToken     = symbols["Forall"]
	notToken        = symbols["Not"]
	inverseToken    = symbols["Inverse"]
	punctToken      = symbols["Punct"]
	badToken        = symbols["Bad"]
)

// definition is the lexer of the grammar: rules, with keywords told apart from
// identifiers, which no rule can do.
type definition struct{ symbols map[string]lexer.TokenType }

// Symbols returns the token types by name.
func (d definition) Symbols() map[string]lexer.TokenType { return d.symbols }

// Lex returns a lexer over the text that r holds.
func (definition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	l, err := rules.LexString(name, string(text))
	return keywordLexer{l}, err
}

// keywordLexer gives identifiers that are keywords the keyword's type.
type keywordLexer struct{ lexer.Lexer }

// Next returns the next token.
func (l keywordLexer) Next() (lexer.Token, error) {
	t, err := l.Lexer.Next()
	if t.Type == identToken {
		if name, ok := keywords[t.Value]; ok {
			t.Type = symbols[name]
		}
	}
	return t, err
}

// scan splits a text into tokens, the last of which is the end of the file,
// and comments.
func scan(src *source) (tokens, comments []lexer.Token, err error) {
	l, err := definition{symbols}.Lex(src.name, strings.NewReader(src.text))
	if err != nil {
		return nil, nil, err
	}
	for {
		t, err := l.Next()
		if err != nil {
			return nil, nil, err
		}
		if t.Type == commentToken {
			comments = append(comments, t)
			continue
		}
		tokens = append(tokens, t)
		if t.EOF() {
			return tokens, comments, nil
		}
	}
}

// replay is a lexer over tokens that are already known.
type replay struct{ tokens []lexer.Token }

// Next returns the next token.
func (r *replay) Next() (lexer.Token, error) {
	t := r.tokens[0]
	if !t.EOF() {
		r.tokens = r.tokens[1:]
	}
	return t, nil
}

// isIdent reports whether a name is an identifier and no keyword.
func isIdent(name string) bool {
	if _, ok := keywords[name]; ok || name == "" {
		return false
	}
	for i, r := range name {
		if r == unicode.ReplacementChar || !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return true
}

// position converts a token's position.
func position(p lexer.Position) Pos {
	return Pos{File: p.Filename, Line: p.Line, Col: p.Column, Offset: p.Offset}
}
