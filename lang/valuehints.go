package lang

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/internal/token"
)

// Mistakes in comparisons with values, and what to write instead.

const (
	valueHint  = `a filter is written: population(x) > 1000000, or born(x) >= "1950-01-31"`
	numberHint = "a number is written as in 1500000, -2.5 or 1.5e6"
	equalsHint = `there is no equality of entities: write the entity, or the other variable, in the atom itself; "=" compares a value, as in population(x) = 5, or ends the head of a template`
)

// otherOperators maps the operators of other languages, by their two characters, to ours.
var otherOperators = map[string]string{"==": "=", "=>": ">=", "=<": "<=", "<>": "!="}

// misvalued explains a token in the position of a value; nil if nothing is special about it.
func misvalued(lex *lexer.PeekingLexer) error {
	p := previous(lex)
	t := lex.Peek()
	written := p.Value + t.Value
	switch operator := otherOperators[written]; {
	case operator != "":
		return mistakeAt(&p, "a filter has no operator "+written, fmt.Sprintf("write %s, as in population(x) %s 5", operator, operator))
	case p.Value == "=" && t.Type == token.Ident:
		return mistakeAt(&p, `expected "&", "|" or the end of the formula, found "="`, equalsHint)
	case t.Type == token.Bad && (isDigit(t.Value) || strings.Contains("+-", t.Value)):
		return mistakeAt(t, fmt.Sprintf("%q is no number", token.Clip(t.Value, token.MaxClip)), numberHint)
	}
	return nil
}

// isDigit reports whether a text starts with a digit.
func isDigit(text string) bool { return text != "" && '0' <= text[0] && text[0] <= '9' }

// operatorAt returns the operator at a distance from the next token, even if its characters are separate tokens,
// and the distance of what follows it. The operator is empty if there is none.
func operatorAt(lex *lexer.PeekingLexer, distance int) (operator string, after int) {
	for {
		t := around(lex, distance)
		if t.Type == token.String || t.Value == "" || !strings.Contains("<>=≤≥", t.Value) {
			return operator, distance
		}
		operator += t.Value
		distance++
	}
}

// valueFirst explains a comparison with the value on the left, at a distance from the next token; nil for other
// texts.
func valueFirst(lex *lexer.PeekingLexer, distance int) error {
	first := around(lex, distance)
	after := distance
	for isValue(around(lex, after)) {
		after++
	}
	if operator, _ := operatorAt(lex, after); operator == "" || after == distance {
		return nil
	}
	return mistakeAt(&first, "a filter starts with the attribute, not with the value", valueHint)
}

// isValue reports whether a token is a value, or a part of one.
func isValue(t lexer.Token) bool { return t.Value == "." || isDigit(strings.TrimLeft(t.Value, `"'`)) }

// bareAttribute explains a comparison of an attribute without an argument; nil for other texts.
func bareAttribute(lex *lexer.PeekingLexer) error {
	operator, after := operatorAt(lex, 0)
	value := around(lex, after)
	if operator == "" || !isValue(value) {
		return nil
	}
	name := token.Clip(previous(lex).Value, token.MaxClip)
	return mistakeAt(lex.Peek(), fmt.Sprintf("the attribute %s lacks its argument", name),
		fmt.Sprintf("write %s(y) %s %s", name, cmp.Or(otherOperators[operator], operator), token.Clip(value.Value, token.MaxClip)))
}
