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

// headNode is what stands before the first query of a file. The words semantics and
// layers are no keywords elsewhere. A number is a token of the sort that fits nowhere
// else.
type headNode struct {
	Package      *lexer.Token `parser:"( 'package' ( @Ident"`
	PackageErr   *wantName    `parser:"| @@ ) )?"`
	Semantics    *lexer.Token `parser:"( 'semantics' ( @Ident"`
	SemanticsErr *wantName    `parser:"| @@ ) )?"`
	Layers       *lexer.Token `parser:"( 'layers' ( @Bad"`
	LayersErr    *wantName    `parser:"| @@ ) )?"`
	End          *wantQuery   `parser:"@@"`
}

// queryNode is a template.
type queryNode struct {
	Name      lexer.Token  `parser:"'query' ( @Ident"`
	NameErr   *wantName    `parser:"| @@ )"`
	Params    []*paramNode `parser:"( '(' ( @@ ( ',' @@ )* )?"`
	ParamsErr *wantParams  `parser:"( ')' | @@ ) )?"`
	Free      lexer.Token  `parser:"( @Ident"`
	FreeErr   *wantFree    `parser:"| @@ )"`
	Type      *typeNode    `parser:"( ':' @@ )?"`
	// The word show is not a keyword elsewhere.
	Show      []*variableNode `parser:"( 'show' @@ ( ',' @@ )* )?"`
	EqualsErr *wantEquals     `parser:"( '=' | @@ )"`
	Formula   *orNode         `parser:"@@"`
	End       *wantEnd        `parser:"@@"`
}

// paramNode is a parameter, whose kind may stand at a later one.
type paramNode struct {
	Name lexer.Token `parser:"( @Ident"`
	Err  *wantParams `parser:"| @@ )"`
	Kind string      `parser:"@( 'entity' | 'relation' )?"`
}

// formulaNode is a text that is one formula.
type formulaNode struct {
	Formula *orNode  `parser:"@@"`
	End     *wantEnd `parser:"@@"`
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
	Vars   []*variableNode `parser:"Exists @@ ( ',' @@ )*"`
	DotErr *wantVariables  `parser:"( '.' | @@ )"`
	Body   *orNode         `parser:"@@"`
}

// variableNode is a variable of a quantifier.
type variableNode struct {
	Token lexer.Token    `parser:"@Ident"`
	Err   *wantVariables `parser:"| @@"`
}

// groupNode is a formula in parentheses.
type groupNode struct {
	Body *orNode    `parser:"'(' @@"`
	Err  *wantClose `parser:"( ')' | @@ )"`
}

// atomNode is a relation with its arguments, the inequality of two arguments, or the type of
// a variable.
type atomNode struct {
	First    lexer.Token    `parser:"@( Ident | String | Param )"`
	Other    *argNode       `parser:"( Unequal @@"`
	Type     *typeNode      `parser:"| ':' @@"`
	Inverse  bool           `parser:"| @Inverse?"`
	OpenErr  *wantOpen      `parser:"( '(' | @@ )"`
	Args     []*argNode     `parser:"@@ ( ',' @@ )*"`
	CloseErr *wantArguments `parser:"( ')' | @@ ) )"`
}

// argNode is an argument of an atom.
type argNode struct {
	Token lexer.Token    `parser:"@( Ident | String | Param )"`
	Err   *wantArguments `parser:"| @@"`
}

// typeNode is a type, by a relation or by the model's own: City, instance_of("City").
type typeNode struct {
	Name     lexer.Token  `parser:"( @( Ident | String )"`
	NameErr  *wantType    `parser:"| @@ )"`
	Inverse  bool         `parser:"( ( @Inverse"`
	OpenErr  *wantOpen    `parser:"( '(' | @@ ) | '(' )"`
	Entity   *lexer.Token `parser:"( @( Ident | String )"`
	CloseErr *wantType    `parser:"| @@ ) ( ')' | @@ ) )?"`
}

// The parsers, one for each kind of text that is parsed at once.
var (
	headParser  = buildParser[headNode]()
	queryParser = buildParser[queryNode]()
	soleParser  = buildParser[formulaNode]()
)

// buildParser returns the parser of a grammar.
func buildParser[N any]() *participle.Parser[N] {
	return participle.MustBuild[N](participle.Lexer(rules), participle.UseLookahead(0))
}
