package lang

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// The error productions. Each stands in grammar.go where a part is missing,
// takes no token and reports what was expected there and what was found.

// syntaxError is a syntax error; participle passes it on as it is.
type syntaxError struct {
	pos       lexer.Position
	msg, hint string
}

// Error returns the message.
func (e *syntaxError) Error() string { return e.msg }

// Message returns the message.
func (e *syntaxError) Message() string { return e.msg }

// Position returns the place of the error.
func (e *syntaxError) Position() lexer.Position { return e.pos }

// expected reports that the next token is not what is expected. A token that
// fits nowhere is explained instead. The hint may be empty.
func expected(lex *lexer.PeekingLexer, what, hint string) error {
	t := lex.Peek()
	if msg, better := misfit(t); msg != "" {
		return &syntaxError{t.Pos, msg, better}
	}
	return &syntaxError{t.Pos, fmt.Sprintf("expected %s, found %s", what, found(t)), hint}
}

// found names a token in an error message.
func found(t *lexer.Token) string {
	switch {
	case t.EOF() && t.Value == "":
		return "the end of the text"
	case t.EOF():
		return "the next " + t.Value
	case t.Type == stringToken:
		return clip(t.Value, maxClip)
	case t.Type == keywordToken, keywords[t.Value] != "":
		return "the keyword " + t.Value
	}
	return fmt.Sprintf("%q", clip(t.Value, maxClip))
}

// maxClip is how many characters of a token a message quotes.
const maxClip = 60

// clip cuts a text to at most n characters.
func clip(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// misfit explains a token that fits nowhere in the language, with a hint; the
// message is empty for all other tokens.
func misfit(t *lexer.Token) (msg, hint string) {
	text := clip(t.Value, maxClip)
	switch {
	case t.Type == openStringToken:
		return fmt.Sprintf("the quoted name is not closed: %s is missing at the end", t.Value[:1]),
			"a quoted name ends on the line that it starts on"
	case t.Type == forallToken:
		return "universal quantifiers are not part of EFO1", universalHint
	case t.Type != badToken:
		return "", ""
	case t.Value == "$":
		return "a $ must be followed by the name of a parameter", ""
	case t.Value[0] == '^':
		return fmt.Sprintf("%s is not a power of a relation", text), "the inverse of r is r^-1"
	case t.Value[0] == '/':
		return fmt.Sprintf("%s must be quoted", text), fmt.Sprintf("write %q", text)
	case '0' <= t.Value[0] && t.Value[0] <= '9':
		return fmt.Sprintf("%s must be quoted, since it starts with a digit", text), fmt.Sprintf("write %q", text)
	case t.Value == "\ufeff":
		return "the text holds a byte order mark", "save it as UTF-8 without byte order mark"
	}
	return fmt.Sprintf("unexpected character %q", t.Value), "names with other characters than letters, digits and _ must be quoted"
}

// universalHint says what to do instead of a universal quantifier.
const universalHint = "negate atoms instead: exists x. … & !r(x, y); or answer the positive query and subtract its answers"

// previous returns the token before the next one, the zero token at the start.
func previous(lex *lexer.PeekingLexer) lexer.Token {
	if n := lex.RawCursor(); n > 0 {
		return lex.Range(n-1, n)[0]
	}
	return lexer.Token{}
}

// opening returns the place of the innermost parenthesis that is still open.
func opening(lex *lexer.PeekingLexer) Pos {
	tokens := lex.Range(0, lex.RawCursor())
	depth := 0
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].Type != punctToken {
			continue
		}
		switch tokens[i].Value {
		case ")":
			depth++
		case "(":
			if depth == 0 {
				return position(tokens[i].Pos)
			}
			depth--
		}
	}
	return Pos{}
}

// at formats the place of an opening parenthesis in a message about a token,
// with the file left out.
func at(p Pos) string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

type wantQuery struct{}

// Parse accepts the end of the text before the first query.
func (*wantQuery) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	switch {
	case t.EOF():
		return nil
	case lex.Cursor() > 0 && t.Type == badToken:
		return &syntaxError{t.Pos, fmt.Sprintf("%q cannot be part of a package's name", clip(t.Value, maxClip)), packageHint}
	case lex.Cursor() > 0:
		return expected(lex, "a query after the package clause", "a query starts with: query Name y =")
	}
	return expected(lex, "a package clause or a query", "a query starts with: query Name y =")
}

type wantSemantics struct{}

// Parse reports the missing name of a semantics.
func (*wantSemantics) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, "the name of a semantics", semanticsHint)
}

type wantLayers struct{}

// Parse reports the missing number of layers.
func (*wantLayers) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, "the number of layers", layersHint)
}

// packageHint says what a package may be called.
const packageHint = "a package's name is an identifier, not quoted"

type wantPackageName struct{}

// Parse reports the missing name of a package.
func (*wantPackageName) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, "the package's name", packageHint)
}

type wantQueryName struct{}

// Parse reports the missing name of a query.
func (*wantQueryName) Parse(lex *lexer.PeekingLexer) error {
	const hint = "a query's name is an identifier: letters, digits and _, with no digit first"
	if t := lex.Peek(); t.Type == badToken {
		return &syntaxError{t.Pos, fmt.Sprintf("%s cannot name a query", t.Value), hint}
	}
	return expected(lex, "the query's name", hint)
}

type wantParam struct{}

// Parse reports a missing parameter.
func (*wantParam) Parse(lex *lexer.PeekingLexer) error {
	hint := "parameters are declared as in: (genre, prequel entity, r relation)"
	if t := lex.Peek(); t.Type == paramToken {
		hint = fmt.Sprintf("write %s: the dollar sign marks a parameter in the formula only", t.Value[1:])
	}
	return expected(lex, "a parameter's name", hint)
}

type wantParamsEnd struct{}

// Parse reports a parameter list that goes on with something else.
func (*wantParamsEnd) Parse(lex *lexer.PeekingLexer) error {
	switch p := previous(lex); {
	case p.Type == punctToken:
		t := lex.Peek()
		if t.Type == paramToken {
			return (*wantParam)(nil).Parse(lex)
		}
		return expected(lex, `a parameter's name or ")"`, "parameters are declared as in: (genre, prequel entity, r relation)")
	case p.Type == identToken:
		return expected(lex, fmt.Sprintf("the kind of parameter %s", p.Value), "a parameter is declared as: name entity, or: name relation")
	}
	return expected(lex, `"," or ")"`, "")
}

type wantFree struct{}

// Parse reports the missing free variable of a template.
func (*wantFree) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, "the free variable", "name it before the =, as in: query Name(p entity) y =")
}

type wantEquals struct{}

// Parse reports a missing equals sign.
func (*wantEquals) Parse(lex *lexer.PeekingLexer) error {
	if p := previous(lex); p.Type == identToken {
		return expected(lex, fmt.Sprintf(`"=" after the free variable %s`, p.Value), "")
	}
	return expected(lex, `"="`, "")
}

type wantFormula struct{}

// Parse reports a missing formula.
func (*wantFormula) Parse(lex *lexer.PeekingLexer) error {
	hint := ""
	if t := lex.Peek(); t.Type == keywordToken && t.Value == "query" {
		hint = "this text is one formula; templates stand in files"
	}
	switch p := previous(lex); {
	case p.Pos.Line == 0 || p.Value == "=" || p.Value == "(" || p.Value == ".":
		return expected(lex, "a formula", hint)
	default:
		return expected(lex, "a formula after "+p.Value, hint)
	}
}

type wantVariable struct{}

// Parse reports a missing variable of a quantifier.
func (*wantVariable) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, "a variable", "a quantifier is written: exists x, z. formula")
}

type wantDot struct{}

// Parse reports a missing dot after a quantifier's variables.
func (*wantDot) Parse(lex *lexer.PeekingLexer) error {
	p := previous(lex)
	if t := lex.Peek(); t.Type == identToken && p.Type == identToken {
		return expected(lex, fmt.Sprintf(`"," or "." after the variable %s`, p.Value),
			"variables are separated by commas, and a dot follows the last: exists x, z. formula")
	}
	return expected(lex, fmt.Sprintf(`"." after the variable %s`, p.Value), "a quantifier is written: exists x, z. formula")
}

type wantClose struct{}

// Parse reports a missing closing parenthesis of a formula.
func (*wantClose) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, fmt.Sprintf(`"&", "|" or the ")" that closes the "(" at %s`, at(opening(lex))), "")
}

type wantOpen struct{}

// Parse reports a relation without arguments.
func (*wantOpen) Parse(lex *lexer.PeekingLexer) error {
	p := previous(lex)
	hint := "an atom is written: r(x, y)"
	switch t := lex.Peek(); {
	case t.Value == ".":
		hint = "a name with dots must be quoted"
	case t.Value == "=":
		hint = `"=" stands only after the free variable of a template`
	case p.Type == identToken && t.Type == identToken:
		hint = fmt.Sprintf(`a name of several words must be quoted: "%s %s"`, p.Value, t.Value)
	}
	return expected(lex, fmt.Sprintf(`"(" after the relation %s`, clip(p.Value, maxClip)), hint)
}

type wantArgument struct{}

// Parse reports a missing argument.
func (*wantArgument) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, "an argument", `an argument is a variable, an entity in quotes or a $parameter`)
}

type wantArgsEnd struct{}

// Parse reports an argument list that goes on with something else.
func (*wantArgsEnd) Parse(lex *lexer.PeekingLexer) error {
	hint := ""
	switch t := lex.Peek(); {
	case t.Value == ".":
		hint = "a name with dots must be quoted"
	case t.Type == identToken && previous(lex).Type == identToken:
		hint = fmt.Sprintf(`a name of several words must be quoted: "%s %s"`, previous(lex).Value, t.Value)
	case t.Value == "(":
		hint = "arguments are names, not atoms: bind a variable with exists instead"
	}
	return expected(lex, `"," or ")"`, hint)
}

type wantEnd struct{}

// Parse accepts the end of a formula.
func (*wantEnd) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	switch {
	case t.EOF():
		return nil
	case t.Value == ")" && t.Type == punctToken:
		return &syntaxError{t.Pos, `unexpected ")": no parenthesis is open`, ""}
	case t.Value == "package":
		return &syntaxError{t.Pos, "the package clause must come first", ""}
	case t.Type == inverseToken:
		return &syntaxError{t.Pos, "an atom has no inverse", "the inverse of a relation is written: r^-1(x, y)"}
	}
	return expected(lex, `"&", "|" or the end of the formula`, "")
}
