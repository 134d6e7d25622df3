package ast

// UseKind says what a name in a file stands for.
type UseKind uint8

// The kinds of uses.
const (
	TemplateUse UseKind = iota
	AliasUse
	ParamUse
	VariableUse
	EntityUse
	RelationUse
)

// Use is a place in a file that names something.
type Use struct {
	Kind UseKind
	Name string
	Pos  Pos
	// Decl is where a template, alias, parameter or variable is declared, perhaps in another file
	// of the package; it is invalid for names of the model, and for what nothing declares.
	Decl Pos
	// Template is where the template is declared in which the name stands, invalid above the first one.
	Template Pos
}
