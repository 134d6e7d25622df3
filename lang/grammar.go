package lang

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The structs below are the grammar that doc.go shows as EBNF. Whatever can
// follow is decided by the next token alone, so the parsers look zero tokens
// ahead of that; an alternative that has begun must succeed. Where a part is
// missing, the last alternative is an error production of expect.go, which
// consumes nothing and says what was expected.

// headNode is what stands before the first query of a file.
type headNode struct {
	Pos       lexer.Position
	Package   *packageNode   `parser:"@@?"`
	Semantics *semanticsNode `parser:"@@?"`
	Layers    *layersNode    `parser:"@@?"`
	End       *wantQuery     `parser:"@@"`
}

// packageNode is a package clause.
type packageNode struct {
	Pos  lexer.Position
	Name *nameNode        `parser:"'package' ( @@"`
	Err  *wantPackageName `parser:"| @@ )"`
}

// semanticsNode says what answers mean. Its first word is no keyword elsewhere, as that
// of layersNode.
type semanticsNode struct {
	Name *nameNode      `parser:"'semantics' ( @@"`
	Err  *wantSemantics `parser:"| @@ )"`
}

// layersNode gives the number of layers. A number is a token of the sort that fits
// nowhere else.
type layersNode struct {
	Count *lexer.Token `parser:"'layers' ( @Bad"`
	Err   *wantLayers  `parser:"| @@ )"`
}

// queryNode is a template.
type queryNode struct {
	Pos       lexer.Position
	Name      *nameNode      `parser:"'query' ( @@"`
	NameErr   *wantQueryName `parser:"| @@ )"`
	Params    []*paramNode   `parser:"( '(' ( @@ ( ',' ( @@"`
	ParamErr  *wantParam     `parser:"| @@ ) )* )?"`
	ParamsErr *wantParamsEnd `parser:"( ')' | @@ ) )?"`
	Free      *nameNode      `parser:"( @@"`
	FreeErr   *wantFree      `parser:"| @@ )"`
	EqualsErr *wantEquals    `parser:"( '=' | @@ )"`
	Formula   *orNode        `parser:"@@"`
	End       *wantEnd       `parser:"@@"`
}

// paramNode is a parameter, whose kind may stand at a later one.
type paramNode struct {
	Name *nameNode `parser:"@@"`
	Kind string    `parser:"@( 'entity' | 'relation' )?"`
}

// soleNode is a text that is one formula.
type soleNode struct {
	Formula *orNode  `parser:"@@"`
	End     *wantEnd `parser:"@@"`
}

// nameNode is an identifier.
type nameNode struct {
	Pos  lexer.Position
	Text string `parser:"@Ident"`
}

// orNode is a formula: a disjunction of one or more conjunctions.
type orNode struct {
	Pos  lexer.Position
	Args []*andNode `parser:"@@ ( Or @@ )*"`
}

// andNode is a conjunction of one or more operands.
type andNode struct {
	Pos  lexer.Position
	Args []*operandNode `parser:"@@ ( And @@ )*"`
}

// operandNode is what & joins; one field is set.
type operandNode struct {
	Pos    lexer.Position
	Not    *operandNode `parser:"Not @@"`
	Exists *existsNode  `parser:"| @@"`
	Group  *groupNode   `parser:"| @@"`
	Atom   *atomNode    `parser:"| @@"`
	Err    *wantFormula `parser:"| @@"`
}

// existsNode is a quantifier with all that it reaches.
type existsNode struct {
	Pos      lexer.Position
	Vars     []*nameNode   `parser:"Exists ( @@"`
	FirstErr *wantVariable `parser:"| @@ )"`
	More     []*nameNode   `parser:"( ',' ( @@"`
	MoreErr  *wantVariable `parser:"| @@ ) )*"`
	DotErr   *wantDot      `parser:"( '.' | @@ )"`
	Body     *orNode       `parser:"@@"`
}

// groupNode is a formula in parentheses.
type groupNode struct {
	Pos  lexer.Position
	Body *orNode    `parser:"'(' @@"`
	Err  *wantClose `parser:"( ')' | @@ )"`
}

// atomNode is a relation with its arguments.
type atomNode struct {
	Relation lexer.Token  `parser:"@( Ident | String | Param )"`
	Inverse  bool         `parser:"@Inverse?"`
	OpenErr  *wantOpen    `parser:"( '(' | @@ )"`
	First    *argNode     `parser:"@@"`
	More     []*argNode   `parser:"( ',' @@ )*"`
	CloseErr *wantArgsEnd `parser:"( ')' | @@ )"`
}

// argNode is an argument of an atom.
type argNode struct {
	Token lexer.Token   `parser:"@( Ident | String | Param )"`
	Err   *wantArgument `parser:"| @@"`
}

// The parsers, one for each kind of text that is parsed at once.
var (
	headParser  = buildParser[headNode]()
	queryParser = buildParser[queryNode]()
	soleParser  = buildParser[soleNode]()
)

// buildParser returns the parser of a grammar.
func buildParser[N any]() *participle.Parser[N] {
	return participle.MustBuild[N](participle.Lexer(definition{symbols}), participle.UseLookahead(0))
}
