package lang

import (
	"slices"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/runtime/kind"
)

// The structs below are the grammar that doc.go shows as EBNF. The next token always selects the alternative,
// so the parsers look no further ahead; an alternative that has begun must succeed. If a part is missing, the
// last alternative is an error production of expect.go, which consumes nothing and says what was expected.

// headNode is the head of a file, before its first query. The words semantics and layers are not keywords
// elsewhere. A number is a token of a type that fits nowhere else.
type headNode struct {
	Package      *lexer.Token `parser:"( 'package' ( @Ident"`
	PackageErr   *wantName    `parser:"| @@ ) )?"`
	Semantics    *lexer.Token `parser:"( 'semantics' ( @Ident"`
	SemanticsErr *wantName    `parser:"| @@ ) )?"`
	Layers       *lexer.Token `parser:"( 'layers' ( @Bad"`
	LayersErr    *wantName    `parser:"| @@ ) )?"`
	Aliases      []*aliasNode `parser:"@@*"`
	End          *wantQuery   `parser:"@@"`
}

// aliasNode gives a relation an alias.
type aliasNode struct {
	Name      lexer.Token `parser:"'relation' ( @Ident"`
	NameErr   *wantName   `parser:"| @@ )"`
	EqualsErr *wantTarget `parser:"( '=' | @@ )"`
	Target    lexer.Token `parser:"( @( Ident | String )"`
	TargetErr *wantTarget `parser:"| @@ )"`
	Inverse   bool        `parser:"@Inverse?"`
}

// queryNode is a template.
type queryNode struct {
	Name      lexer.Token   `parser:"'query' ( @Ident"`
	NameErr   *wantName     `parser:"| @@ )"`
	Params    []*paramNode  `parser:"( '(' ( @@ ( ',' @@ )* )?"`
	ParamsErr *wantParams   `parser:"( ')' | @@ ) )?"`
	Wants     *wantsNode    `parser:"@@?"`
	Free      lexer.Token   `parser:"( @Ident"`
	FreeErr   *wantFree     `parser:"| (?! '=' ) @@ )?"` // a sentence has none
	Others    []*answerNode `parser:"( ',' @@ )*"`
	Type      *typeNode     `parser:"( ':' @@ )?"`
	// The word show is not a keyword elsewhere.
	Show      []*variableNode `parser:"( 'show' @@ ( ',' @@ )* )?"`
	EqualsErr *wantEquals     `parser:"( '=' | @@ )"`
	Formula   *impliesNode    `parser:"@@"`
	End       *wantEnd        `parser:"@@"`
}

// paramNode is a parameter, whose kind may follow a later parameter.
type paramNode struct {
	Name lexer.Token `parser:"( @Ident"`
	Err  *wantParams `parser:"| @@ )"`
	// The words number and date are not keywords elsewhere.
	Kind string `parser:"@( 'entity' | 'relation' | 'number' | 'date' )?"`
}

// wantsNode is the word for a kind of question, such as count, before the answer variable. It is not a keyword
// elsewhere: an answer variable may have the same name.
type wantsNode struct{ kind.Question }

// Parse consumes the word if an answer variable follows it.
func (n *wantsNode) Parse(lex *lexer.PeekingLexer) error {
	var known bool
	n.Question, known = kind.QuestionNamed(lex.Peek().Value)
	before := lex.MakeCheckpoint()
	word := lex.Next()
	free := lex.Next()
	if known && word.Type == token.Ident && free.Type == token.Ident && endsAnswers(lex.Peek()) {
		lex.LoadCheckpoint(before)
		lex.Next()
		return nil
	}
	lex.LoadCheckpoint(before)
	return participle.NextMatch
}

// endsAnswers reports whether a token may follow an answer variable.
func endsAnswers(t *lexer.Token) bool {
	return slices.Contains([]string{":", "=", ",", "show"}, t.Value)
}

// answerNode is an answer variable after the first.
type answerNode struct {
	Token lexer.Token `parser:"@Ident"`
	Err   *wantFree   `parser:"| @@"`
}

// headedNode is a text of a single formula with a head of answer variables, behind the kind of question.
type headedNode struct {
	Free     lexer.Token   `parser:"@Ident"`
	Others   []*answerNode `parser:"( ',' @@ )*"`
	ColonErr *wantColon    `parser:"( ':' | @@ )"`
	formulaNode
}

// formulaNode is a text of a single formula.
type formulaNode struct {
	Formula *impliesNode `parser:"@@"`
	End     *wantEnd     `parser:"@@"`
}

// impliesNode is an implication, or a formula without an arrow.
type impliesNode struct {
	Pos  lexer.Position
	If   *orNode   `parser:"@@"`
	Then *orNode   `parser:"( Implies @@"`
	End  *oneArrow `parser:"@@ )?"`
}

// orNode is a disjunction of one or more conjunctions.
type orNode struct {
	Pos  lexer.Position
	Args []*andNode `parser:"@@ ( Or @@ )*"`
}

// andNode is a conjunction of one or more operands.
type andNode struct {
	Pos  lexer.Position
	Args []*operandNode `parser:"@@ ( And @@ )*"`
}

// operandNode is an operand of &; one field is set.
type operandNode struct {
	Pos    lexer.Position
	Not    *operandNode `parser:"Not @@"`
	Exists *existsNode  `parser:"| @@"`
	Choice *choiceNode  `parser:"| @@"`
	Group  *groupNode   `parser:"| @@"`
	Atom   *atomNode    `parser:"| @@"`
	Err    *wantFormula `parser:"| @@"`
}

// existsNode is a quantifier with the formula in its scope.
type existsNode struct {
	Forall bool            `parser:"( @Forall | Exists )"`
	Vars   []*variableNode `parser:"@@ ( ',' @@ )*"`
	DotErr *wantVariables  `parser:"( '.' | @@ )"`
	Body   *impliesNode    `parser:"@@"`
}

// variableNode is a variable of a quantifier.
type variableNode struct {
	Token lexer.Token    `parser:"@Ident"`
	Err   *wantVariables `parser:"| @@"`
}

// groupNode is a formula in parentheses.
type groupNode struct {
	Body *impliesNode `parser:"'(' @@"`
	Err  *wantClose   `parser:"( ')' | @@ )"`
}

// choiceNode is a path of several relations with its arguments; scan marks its parentheses.
type choiceNode struct {
	Pos       lexer.Position
	Relations []*relationNode `parser:"Choice @@ ( Or @@ )* ChoiceEnd"`
	Applied   *appliedNode    `parser:"@@"`
}

// relationNode is a relation of a choice.
type relationNode struct {
	Name    lexer.Token `parser:"@( Ident | String | Param )"`
	Inverse bool        `parser:"@Inverse?"`
}

// atomNode is a relation with its arguments, an inequality, the type of a variable, or a comparison with an
// attribute's value.
type atomNode struct {
	First   lexer.Token  `parser:"@( Ident | String | Param )"`
	Other   *argNode     `parser:"( Unequal @@"`
	Type    *typeNode    `parser:"| ':' @@"`
	Applied *appliedNode `parser:"| @@"`
	Compare *compareNode `parser:"( @@"`
	Range   *rangeNode   `parser:"| @@ )? )"`
}

// compareNode compares the value of an attribute.
type compareNode struct {
	Operator lexer.Token `parser:"@( Compare | Unequal | '=' )"`
	Value    valueNode   `parser:"@@"`
}

// rangeNode compares the value of an attribute with the ends of a range. The word in is no keyword elsewhere.
type rangeNode struct {
	In      lexer.Token `parser:"@( In | 'in' )"`
	Least   valueNode   `parser:"@@"`
	Dots    lexer.Token `parser:"( @Range"`
	DotsErr *wantDots   `parser:"| @@ )"`
	Most    valueNode   `parser:"@@"`
}

// valueNode is a value to compare with.
type valueNode struct {
	Token lexer.Token `parser:"@( Number | String | Param )"`
	Err   *wantValue  `parser:"| @@"`
}

// appliedNode holds the bounds and the arguments of a relation.
type appliedNode struct {
	Pos      lexer.Position
	Inverse  bool           `parser:"@Inverse?"`
	Bounds   *lexer.Token   `parser:"@Bounds?"`
	OpenErr  *wantOpen      `parser:"( '(' | @@ )"`
	Args     []*argNode     `parser:"@@ ( ',' @@ )*"`
	CloseErr *wantArguments `parser:"( ')' | @@ )"`
}

// argNode is an argument of an atom.
type argNode struct {
	Token lexer.Token    `parser:"@( Ident | String | Param )"`
	Err   *wantArguments `parser:"| @@"`
}

// typeNode is a type, with or without a relation: City, instance_of("City").
type typeNode struct {
	Name     lexer.Token  `parser:"( @( Ident | String )"`
	NameErr  *wantType    `parser:"| @@ )"`
	Inverse  bool         `parser:"( ( @Inverse"`
	OpenErr  *wantOpen    `parser:"( '(' | @@ ) | '(' )"`
	Entity   *lexer.Token `parser:"( @( Ident | String )"`
	CloseErr *wantType    `parser:"| @@ ) ( ')' | @@ ) )?"`
}

// The parsers, one for each kind of text. Each is built on first use, so that a program that parses nothing
// starts fast.
var (
	headParser   = buildParser[headNode]()
	queryParser  = buildParser[queryNode]()
	soleParser   = buildParser[formulaNode]()
	headedParser = buildParser[headedNode]()
)

// buildParser returns a function that returns the parser of a grammar.
func buildParser[N any]() func() *participle.Parser[N] {
	return sync.OnceValue(func() *participle.Parser[N] {
		return participle.MustBuild[N](participle.Lexer(token.Rules), participle.UseLookahead(0))
	})
}
