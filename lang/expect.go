package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/runtime/kind"
)

// The error productions. Each follows a part in grammar.go that may be missing, consumes no token, and reports
// what was expected and what was found.

// mistakeAt returns a syntax error at a token, which participle passes on unchanged.
func mistakeAt(t *lexer.Token, msg, hint string) error {
	return &Error{Pos: position(t.Pos), Msg: msg, Hint: hint}
}

// expected reports the next token in the position of what. If the token fits nowhere, it explains the token instead.
// The hint may be empty.
func expected(lex *lexer.PeekingLexer, what, hint string) error {
	t := lex.Peek()
	return cmp.Or(misfit(t), mistakeAt(t, fmt.Sprintf("expected %s, found %s", what, found(t)), hint))
}

// found names a token in an error message.
func found(t *lexer.Token) string {
	switch {
	case t.EOF() && t.Value == "":
		return "the end of the text"
	case t.EOF():
		return "the next " + t.Value
	case t.Type == token.String:
		return token.Clip(t.Value, token.MaxClip)
	case t.Type == token.Keyword, token.Keywords[t.Value] != "":
		return "the keyword " + t.Value
	}
	return fmt.Sprintf("%q", token.Clip(t.Value, token.MaxClip))
}

// misfit explains a token that is not part of the language; nil for other tokens.
func misfit(t *lexer.Token) error {
	text := token.Clip(t.Value, token.MaxClip)
	switch {
	case t.Type == token.OpenString:
		return mistakeAt(t, fmt.Sprintf("the quoted name is not closed: %s is missing at the end", t.Value[:1]),
			"a quoted name ends on the line that it starts on")
	case t.Type != token.Bad:
		return nil
	case t.Value == "$":
		return mistakeAt(t, "a $ must be followed by the name of a parameter", "")
	case t.Value[0] == '^':
		return mistakeAt(t, text+" is not a power of a relation", "the inverse of r is r^-1")
	case t.Value[0] == '?' && len(t.Value) > 1:
		return mistakeAt(t, "variables have no question mark: "+text, "write "+text[1:])
	case strings.HasPrefix(t.Value, "/*"):
		return mistakeAt(t, "a comment starts with //, and /* starts none", "write // before the comment, on each of its lines")
	case t.Value[0] == '/':
		return mistakeAt(t, text+" must be quoted", fmt.Sprintf("write %q", text))
	case '0' <= t.Value[0] && t.Value[0] <= '9':
		return mistakeAt(t, text+" must be quoted, since it starts with a digit", fmt.Sprintf("write %q", text))
	case t.Value == "\ufeff":
		return mistakeAt(t, "the text holds a byte order mark", "save it as UTF-8 without byte order mark")
	}
	hint, ok := strayChars[t.Value]
	if !ok {
		hint = "names with other characters than letters, digits and _ must be quoted"
	}
	return mistakeAt(t, fmt.Sprintf("unexpected character %q", t.Value), hint)
}

// universalHint says what to write instead of a universal quantifier.
const universalHint = "negate atoms instead: exists x. … & !r(x, y); or answer the positive query and subtract its answers"

// around returns the token at a distance from the next one, which is at 0; the zero token if there is none.
func around(lex *lexer.PeekingLexer, distance int) lexer.Token {
	n := lex.RawCursor() + lexer.RawCursor(distance)
	if n < 0 || distance > 0 && lex.Peek().EOF() {
		return lexer.Token{}
	}
	return lex.Range(n, n+1)[0]
}

// previous returns the token before the next one.
func previous(lex *lexer.PeekingLexer) lexer.Token { return around(lex, -1) }

// foreign explains a word of another language; nil for other words.
func foreign(word lexer.Token) error {
	lower := strings.ToLower(word.Value)
	switch _, keyword := token.Keywords[lower]; {
	case word.Type != token.Ident:
	case keyword:
		return mistakeAt(&word, "keywords are written in lower case: "+word.Value, "write "+lower)
	case phrases[lower] != "":
		return mistakeAt(&word, "a formula has no "+word.Value, phrases[lower])
	case slices.Contains([]string{"select", "ask", "construct", "describe", "prefix", "match"}, lower):
		return mistakeAt(&word, "a question is a formula, not "+word.Value+" …",
			`write only the pattern, as in: exists x. r("a", x) & s(x, y), which asks for y`)
	}
	return nil
}

// named explains a keyword before "(", in the position of a relation's name; nil for other tokens.
func named(word, open lexer.Token) error {
	if _, keyword := token.Keywords[word.Value]; !keyword || open.Value != "(" || open.Type != token.Punct {
		return nil
	}
	return mistakeAt(&word, "the keyword "+word.Value+" cannot name a relation unless it is quoted",
		fmt.Sprintf("write %q(…)", word.Value))
}

// opening returns the position of the innermost open parenthesis.
func opening(lex *lexer.PeekingLexer) ast.Pos {
	var open []ast.Pos
	for _, t := range lex.Range(0, lex.RawCursor()) {
		switch {
		case t.Type != token.Punct:
		case t.Value == "(":
			open = append(open, position(t.Pos))
		case t.Value == ")":
			open = open[:len(open)-1]
		}
	}
	return open[len(open)-1]
}

// at formats the position of an opening parenthesis, without the file.
func at(p ast.Pos) string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

type wantQuery struct{}

// Parse accepts the end of the text if there is no query.
func (*wantQuery) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	what := "a package clause or a query"
	switch {
	case t.EOF():
		return nil
	case t.Type == token.Bad && (t.Value[0] == '^' || strings.HasPrefix(t.Value, "/*")):
		return misfit(t)
	case lex.Cursor() > 0 && t.Type == token.Bad:
		return mistakeAt(t, fmt.Sprintf("%q cannot be part of a package's name", token.Clip(t.Value, token.MaxClip)), packageHint)
	case lex.Cursor() > 0:
		what = "a query after the package clause"
	}
	return cmp.Or(foreign(*t), expected(lex, what, "a query starts with: query Name y ="))
}

// packageHint says what a package may be called.
const packageHint = "a package's name is an identifier, not quoted"

type wantName struct{}

// Parse reports a missing part after the keyword of a clause.
func (*wantName) Parse(lex *lexer.PeekingLexer) error {
	switch t := lex.Peek(); previous(lex).Value {
	case "package":
		return expected(lex, "the package's name", packageHint)
	case "semantics":
		return expected(lex, "the name of a semantics", semanticsHint)
	case "layers":
		return expected(lex, "the number of layers", layersHint)
	case "relation":
		if t.Value == "*" {
			return starred(t)
		}
		return expected(lex, "the relation's short name", "a short name is given as in: relation genre = \"/film/film/genre\"")
	default:
		const hint = "a query's name is an identifier: letters, digits and _, with no digit first"
		if t.Type == token.Bad {
			return mistakeAt(t, fmt.Sprintf("%s cannot name a query", t.Value), hint)
		}
		return expected(lex, "the query's name", hint)
	}
}

// starred reports a star in an alias.
func starred(t *lexer.Token) error {
	return mistakeAt(t, "a short name stands for one relation: it has no star",
		`declare each relation that the file uses, as in: relation genre = "/film/film/genre"`)
}

type wantTarget struct{}

// Parse reports a mistake in the relation of an alias.
func (*wantTarget) Parse(lex *lexer.PeekingLexer) error {
	const hint = "a short name is given as in: relation genre = \"/film/film/genre\""
	p := previous(lex)
	t := lex.Peek()
	switch {
	case p.Value == "=":
		return expected(lex, "a relation", hint)
	case t.Value == "*":
		return starred(t)
	}
	return expected(lex, fmt.Sprintf(`"=" after the short name %s`, previous(lex).Value), hint)
}

type wantParams struct{}

// Parse reports a mistake in a list of parameters.
func (*wantParams) Parse(lex *lexer.PeekingLexer) error {
	p := previous(lex)
	t := lex.Peek()
	hint := "parameters are declared as in: (genre, prequel entity, r relation)"
	if t.Type == token.Param {
		hint = fmt.Sprintf("write %s: the dollar sign marks a parameter in the formula only", t.Value[1:])
	}
	switch {
	case p.Type == token.Keyword, p.Type == token.Ident && around(lex, -2).Type == token.Ident: // a kind
		return expected(lex, `"," or ")"`, "")
	case p.Type == token.Ident:
		return expected(lex, fmt.Sprintf("the kind of parameter %s", p.Value), "a parameter is declared as: name entity, or: name relation, number or date")
	case p.Value == "(" && t.Type != token.Param:
		return expected(lex, `a parameter's name or ")"`, hint)
	}
	return expected(lex, "a parameter's name", hint)
}

type wantType struct{}

// Parse reports a mistake in a type.
func (*wantType) Parse(lex *lexer.PeekingLexer) error {
	const hint = "a type is written y: City, or instance_of(\"City\") by the relation that leads to it"
	p := previous(lex)
	t := lex.Peek()
	switch {
	case t.Type == token.Param:
		return mistakeAt(t, "a type cannot be a parameter", "write an atom for it")
	case p.Value == ":" || p.Value == "(":
		return expected(lex, "a type", hint)
	case t.Value == ",":
		return expected(lex, `")" after the type`, "a head with one variable is for a type: leave it out; "+colonHint)
	default:
		return expected(lex, `")" after the type`, hint)
	}
}

// colonHint is for names such as rdf:type.
const colonHint = "a name with : is written without blanks before its arguments, c:period(x, y), and in quotes elsewhere"

type wantFree struct{}

// Parse reports what it finds instead of a template's free variable.
func (*wantFree) Parse(lex *lexer.PeekingLexer) error {
	if previous(lex).Value == "," {
		return expected(lex, "an answer variable", "")
	}
	return expected(lex, `the free variable or "="`, "name it before the =, as in: query Name(p entity) y =; a question for yes or no has none")
}

type wantColon struct{}

// Parse reports a missing colon after the answer variables.
func (*wantColon) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, fmt.Sprintf(`"," or ":" after the answer variable %s`, previous(lex).Value),
		"several answer variables stand before the formula: x, y: r(x, y)")
}

type wantEquals struct{}

// Parse reports a missing equals sign.
func (*wantEquals) Parse(lex *lexer.PeekingLexer) error {
	what := `"=" before the formula`
	if p := around(lex, -2); p.Value != ":" && p.Value != "," && p.Value != "show" {
		what = fmt.Sprintf(`"=" after the free variable %s`, previous(lex).Value)
	}
	return expected(lex, what, "")
}

type wantFormula struct{}

// Parse reports a missing formula.
func (*wantFormula) Parse(lex *lexer.PeekingLexer) error {
	what := "a formula"
	hint := ""
	if t := lex.Peek(); t.Type == token.Keyword && t.Value == "query" {
		hint = "this text is one formula; templates stand in files"
	}
	if p := previous(lex); p.Type != token.Punct && p.Value != "" {
		what += " after " + p.Value
	}
	return cmp.Or(valueFirst(lex, 0), named(around(lex, 0), around(lex, 1)), expected(lex, what, hint))
}

type wantVariables struct{}

// Parse reports a mistake in the variables of a quantifier.
func (*wantVariables) Parse(lex *lexer.PeekingLexer) error {
	const hint = "a quantifier is written: exists x, z. formula"
	switch p := previous(lex); {
	case p.Value == "show" || p.Value == ",":
		return expected(lex, "a variable", "")
	case p.Type != token.Ident:
		return cmp.Or(named(p, around(lex, 0)), expected(lex, "a variable", hint))
	case lex.Peek().Value == ":":
		return expected(lex, fmt.Sprintf(`"," or "." after the variable %s`, p.Value),
			"a dot follows the variables of a quantifier, and only answers can have a type: for others write an atom, such as instance_of(x, \"City\")")
	case lex.Peek().Type == token.Ident:
		return expected(lex, fmt.Sprintf(`"," or "." after the variable %s`, p.Value),
			"variables are separated by commas, and a dot follows the last: exists x, z. formula")
	default:
		return expected(lex, fmt.Sprintf(`"." after the variable %s`, p.Value), hint)
	}
}

type wantClose struct{}

// Parse reports a missing closing parenthesis of a formula.
func (*wantClose) Parse(lex *lexer.PeekingLexer) error {
	return goesOn(lex, fmt.Sprintf(`the ")" that closes the "(" at %s`, at(opening(lex))))
}

// goesOn reports a token that neither joins operands nor ends their formula.
func goesOn(lex *lexer.PeekingLexer, end string) error {
	t := lex.Peek()
	hint := ""
	switch {
	case previous(lex).Type == token.Number && t.Pos.Offset == previous(lex).Pos.Offset+len(previous(lex).Value):
		hint = numberHint
	case t.Type == token.Punct:
		hint = separatorHints[t.Value]
	}
	return cmp.Or(foreign(*t), expected(lex, `"&", "|" or `+end, hint))
}

// nameHint says that a name needs quotes if the next token looks like a continuation of it; otherwise it is
// empty.
func nameHint(lex *lexer.PeekingLexer) string {
	p := previous(lex)
	t := lex.Peek()
	switch {
	case t.Value == ".":
		return "a name with dots must be quoted"
	case t.Value == ":":
		return colonHint
	case p.Type == token.Ident && t.Type == token.Ident:
		return fmt.Sprintf(`a name of several words must be quoted: "%s %s"`, p.Value, t.Value)
	}
	return ""
}

type wantOpen struct{}

// Parse reports a relation without arguments.
func (*wantOpen) Parse(lex *lexer.PeekingLexer) error {
	p := previous(lex)
	switch p.Type {
	case token.Bounds:
		return expected(lex, `"(" after the bounds `+p.Value, "the inverse of a relation stands before them: r^-1{1,3}(x, y)")
	case token.ChoiceEnd:
		return expected(lex, `"(" after the choice of relations`, "a choice is written: (r|s^-1)(x, y)")
	case token.Inverse:
		if t := lex.Peek(); t.Type == token.Inverse {
			return mistakeAt(t, "a relation has one ^-1 at most", "leave out both: the inverse of the inverse is the relation itself")
		}
	}
	if t := lex.Peek(); t.Value == "{" && t.Type == token.Bad {
		return mistakeAt(t, "a path says how many steps it has: one number, or the least and the most",
			"write {2} for two steps, {1,3} for one to three; what goes backwards is written r^-1{1,3}(x, y)")
	}
	hint := cmp.Or(nameHint(lex), "an atom is written: r(x, y)")
	switch t := lex.Peek(); {
	case t.Value == "=":
		hint = equalsHint
	case slices.Contains(kind.Words(), p.Value) && t.Type == token.Ident:
		hint = fmt.Sprintf("write %s y: %s(…), with the variable to count before the colon", p.Value, t.Value)
	}
	return cmp.Or(foreign(p), named(around(lex, -3), around(lex, -2)), valueFirst(lex, -1), bareAttribute(lex),
		expected(lex, fmt.Sprintf(`"(" after the relation %s`, token.Clip(p.Value, token.MaxClip)), hint))
}

type wantArguments struct{}

// Parse reports a mistake in the arguments of an atom.
func (*wantArguments) Parse(lex *lexer.PeekingLexer) error {
	switch {
	case previous(lex).Type == token.Punct || previous(lex).Type == token.Unequal:
		return expected(lex, "an argument", "an argument is a variable, an entity in quotes or a $parameter")
	case lex.Peek().Value == "(":
		return cmp.Or(foreign(around(lex, -3)), expected(lex, `"," or ")"`, "arguments are names, not atoms: bind a variable with exists instead"))
	}
	return expected(lex, `"," or ")"`, nameHint(lex))
}

type wantValue struct{}

// Parse reports what it finds instead of a value.
func (*wantValue) Parse(lex *lexer.PeekingLexer) error {
	return cmp.Or(misvalued(lex), expected(lex, "a number, a date in quotes or a $parameter", valueHint))
}

type wantDots struct{}

// Parse reports what it finds instead of the dots of a range.
func (*wantDots) Parse(lex *lexer.PeekingLexer) error {
	return expected(lex, `".."`, `a range is written: population(x) in 2..3, or born(x) in "1950".."1960"`)
}

type oneArrow struct{}

// Parse reports a second arrow.
func (*oneArrow) Parse(lex *lexer.PeekingLexer) error {
	if t := lex.Peek(); t.Type == token.Implies {
		return mistakeAt(t, "two arrows follow each other", "say which comes first: (a -> b) -> c, or a -> (b -> c)")
	}
	return nil
}

type wantEnd struct{}

// Parse accepts the end of a formula.
func (*wantEnd) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	switch {
	case t.EOF():
		return nil
	case t.Value == ")" && t.Type == token.Punct:
		return mistakeAt(t, `unexpected ")": no parenthesis is open`, "")
	case t.Value == "package":
		return mistakeAt(t, "the package clause must come first", "")
	case t.Type == token.Inverse:
		return mistakeAt(t, "an atom has no inverse", "the inverse of a relation is written: r^-1(x, y)")
	}
	return goesOn(lex, "the end of the formula")
}
