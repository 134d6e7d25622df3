package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
	{Name: "Keyword", Pattern: `[^\x00-\x{10FFFF}]`}, // matches nothing: scan makes keywords of identifiers
	{Name: "Choice", Pattern: `[^\x00-\x{10FFFF}]`},  // nor do these: scan marks parentheses by them
	{Name: "ChoiceEnd", Pattern: `[^\x00-\x{10FFFF}]`},
	{Name: "Param", Pattern: `\$[\p{L}_][\p{L}\p{Nd}_]*`},
	{Name: "Ident", Pattern: `[\p{L}_][\p{L}\p{Nd}_]*`},
	{Name: "Exists", Pattern: `∃`},
	{Name: "Forall", Pattern: `∀`},
	{Name: "And", Pattern: `&&?|∧`},
	{Name: "Or", Pattern: `\|\|?|∨`},
	{Name: "Unequal", Pattern: `!=|≠`},
	{Name: "Not", Pattern: `[!¬~]`},
	{Name: "Implies", Pattern: `->|→`},
	{Name: "Inverse", Pattern: `\^-1\b`},
	{Name: "Bounds", Pattern: `\{[ \t]*[0-9]+[ \t]*(?:,[ \t]*[0-9]+[ \t]*)?\}`},
	{Name: "Punct", Pattern: `[(),.:=]`},
	{Name: "Bad", Pattern: `\?[\p{L}_][\p{L}\p{Nd}_]*|/[^\s()"'&|,]*|[0-9][\p{L}\p{Nd}_]*|\^[-+0-9]*|.`},
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

// symbols are the token types by name.
var symbols = rules.Symbols()

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
	andToken        = symbols["And"]
	orToken         = symbols["Or"]
	notToken        = symbols["Not"]
	unequalToken    = symbols["Unequal"]
	impliesToken    = symbols["Implies"]
	inverseToken    = symbols["Inverse"]
	boundsToken     = symbols["Bounds"]
	choiceToken     = symbols["Choice"]
	choiceEndToken  = symbols["ChoiceEnd"]
	punctToken      = symbols["Punct"]
	badToken        = symbols["Bad"]
)

// scan splits the text into comments and tokens, which end with one for the end of the text. It
// returns no tokens if the text is too long or not valid text.
func (p *parser) scan(limit int, what string) (tokens, comments []lexer.Token) {
	text := p.src.text
	if len(text) > limit {
		p.add(p.src.pos(0), "", "%s of %d bytes is over the limit of %d bytes", what, len(text), limit)
		return nil, nil
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)) {
			p.add(p.src.pos(i), "", "the text is not valid UTF-8")
			return nil, nil
		}
	}
	l, err := rules.LexString(p.src.name, text)
	for err == nil {
		var t lexer.Token
		t, err = l.Next()
		if err != nil {
			break
		}
		if name, ok := keywords[t.Value]; ok && t.Type == identToken {
			t.Type = symbols[name]
		}
		if t.Type == commentToken {
			comments = append(comments, t)
		} else {
			tokens = append(tokens, t)
			if t.EOF() {
				mark(tokens)
				return tokens, comments
			}
		}
	}
	p.add(p.src.pos(0), "", "%s", err)
	return nil, nil
}

// mark gives tokens the types that those around them decide: to the parentheses of a choice
// of relations, (r|s^-1), and to the word all where it is a quantifier, before a variable.
func mark(tokens []lexer.Token) {
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.Value == "(" && t.Type == punctToken:
			if end := choiceEnd(tokens, i); end > 0 {
				t.Type = choiceToken
				tokens[end].Type = choiceEndToken
			}
		case t.Value == "all" && t.Type == identToken && tokens[i+1].Type == identToken && (i == 0 || wantsOperand(tokens[i-1])):
			t.Type = forallToken
		}
	}
}

// choiceEnd returns the index of the parenthesis that closes the choice of relations from
// open on, 0 if there is none.
func choiceEnd(tokens []lexer.Token, open int) int {
	for i, several := open+1, false; ; several = true {
		switch tokens[i].Type {
		case identToken, stringToken, paramToken:
			i++
		default:
			return 0
		}
		if tokens[i].Type == inverseToken {
			i++
		}
		switch {
		case tokens[i].Type == orToken:
			i++
		case several && tokens[i].Type == punctToken && tokens[i].Value == ")":
			return i
		default:
			return 0
		}
	}
}

// replay is a lexer over known tokens; the last token is the end.
type replay struct{ tokens []lexer.Token }

// Next returns the next token.
func (r *replay) Next() (lexer.Token, error) {
	t := r.tokens[0]
	r.tokens = r.tokens[1:]
	return t, nil
}

// IsIdent reports whether a name is an identifier and no keyword.
func IsIdent(name string) bool {
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
