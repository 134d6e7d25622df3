// Package token splits texts of the query language into tokens.
package token

import "github.com/alecthomas/participle/v2/lexer"

// Rules are the tokens. Text that no other rule matches is Bad, so the lexer never fails; the parser, which
// knows what it expected, reports the mistake.
var Rules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "whitespace", Pattern: `[ \t\r\n]+`},
	{Name: "Comment", Pattern: `//[^\n]*`},
	{Name: "String", Pattern: `"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`\n]*`"},
	{Name: "OpenString", Pattern: "[\"'`][^\n]*"},
	{Name: "Keyword", Pattern: `[^\x00-\x{10FFFF}]`}, // matches nothing: scan converts identifiers to keywords
	{Name: "Choice", Pattern: `[^\x00-\x{10FFFF}]`},  // likewise: scan marks parentheses with it
	{Name: "ChoiceEnd", Pattern: `[^\x00-\x{10FFFF}]`},
	{Name: "Compare", Pattern: `[^\x00-\x{10FFFF}]`}, // likewise: Scan joins tokens into it
	{Name: "Number", Pattern: `[^\x00-\x{10FFFF}]`},
	{Name: "In", Pattern: `[^\x00-\x{10FFFF}]`},
	{Name: "Range", Pattern: `[^\x00-\x{10FFFF}]`},
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

// Keywords maps each keyword to the name of its token type.
var Keywords = map[string]string{
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

// symbols maps names to token types.
var symbols = Rules.Symbols()

// The token types that code outside the grammar uses.
var (
	Comment    = symbols["Comment"]
	String     = symbols["String"]
	OpenString = symbols["OpenString"]
	Param      = symbols["Param"]
	Ident      = symbols["Ident"]
	Keyword    = symbols["Keyword"]
	Exists     = symbols["Exists"]
	Forall     = symbols["Forall"]
	And        = symbols["And"]
	Or         = symbols["Or"]
	Not        = symbols["Not"]
	Unequal    = symbols["Unequal"]
	Implies    = symbols["Implies"]
	Inverse    = symbols["Inverse"]
	Bounds     = symbols["Bounds"]
	Choice     = symbols["Choice"]
	ChoiceEnd  = symbols["ChoiceEnd"]
	Compare    = symbols["Compare"]
	Number     = symbols["Number"]
	In         = symbols["In"]
	Range      = symbols["Range"]
	Punct      = symbols["Punct"]
	Bad        = symbols["Bad"]
)

// Scan splits a text into comments and tokens; the last token is the end of the text.
func Scan(name, text string) (tokens, comments []lexer.Token, err error) {
	l, err := Rules.LexString(name, text)
	joined := 0 // end of the last joined token
	for err == nil {
		var t lexer.Token
		t, err = l.Next()
		if err != nil {
			break
		}
		if t.Pos.Offset < joined && !t.EOF() {
			continue
		}
		joined = join(&t, tokens, text)
		if keyword, ok := Keywords[t.Value]; ok && t.Type == Ident {
			t.Type = symbols[keyword]
		}
		if t.Type == Comment {
			comments = append(comments, t)
			continue
		}
		tokens = append(tokens, t)
		if t.EOF() {
			mark(tokens)
			return tokens, comments, nil
		}
	}
	return nil, nil, err
}

// mark sets token types that depend on the context: of the parentheses around a choice of relations, (r|s^-1),
// and of the word all where it is a quantifier, before a variable.
func mark(tokens []lexer.Token) {
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.Value == "(" && t.Type == Punct:
			if end := choiceEnd(tokens, i); end > 0 {
				t.Type = Choice
				tokens[end].Type = ChoiceEnd
			}
		case t.Value == "all" && t.Type == Ident && tokens[i+1].Type == Ident && (i == 0 || WantsOperand(tokens[i-1])):
			t.Type = Forall
		}
	}
}

// choiceEnd returns the index of the parenthesis that closes the choice of relations starting at open; 0 if
// there is none.
func choiceEnd(tokens []lexer.Token, open int) int {
	for i, several := open+1, false; ; several = true {
		switch tokens[i].Type {
		case Ident, String, Param:
			i++
		default:
			return 0
		}
		if tokens[i].Type == Inverse {
			i++
		}
		switch {
		case tokens[i].Type == Or:
			i++
		case several && tokens[i].Type == Punct && tokens[i].Value == ")":
			return i
		default:
			return 0
		}
	}
}

// Replay is a lexer over known tokens; the last token is the end.
type Replay struct{ Tokens []lexer.Token }

// Next returns the next token.
func (r *Replay) Next() (lexer.Token, error) {
	t := r.Tokens[0]
	r.Tokens = r.Tokens[1:]
	return t, nil
}
