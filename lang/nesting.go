package lang

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
)

// nesting returns the nesting depth of parentheses, negations and quantifiers in tokens, and the position of
// the first token over the limit. Parentheses around arguments do not count. It is not recursive, so it can
// guard a recursive parser.
func nesting(tokens []lexer.Token) (deepest int, over ast.Pos) {
	// A level is an open parenthesis. Its quantifiers, and the negations before them, extend to its end; other
	// negations extend to the next operator.
	type level struct{ negations, quantifiers int }
	open := []level{{}}
	depth := 0
	// deeper records one more level of nesting.
	deeper := func(t lexer.Token) {
		depth++
		deepest = max(deepest, depth)
		if depth == limits.Nesting+1 && !over.IsValid() {
			over = position(t.Pos)
		}
	}
	inArgs := false
	var last lexer.Token
	for _, t := range tokens {
		top := &open[len(open)-1]
		switch {
		case t.Type == token.Not:
			top.negations++
			deeper(t)
		case t.Type == token.Exists || t.Type == token.Forall:
			top.quantifiers += 1 + top.negations
			top.negations = 0
			deeper(t)
		case t.Type == token.And || t.Type == token.Or || t.Type == token.Implies:
			depth -= top.negations
			top.negations = 0
		case t.Type == token.Punct && t.Value == "(":
			switch last.Type {
			case token.Ident, token.String, token.Param, token.Inverse, token.Bounds, token.ChoiceEnd:
				inArgs = true
			default:
				open = append(open, level{})
				deeper(t)
			}
		case t.Type == token.Punct && t.Value == ")":
			if !inArgs && len(open) > 1 {
				depth -= 1 + top.negations + top.quantifiers
				open = open[:len(open)-1]
			}
			inArgs = false
		}
		last = t
	}
	return deepest, over
}
