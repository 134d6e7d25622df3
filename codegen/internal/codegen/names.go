package codegen

import (
	"fmt"
	"go/token"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/model"
)

// semantics maps each semantics to its Go name.
var semantics = map[model.Semantics]string{model.Mixed: "Mixed", model.NSMP: "NSMP", model.FIT: "FIT"}

// Exported converts an identifier of the query language to an exported Go identifier: it capitalises the first
// letter, and prepends X to a name that does not start with a letter.
func Exported(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	if up := unicode.ToUpper(r); unicode.IsUpper(up) {
		return string(up) + name[size:]
	}
	return "X" + name
}

// FileNames are the names of the declarations generated once for a file of templates.
type FileNames struct {
	// Plans and DevicePlans are the variables that list its plans and its device plans; Kernels is the variable
	// that embeds the kernels' text, Compiled the one that embeds the compiled kernels.
	Plans, DevicePlans, Kernels, Compiled string

	words []string
}

// NewFileNames derives names from the words in the base name of an .efo file: my-atlas.efo gives myAtlas, so
// that several files can share a package. It refuses a file name from which the Go tool would not build a Go
// file.
func NewFileNames(source string) (FileNames, error) {
	base := strings.TrimSuffix(source, ".efo")
	if first, _ := utf8.DecodeRuneInString(base); !InIdentifier(first) {
		return FileNames{}, fmt.Errorf("no Go file can be named after %q: choose a file name that starts with a letter or a digit", source)
	}
	var prefix strings.Builder
	words := strings.FieldsFunc(base, func(r rune) bool { return !InIdentifier(r) })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		switch {
		case i > 0:
			first = unicode.ToUpper(first)
		case unicode.IsDigit(first):
			prefix.WriteByte('q')
		default:
			first = unicode.ToLower(first)
		}
		prefix.WriteString(string(first) + word[size:])
	}
	p := Exported(prefix.String())
	return FileNames{p + "Plans", p + "DevicePlans", "kernels" + p, "compiled" + p, words}, nil
}

// InIdentifier reports whether a letter or digit can be part of a Go identifier.
func InIdentifier(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// KernelFile returns the name of the file with the kernels of a shape. Other .efo files have other names, even
// on file systems that ignore case.
func (n FileNames) KernelFile(key string, layers int) string {
	return strings.Join(n.words, "-") + "_" + ShapeName(key, layers) + ".cu"
}

// QueryNames are the names of the declarations generated for a template. The unexported ones cannot collide:
// they are a lower-case word followed by the type's name, which starts with an upper-case letter.
type QueryNames struct {
	// Type, Parameters and New are the query's type, the type of its parameters and the constructor; Reply and Row
	// are the types of its reply and of the reply's rows, for a template that asks for rows.
	Type, Parameters, New, Reply, Row string
	// Spec is the query as data.
	Spec string
	// Plan, Run and Small are the plan of its shape and its functions, if no earlier template has that shape;
	// Degrees and Why are the truth-degree plan and its function; Disjuncts are the query graphs of both; MakeReply
	// makes a Reply.
	Plan, Run, Small, Degrees, Why, Disjuncts, MakeReply string
}

// NewQueryNames derives names from the name of a template.
func NewQueryNames(query string) QueryNames {
	t := Exported(query)
	return QueryNames{
		t, t + "Params", "Bind" + t, t + "Reply", t + "Row", "spec" + t,
		"plan" + t, "run" + t, "small" + t, "degrees" + t, "why" + t, "disjuncts" + t, "reply" + t,
	}
}

// Part returns the names of a part of a query; the first part has the names of the query.
func (n QueryNames) Part(i int) QueryNames {
	if i > 0 {
		for _, name := range []*string{&n.Plan, &n.Run, &n.Small, &n.Degrees, &n.Why, &n.Disjuncts} {
			*name = fmt.Sprintf("part%d%s", i+1, Exported(*name))
		}
	}
	return n
}

// IsPackageName reports whether a name is valid in a package clause.
func IsPackageName(name string) bool { return token.IsIdentifier(name) && name != "_" }

// ShapeName returns a name for a shape that can be part of an identifier: its benchmark name if it has one,
// otherwise a hash of its text.
func ShapeName(key string, layers int) string {
	name := stages.ShapeName(key)
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

// Claims records the owners of Go names.
type Claims map[string]string

// Claim claims a name for an owner; it returns the earlier owner if there is one.
func (c Claims) Claim(name, owner string) string {
	if by, ok := c[name]; ok {
		return by
	}
	c[name] = owner
	return ""
}
