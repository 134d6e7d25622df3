package token

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// What a comparison with a value is made of; = and != are tokens of their own.
var (
	comparePattern = regexp.MustCompile(`^(?:(?:[<>]=?|[≤≥])\??|(?:!=|≠|=)\?)`)
	numberPattern  = regexp.MustCompile(`^[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)
)

// join makes the token that follows others a comparison or a number, where either may stand, with the text that
// belongs to it, and returns where that ends: 0 if it leaves the token as it is. A comparison stands behind
// the arguments of an attribute, a number behind a comparison.
func join(t *lexer.Token, before []lexer.Token, text string) int {
	n := len(before)
	kind := Compare
	pattern := comparePattern
	switch {
	case n > 0 && IsPunct(before[n-1], ")"):
	case n > 1 && (before[n-1].Type == Compare || before[n-1].Type == Unequal || IsPunct(before[n-1], "=")) && IsPunct(before[n-2], ")"):
		kind = Number
		pattern = numberPattern
	default:
		return 0
	}
	found := pattern.FindString(text[t.Pos.Offset:])
	next, _ := utf8.DecodeRuneInString(text[t.Pos.Offset+len(found):])
	word := unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_'
	if found == "" || word && (kind == Number || strings.HasSuffix(found, "?")) {
		return 0
	}
	t.Type = kind
	t.Value = found
	return t.Pos.Offset + len(found)
}

// IsNumber reports whether a text is a number as comparisons have them.
func IsNumber(text string) bool { return text != "" && numberPattern.FindString(text) == text }

// Operator returns the operator of a comparison, and whether it asks for entities without a value.
func Operator(text string) (operator string, unknown bool) {
	operator, unknown = strings.CutSuffix(text, "?")
	return strings.NewReplacer("≤", "<=", "≥", ">=", "≠", "!=").Replace(operator), unknown
}
