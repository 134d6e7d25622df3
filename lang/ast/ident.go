package ast

import (
	"unicode"

	"github.com/efoc/efoc/lang/internal/token"
)

// IsIdent reports whether a name is an identifier but not a keyword.
func IsIdent(name string) bool {
	if _, ok := token.Keywords[name]; ok || name == "" {
		return false
	}
	for i, r := range name {
		if r == unicode.ReplacementChar || !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return true
}
