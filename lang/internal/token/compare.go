package token

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Tokens of comparisons. = and != are tokens of their own, and in is a word. Dots join the ends of a range.
var (
	comparePattern = regexp.MustCompile(`^(?:(?:[<>]=?|[≤≥])\??|(?:!=|≠|=)\?)`)
	inPattern      = regexp.MustCompile(`^in\?`)
	rangePattern   = regexp.MustCompile(`^<?\.\.<?`)
	numberPattern  = regexp.MustCompile(`^[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)
)

// prefixedPattern matches a prefixed name of RDF, such as ex:knows or :knows.
var prefixedPattern = regexp.MustCompile(`^(?:[\p{L}_][\p{L}\p{Nd}_]*(?:-[\p{L}\p{Nd}_]+)*)?:[\p{L}\p{Nd}_]+(?:-[\p{L}\p{Nd}_]+)*`)

// IsPrefixed reports whether a text is a prefixed name that needs no quotes as a relation with its arguments.
func IsPrefixed(text string) bool { return text != "" && prefixedPattern.FindString(text) == text }

// prefixed reports whether a prefixed name begins a text and arguments follow it.
func prefixed(text string) bool {
	rest := text[len(prefixedPattern.FindString(text)):]
	return len(rest) < len(text) && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "^-1") || strings.HasPrefix(rest, "{"))
}

// join extends the token that follows before into a comparison, a number, the dots of a range or a prefixed name, if one
// may follow, and returns the end offset of the extended token; 0 if it leaves the token unchanged. A comparison follows
// the arguments of an attribute, a number follows a comparison or dots, dots follow the first end of a range, and a
// prefixed name begins an atom.
func join(t *lexer.Token, before []lexer.Token, text string) int {
	n := len(before)
	kind := Compare
	pattern := comparePattern
	switch {
	case (t.Type == Ident || IsPunct(*t, ":")) && (n == 0 || WantsOperand(before[n-1]) || IsPunct(before[n-1], ":")) && prefixed(text[t.Pos.Offset:]):
		kind = Ident
		pattern = prefixedPattern
	case n > 0 && IsPunct(before[n-1], ")") && t.Type == Ident:
		kind = In
		pattern = inPattern
	case n > 0 && IsPunct(before[n-1], ")"):
	case n > 0 && before[n-1].Type == Range, n > 1 && comparesBy(before[n-1]) && IsPunct(before[n-2], ")"):
		kind = Number
		pattern = numberPattern
	case n > 1 && IsIn(before[n-2]):
		kind = Range
		pattern = rangePattern
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

// comparesBy reports whether a token is a comparison operator if it follows an attribute's arguments.
func comparesBy(t lexer.Token) bool {
	return t.Type == Compare || t.Type == Unequal || IsPunct(t, "=") || IsIn(t)
}

// IsIn reports whether a token is the in of a range, or an identifier in.
func IsIn(t lexer.Token) bool { return t.Type == In || t.Type == Ident && t.Value == "in" }

// Operator splits the text of a comparison into its operator and whether it also accepts entities without a value.
func Operator(text string) (operator string, unknown bool) {
	operator, unknown = strings.CutSuffix(text, "?")
	return strings.NewReplacer("≤", "<=", "≥", ">=", "≠", "!=").Replace(operator), unknown
}
