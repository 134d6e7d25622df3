package codegen

import (
	"fmt"
	"go/token"
	"hash/fnv"
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
