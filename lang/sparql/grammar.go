package sparql

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The structs below are the grammar. Keywords are case-insensitive.

type queryNode struct {
	Prologue []*declarationNode `parser:"@@*"`
	Select   *selectNode        `parser:"( @@"`
	Ask      *groupNode         `parser:"| 'ASK' 'WHERE'? @@"`
	Describe *describeNode      `parser:"| @@ )"`
}

type declarationNode struct {
	Pos    lexer.Position
	Prefix string `parser:"'PREFIX' @Name"`
	IRI    string `parser:"@IRI"`
	Base   string `parser:"| 'BASE' @IRI"`
}

type selectNode struct {
	Pos      lexer.Position
	Distinct bool         `parser:"'SELECT' @( 'DISTINCT' | 'REDUCED' )?"`
	All      *lexer.Token `parser:"( @'*'"`
	Count    *countNode   `parser:"| '(' @@ ')'"`
	Vars     []*varNode   `parser:"| @@+ )"`
	Where    *groupNode   `parser:"'WHERE'? @@"`
	Order    []*orderNode `parser:"( 'ORDER' 'BY' @@+ )?"`
	Slice    []*sliceNode `parser:"@@*"`
}

// describeNode names entities. Variables and patterns are refused.
type describeNode struct {
	Pos   lexer.Position
	Names []lexer.Token `parser:"'DESCRIBE' @( ( IRI | Name | Var | '*' )+ )"`
	Where *groupNode    `parser:"( 'WHERE'? @@ )?"`
}

// countNode is COUNT of a variable, and the variable for the result. Counting solutions is refused.
type countNode struct {
	Pos      lexer.Position
	Distinct bool        `parser:"'COUNT' '(' @'DISTINCT'?"`
	Of       lexer.Token `parser:"@( Var | '*' ) ')'"`
	As       lexer.Token `parser:"'AS' @Var"`
}

type varNode struct {
	Token lexer.Token `parser:"@Var"`
}

type orderNode struct {
	Pos  lexer.Position
	Down bool         `parser:"( ( @'DESC' | 'ASC' )"`
	In   *lexer.Token `parser:"  '(' @Var ')'"`
	Var  *lexer.Token `parser:"| @Var )"`
}

type sliceNode struct {
	Pos   lexer.Position
	Limit bool   `parser:"( @'LIMIT' | 'OFFSET' )"`
	N     string `parser:"@Number"`
}

type groupNode struct {
	Pos      lexer.Position
	Select   *selectNode    `parser:"'{' ( @@ '}'"`
	Elements []*elementNode `parser:"| @@* '}' )"`
}

// elementNode is a part of a group; one field is set.
type elementNode struct {
	Pos    lexer.Position
	Filter *filterNode  `parser:"( 'FILTER' @@"`
	Minus  *groupNode   `parser:"| 'MINUS' @@"`
	Union  []*groupNode `parser:"| @@ ( 'UNION' @@ )*"`
	Triple *tripleNode  `parser:"| @@ )"`
	Dot    bool         `parser:"@'.'?"`
}

// tripleNode is a subject with its properties.
type tripleNode struct {
	Subject    *termNode       `parser:"@@"`
	Properties []*propertyNode `parser:"( @@ ( ';' @@? )* )?"`
}

type propertyNode struct {
	Pos     lexer.Position
	Var     *lexer.Token `parser:"( @Var"`
	Path    *pathNode    `parser:"| @@ )"`
	Objects []*termNode  `parser:"@@ ( ',' @@ )*"`
}

// pathNode is a choice of sequences.
type pathNode struct {
	Args []*sequenceNode `parser:"@@ ( '|' @@ )*"`
}

type sequenceNode struct {
	Args []*stepNode `parser:"@@ ( '/' @@ )*"`
}

type stepNode struct {
	Pos     lexer.Position
	Inverse bool         `parser:"@'^'?"`
	Not     *lexer.Token `parser:"@'!'?"`
	IRI     *lexer.Token `parser:"( @( IRI | Name | 'a' )"`
	Group   *pathNode    `parser:"| '(' @@ ')' )"`
	Repeat  *lexer.Token `parser:"@( '*' | '+' | '?' | Bounds )?"`
}

// termNode is an argument of a triple.
type termNode struct {
	Token      *lexer.Token    `parser:"  @( Var | IRI | Name | Blank | Number )"`
	Literal    *literalNode    `parser:"| @@"`
	Open       *lexer.Token    `parser:"| @'['"`
	Properties []*propertyNode `parser:"  ( @@ ( ';' @@? )* )? ']'"`
}

type literalNode struct {
	Token lexer.Token  `parser:"@String"`
	Lang  string       `parser:"( @Lang"`
	Type  *lexer.Token `parser:"| '^^' @( IRI | Name ) )?"`
}

// filterNode is the condition of a FILTER.
type filterNode struct {
	Exists *existsNode `parser:"@@"`
	Expr   *orNode     `parser:"| '(' @@ ')'"`
}

type existsNode struct {
	Pos   lexer.Position
	Not   bool       `parser:"@'NOT'? 'EXISTS'"`
	Group *groupNode `parser:"@@"`
}

type orNode struct {
	Pos  lexer.Position
	Args []*andNode `parser:"@@ ( '||' @@ )*"`
}

type andNode struct {
	Pos  lexer.Position
	Args []*unaryNode `parser:"@@ ( '&&' @@ )*"`
}

type unaryNode struct {
	Pos     lexer.Position
	Not     *unaryNode   `parser:"  '!' @@"`
	Group   *orNode      `parser:"| '(' @@ ')'"`
	Exists  *existsNode  `parser:"| @@"`
	Compare *compareNode `parser:"| @@"`
}

type compareNode struct {
	Pos   lexer.Position
	Left  *termNode   `parser:"@@"`
	Op    string      `parser:"( @( '=' | '!=' | '<=' | '>=' | '<' | '>' )"`
	Right *termNode   `parser:"  @@"`
	NotIn bool        `parser:"| @'NOT'? 'IN'"`
	List  []*termNode `parser:"  '(' ( @@ ( ',' @@ )* )? ')' )"`
}

// grammar returns the parser, built on first use.
var grammar = sync.OnceValue(func() *participle.Parser[queryNode] {
	compileRules()
	return participle.MustBuild[queryNode](participle.Lexer(rules), participle.CaseInsensitive("Word"), participle.UseLookahead(2))
})
