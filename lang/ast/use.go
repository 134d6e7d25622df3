package ast

// UseKind is the kind of thing that a name in a file refers to.
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

// Use is an occurrence of a name in a file.
type Use struct {
	Kind UseKind
	Name string
	Pos  Pos
	// Decl is where the template, alias, parameter or variable is declared;
	// invalid for names of the model and undeclared names.
	Decl Pos
	// Template is where the enclosing template is declared; invalid above the first one.
	Template Pos
}
