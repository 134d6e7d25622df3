package lang

import "github.com/alecthomas/participle/v2/lexer"

// nesting returns how deep parentheses, negations and quantifiers nest in
// tokens, and the first token over the limit. Parentheses around arguments do
// not count. It needs no recursion, so that it can guard a parser that does.
func nesting(tokens []lexer.Token) (deepest int, over Pos) {
	type level struct{ negations, quantifiers int }
	open := []level{{}}
	depth := 0
	var last lexer.Token
	// deeper notes one more level of nesting.
	deeper := func(t lexer.Token) {
		depth++
		if deepest = max(deepest, depth); depth == MaxNesting+1 && !over.IsValid() {
			over = position(t.Pos)
		}
	}
	// operandEnds drops the negations of the operand that has ended.
	operandEnds := func() {
		top := &open[len(open)-1]
		depth -= top.negations
		top.negations = 0
	}
	inArgs := false
	for _, t := range tokens {
		top := &open[len(open)-1]
		switch {
		case t.Type == notToken:
			top.negations++
			deeper(t)
		case t.Type == existsToken:
			// A quantifier reaches to the end of the group, and so do the
			// negations before it.
			top.quantifiers += 1 + top.negations
			top.negations = 0
			deeper(t)
		case t.Type == punctToken && t.Value == "(":
			if last.Type == identToken || last.Type == stringToken || last.Type == paramToken || last.Type == inverseToken {
				inArgs = true
				break
			}
			open = append(open, level{})
			deeper(t)
		case t.Type == punctToken && t.Value == ")":
			switch {
			case inArgs:
				inArgs = false
			case len(open) > 1:
				depth -= 1 + top.negations + top.quantifiers
				open = open[:len(open)-1]
			}
			operandEnds()
		}
		last = t
	}
	return deepest, over
}

// depth returns how deep f nests when it is written with as few parentheses as
// possible; it stops counting soon after the limit. The formula is an operand
// of & or ¬ where inner is set, and nothing follows it where last is.
func depth(f Formula, level int, inner, last bool) int {
	if level > MaxNesting {
		return level
	}
	deepest := level
	switch f := f.(type) {
	case *Not:
		if _, ok := f.Arg.(*And); ok {
			level, last = level+1, true
		}
		return depth(f.Arg, level+1, true, last)
	case *Exists:
		if !last {
			level++
		}
		return depth(f.Body, level+1, false, true)
	case *Or:
		if inner && len(f.Args) > 1 {
			level, last = level+1, true
		}
		for i, a := range f.Args {
			deepest = max(deepest, depth(a, level, false, last && i == len(f.Args)-1))
		}
	case *And:
		for i, a := range f.Args {
			deepest = max(deepest, depth(a, level, true, last && i == len(f.Args)-1))
		}
	}
	return deepest
}
