package codegen

import (
	"fmt"
	"go/token"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/efoc/efoc/compiler"
)

// Exported turns a name of a query language identifier into an exported Go
// identifier: its first letter is made upper-case, and X is put before a name
// that begins with none.
func Exported(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	if up := unicode.ToUpper(r); unicode.IsUpper(up) {
		return string(up) + name[size:]
	}
	return "X" + name
}

// FilePrefix returns what the names of a file's plans begin with, for the base name
// of an .efo file: its ASCII letters and digits.
func FilePrefix(source string) string {
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.TrimSuffix(source, ".efo"))
	if s == "" || s[0] <= '9' {
		return "q" + s
	}
	return s
}

// PlansName returns the name of the variable that lists the plans of a file.
func PlansName(source string) string { return Exported(FilePrefix(source)) + "Plans" }

// IsPackageName reports whether a name can stand in a package clause.
func IsPackageName(name string) bool { return token.IsIdentifier(name) && name != "_" }

// ShapeName returns a name for a shape that can be part of an identifier: the
// benchmark's name where it has one, otherwise a hash of its text.
func ShapeName(key string, layers int) string {
	name := compiler.ShapeName(key)
	if name == "" {
		h := fnv.New64a()
		h.Write([]byte(key))
		name = fmt.Sprintf("X%016x", h.Sum64())
	}
	if layers > 0 {
		name += fmt.Sprintf("L%d", layers)
	}
	return name
}
