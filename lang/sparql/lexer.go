package sparql

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/limits"
)

const (
	// letter is the content of a character class: letters, and the marks that combine with them.
	letter = `\p{L}\p{M}`
	// codePoint is an escaped code point.
	codePoint = `\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}`
	// escaped is an escape in the local part of a prefixed name.
	escaped = `%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]`
)

// rules are the tokens. Text that no other rule matches is Bad, which the grammar never accepts.
var (
	rules                                        *lexer.StatefulDefinition
	wordToken, opToken, iriToken, blankToken     lexer.TokenType
	varToken, numberToken, boundsToken, badToken lexer.TokenType
)

// compileRules compiles the rules on first use: few programs that contain this package parse SPARQL.
var compileRules = sync.OnceFunc(func() {
	rules = lexer.MustSimple([]lexer.SimpleRule{
		{Name: "IRI", Pattern: `<(?:[^<>"{}|^` + "`" + `\\\x00-\x20]|` + codePoint + `)*>`},
		{Name: "whitespace", Pattern: `[ \t\r\n]+`},
		{Name: "comment", Pattern: `#[^\n]*`},
		{Name: "Var", Pattern: `[?$][` + letter + `_0-9][` + letter + `\p{Nd}_]*`},
		{Name: "Blank", Pattern: `_:[` + letter + `_0-9](?:[` + letter + `\p{Nd}_.\-]*[` + letter + `\p{Nd}_\-])?`},
		{Name: "Name", Pattern: `(?:[` + letter + `](?:[` + letter + `\p{Nd}_.\-]*[` + letter + `\p{Nd}_\-])?)?:` +
			`(?:(?:[` + letter + `_:0-9]|` + escaped + `)(?:(?:[` + letter + `\p{Nd}_:.\-]|` + escaped + `)*(?:[` + letter + `\p{Nd}_:\-]|` + escaped + `))?)?`},
		{Name: "Word", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
		{Name: "Number", Pattern: `[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`},
		{Name: "String", Pattern: `"""(?:"{0,2}(?:[^"\\]|\\.))*"""|'''(?:'{0,2}(?:[^'\\]|\\.))*'''|` +
			`"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'`},
		{Name: "Lang", Pattern: `@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*`},
		{Name: "Bounds", Pattern: `\{[ \t]*[0-9]+[ \t]*(?:,[ \t]*[0-9]+[ \t]*)?\}`},
		{Name: "Op", Pattern: `&&|\|\||!=|<=|>=|\^\^|[{}()\[\].,;=<>!^/|*+?\-]`},
		{Name: "Bad", Pattern: `.`},
	})
	symbols := rules.Symbols()
	wordToken = symbols["Word"]
	opToken = symbols["Op"]
	iriToken = symbols["IRI"]
	blankToken = symbols["Blank"]
	varToken = symbols["Var"]
	numberToken = symbols["Number"]
	boundsToken = symbols["Bounds"]
	badToken = symbols["Bad"]
})

// unsupported maps SPARQL keywords outside the supported subset, in upper case, to advice on what to write
// instead.
var unsupported = map[string]string{
	"OPTIONAL": "an optional part changes no answer: leave it out", "GRAPH": "there is one graph: leave GRAPH out",
	"SERVICE": "ask this store only for its part, by SERVICE from the other one", "BIND": "", "VALUES": "name alternatives with UNION or FILTER(?x IN (…))",
	"FROM": "there is one graph: leave FROM out", "GROUP": elsewhere, "HAVING": elsewhere,
	"CONSTRUCT": "ask with SELECT", "INSERT": "a question changes nothing", "DELETE": "a question changes nothing",
	"LOAD": "a question changes nothing", "CLEAR": "a question changes nothing", "DROP": "a question changes nothing", "CREATE": "a question changes nothing",
	"SUM": elsewhere, "MIN": elsewhere, "MAX": elsewhere, "AVG": elsewhere, "SAMPLE": elsewhere, "GROUP_CONCAT": elsewhere,
}

// keywords are the keywords of the grammar.
var keywords = map[string]bool{
	"PREFIX": true, "BASE": true, "SELECT": true, "ASK": true, "DISTINCT": true, "REDUCED": true, "WHERE": true, "FILTER": true, "NOT": true, "EXISTS": true,
	"IN": true, "MINUS": true, "UNION": true, "ORDER": true, "BY": true, "ASC": true, "DESC": true, "LIMIT": true, "OFFSET": true, "A": true,
	"COUNT": true, "AS": true, "DESCRIBE": true,
}

// scan checks the text and returns its tokens; the last token is the end.
func (p *parser) scan() []lexer.Token {
	text := p.text
	if len(text) > limits.FormulaBytes {
		p.add(ast.Pos{Line: 1, Col: 1}, "", "a query of %d bytes is over the limit of %d bytes", len(text), limits.FormulaBytes)
		return nil
	}
	if !utf8.ValidString(text) {
		p.add(ast.Pos{Line: 1, Col: 1}, "", "the text is not valid UTF-8")
		return nil
	}
	compileRules()
	l, err := rules.LexString("", text)
	var tokens []lexer.Token
	depth := 0
	negations := 0
	for err == nil {
		var t lexer.Token
		t, err = l.Next()
		if err != nil {
			break
		}
		if mistake, hint := slip(tokens, t); mistake != "" {
			p.add(position(t.Pos), hint, "%s", mistake)
			return nil
		}
		if t.Type == wordToken {
			if hint, refused := unsupported[strings.ToUpper(t.Value)]; refused {
				p.add(position(t.Pos), hint, "%s is outside the part of SPARQL that is answered here", strings.ToUpper(t.Value))
				return nil
			}
		}
		if last := len(tokens) - 1; t.Value == "(" && last >= 0 && tokens[last].Type == wordToken && !keywords[strings.ToUpper(tokens[last].Value)] {
			p.add(position(tokens[last].Pos), "compare variables with = and !=", "the function %s is outside the part of SPARQL that is answered here", tokens[last].Value)
			return nil
		}
		if t.Type == opToken {
			switch {
			case t.Value == "!":
				negations++
			case strings.Contains("{([", t.Value):
				depth++
			case strings.Contains("})]", t.Value):
				depth--
			}
			if depth+negations > maxDepth {
				p.add(position(t.Pos), "", "the query nests more than %d deep, which is the limit", maxDepth)
				return nil
			}
		}
		tokens = append(tokens, t)
		if t.EOF() {
			return tokens
		}
	}
	p.add(ast.Pos{Line: 1, Col: 1}, "", "%s", err)
	return nil
}

// maxDepth bounds the number of open brackets and negation signs together.
const maxDepth = limits.Nesting

// position converts a token's position.
func position(p lexer.Position) ast.Pos {
	return ast.Pos{Line: p.Line, Col: p.Column, Offset: p.Offset}
}
