package lang

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/runtime/kind"
)

// ParseFile parses and checks an .efo file. The name is used only in positions. The error is an ErrorList with the
// errors of all queries. Even then it returns the file with the correct queries, unless there is an error before the
// first query.
func ParseFile(name string, text []byte) (*File, error) {
	p := newParser(name, string(text))
	tokens, comments := p.scan(limits.FileBytes, "a file")
	if tokens == nil {
		return nil, p.err()
	}
	// A query keyword always starts a query, so each query is parsed separately and a syntax error affects only
	// one.
	parts := token.Split(tokens)
	p.scope = &scope{aliases: map[string]*ast.Alias{}, used: map[string]bool{}}
	file := p.head(parts[0])
	headless := len(p.errs) > 0
	queries := make(map[int]*Query, len(parts)) // by the offset of their first token
	for _, part := range parts[1:] {
		q := p.declared(part, file.all)
		queries[part[0].Pos.Offset] = q
		file.all = append(file.all, q)
	}
	for _, q := range file.all {
		if len(q.mistakes) > 0 {
			p.errs = append(p.errs, q.mistakes...)
			file.Refused = append(file.Refused, q)
		} else {
			file.Queries = append(file.Queries, q)
		}
	}
	p.checkUsed(file)
	err := p.err()
	if headless {
		return nil, err
	}
	attachComments(file, queries, tokens, comments)
	return file, err
}

// ParseFormula parses and checks an ad-hoc question. A formula with one unbound variable asks for the values of that
// variable; a formula without one, a sentence, asks yes or no. A head before the formula asks for several variables,
// x, y: …, or for the number of answers, count y: …. The error is an ErrorList.
func ParseFormula(text string) (*Query, error) {
	return parseSole(text, (*parser).adHocFree)
}

// parseSole parses and checks a text of a single formula; declare sets what the head of a template would
// declare.
func parseSole(text string, declare func(*parser, *Query)) (*Query, error) {
	p := newParser("", text)
	q := p.sole()
	if q == nil {
		return nil, p.err()
	}
	p.takeTypeFilter(q)
	if len(p.errs) == 0 {
		declare(p, q)
	}
	if len(p.errs) == 0 {
		p.checkTypeFilter(q)
		if err := q.Normalize(); err != nil {
			return nil, err
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return q, nil
}

// adHocFree finds the free variable of an ad-hoc question without a head: its only unbound variable. A sentence
// has none.
func (p *parser) adHocFree(q *Query) {
	if q.Free != "" {
		return
	}
	free := unbound(q.Formula, nil, nil)
	switch len(free) {
	case 0:
	case 1:
		q.Free, q.FreePos = free[0].Name, free[0].Pos
	default:
		all := strings.Join(ast.Names(free), ", ")
		at := free[1]
		hint := fmt.Sprintf("ask for all of them: %s: …; or bind all but one: exists %s. …", all, strings.Join(ast.Names(free[1:]), ", "))
		near := []string(nil)
		if i := slices.IndexFunc(free, func(t ast.Term) bool { return looksLikeEntity(t.Name) }); i >= 0 {
			at = free[i]
			near = quoteAll([]string{free[i].Name})
			hint = "an entity is quoted: " + near[0]
		}
		e := p.add(at.Pos, hint, "the formula has several free variables: %s", all)
		e.Nearest = near
		e.bare = free
	}
}

// unbound appends to found the variables that no quantifier binds, each at its first position, in source order.
func unbound(f ast.Formula, bound, found []ast.Term) []ast.Term {
	bound = slices.Concat(bound, ast.Quantified(f))
	for _, t := range ast.Terms(f) {
		if t.Kind == ast.Variable && !ast.HasName(bound, t.Name) && !ast.HasName(found, t.Name) {
			found = append(found, *t)
		}
	}
	for _, part := range ast.Parts(f) {
		found = unbound(part, bound, found)
	}
	return found
}

// parser is the state of one parse.
type parser struct {
	reporter
	scope *scope // the file's
}

// newParser returns a parser of a text.
func newParser(name, text string) *parser {
	return &parser{reporter: reporter{src: &ast.Source{Name: name, Text: text}}}
}

// Hints for the clauses below the package clause.
var (
	semanticsHint = "choose one of " + strings.Join(ast.Semantics, ", ")
	layersHint    = fmt.Sprintf("choose a number from 1 to %d, or leave the clause out for one more than there are variables", limits.Layers)
)

// head parses the head of a file, before its first query.
func (p *parser) head(tokens []lexer.Token) *File {
	file := &File{}
	node := run(p, headParser(), tokens)
	if node == nil {
		return file
	}
	if t := node.Package; t != nil {
		file.Package = t.Value
	}
	if t := node.Semantics; t != nil {
		file.Semantics = t.Value
		if !slices.Contains(ast.Semantics, t.Value) {
			p.add(position(t.Pos), semanticsHint, "unknown semantics %q", token.Clip(t.Value, token.MaxClip))
		}
	}
	if t := node.Layers; t != nil {
		n, err := strconv.Atoi(t.Value)
		file.Layers = n
		if err != nil || n < 1 || n > limits.Layers {
			p.add(position(t.Pos), layersHint, "the number of layers is %s", token.Clip(t.Value, token.MaxClip))
		}
	}
	for _, a := range node.Aliases {
		target := ast.Relation{Name: p.name(a.Target), Inverse: a.Inverse, Pos: position(a.Target.Pos)}
		alias := &ast.Alias{Name: a.Name.Value, Relation: target, Pos: position(a.Name.Pos)}
		if before := p.scope.aliases[alias.Name]; before != nil {
			p.add(alias.Pos, "", "%s already stands for a relation, by %s", alias.Name, at(before.Pos))
			continue
		}
		p.scope.aliases[alias.Name] = alias
		file.Aliases = append(file.Aliases, alias)
	}
	return file
}

// checkUsed reports aliases that no template uses, unless one of them has mistakes.
func (p *parser) checkUsed(file *File) {
	for _, a := range file.Aliases {
		if !p.scope.used[a.Name] && len(file.Refused) == 0 {
			p.add(a.Pos, "leave it out", "%s stands for a relation, but no query uses it", a.Name)
		}
	}
}

// declared parses a template after others, and checks it. After a syntax error, it has only a name.
func (p *parser) declared(tokens []lexer.Token, others []*Query) *Query {
	before := len(p.errs)
	q := p.query(tokens)
	if q == nil {
		q = &Query{} // it may have a comment
		if tokens[1].Type == token.Ident {
			q.Name = tokens[1].Value
		}
	} else if i := slices.IndexFunc(others, func(o *Query) bool { return o.Name == q.Name }); i >= 0 {
		p.add(q.Pos, "", "query %s is already declared at %s", q.Name, at(others[i].Pos))
	}
	q.scope = p.scope
	own := reporter{p.src, p.errs[before:]}
	p.errs = p.errs[:before:before]
	if len(own.errs) > 0 && q.Formula != nil {
		_, c := check(q, true)
		own.errs = slices.Concat(own.errs, c.errs)
	}
	if own.err() != nil {
		q.mistakes = own.errs // sorted, with their lines
	} else if err := q.Normalize(); err != nil {
		q.mistakes = err.(ErrorList)
	}
	return q
}

// query parses a template; it returns nil after a syntax error.
func (p *parser) query(tokens []lexer.Token) *Query {
	node := run(p, queryParser(), tokens)
	if node == nil {
		return nil
	}
	q := &Query{
		Name:    node.Name.Value,
		Params:  p.params(node.Params),
		Free:    node.Free.Value,
		FreePos: position(node.Free.Pos),
		Formula: p.formula(node.Formula),
		Pos:     position(node.Name.Pos),
		Source:  p.src,
	}
	if node.Wants != nil {
		q.Wants = node.Wants.Question
	}
	p.others(q, node.Others)
	p.clauses(q, node)
	return q
}

// clauses converts the clauses about answers in a template's head.
func (p *parser) clauses(q *Query, node *queryNode) {
	if node.Type != nil {
		q.TypeFilter = p.typeFilter(node.Free, node.Type)
	}
	for _, v := range node.Show {
		q.Show = append(q.Show, p.term(v.Token))
	}
	p.takeTypeFilter(q)
	p.checkTypeFilter(q)
	p.checkShow(q)
	if e := q.unwanted(); e != nil {
		p.errs = append(p.errs, e)
	}
	if q.Wants != kind.Answers && len(q.Show) > 0 {
		p.add(q.Show[0].Pos, fmt.Sprintf("leave out %s or show", q.Wants), "a %s of answers has no values of %s to show", q.Wants, q.Show[0].Name)
	}
}

// checkShow reports shown variables that are not existential variables of the formula.
func (p *parser) checkShow(q *Query) {
	var known []string
	ast.Walk(q.Formula, func(f ast.Formula) { known = append(known, ast.Names(ast.Quantified(f))...) })
	for i, v := range q.Show {
		switch {
		case ast.HasName(q.Show[:i], v.Name):
			p.add(v.Pos, "", "variable %s is to be shown twice", v.Name)
		case ast.HasName(q.Variables(), v.Name):
			p.add(v.Pos, "show variables under exists", "variable %s is the answer itself", v.Name)
		case !slices.Contains(known, v.Name):
			p.add(v.Pos, cmp.Or(nearest.Hint(nearest.Names(v.Name, known, nearest.Max)), "show variables under exists"), "the formula has no variable %s under exists", v.Name)
		}
	}
}

// sole parses a text of a single formula, optionally with a head; it returns nil after a syntax error.
func (p *parser) sole() *Query {
	tokens, _ := p.scan(limits.FormulaBytes, "a formula")
	if tokens == nil {
		return nil
	}
	q := &Query{Source: p.src}
	var node *formulaNode
	if asks, counts := wanted(tokens); counts {
		q.Wants = asks
		tokens = tokens[1:]
	}
	if headed(tokens, q.Wants) {
		whole := run(p, headedParser(), tokens)
		if whole == nil {
			return nil
		}
		q.Free = whole.Free.Value
		q.FreePos = position(whole.Free.Pos)
		p.others(q, whole.Others)
		node = &whole.formulaNode
	} else {
		node = run(p, soleParser(), tokens)
	}
	if node == nil {
		return nil
	}
	q.Formula = p.formula(node.Formula)
	if len(p.errs) > 0 {
		return nil
	}
	q.Pos = q.Formula.Position()
	if e := q.unwanted(); e != nil {
		p.errs = append(p.errs, e)
		return nil
	}
	return q
}

// wanted returns the kind of question that a text starts with, such as count, and whether there is one.
func wanted(tokens []lexer.Token) (kind.Question, bool) {
	wants, known := kind.QuestionNamed(tokens[0].Value)
	return wants, known && len(tokens) > 2 && tokens[0].Type == token.Ident && tokens[1].Type == token.Ident && endsAnswers(&tokens[2])
}

// headed reports whether a text starts with a head of answer variables. That of a count is none if their type follows, which
// names the variable: count y: City & …
func headed(tokens []lexer.Token, wants kind.Question) bool {
	if len(tokens) < 3 || tokens[0].Type != token.Ident {
		return false
	}
	return token.IsPunct(tokens[1], ",") || wants != kind.Answers && !typed(tokens[1:])
}

// typed reports whether a colon and a type of answers come first.
func typed(tokens []lexer.Token) bool {
	if !token.IsPunct(tokens[0], ":") || len(tokens) < 3 {
		return false
	}
	behind := tokens[2:]
	if behind[0].Type == token.Inverse {
		behind = behind[1:]
	}
	if len(behind) > 3 && token.IsPunct(behind[0], "(") && token.IsPunct(behind[2], ")") {
		behind = behind[3:]
	}
	return len(behind) > 0 && behind[0].Type == token.And
}

// others sets the answer variables after the first.
func (p *parser) others(q *Query, nodes []*answerNode) {
	for _, n := range nodes {
		q.Others = append(q.Others, p.term(n.Token))
	}
}

// run runs a parser of the grammar on tokens that end with an end-of-text token; it returns nil after a syntax
// error.
func run[N any](p *parser, parser *participle.Parser[N], tokens []lexer.Token) *N {
	if deep, pos := nesting(tokens); deep > limits.Nesting {
		p.add(pos, "", "the formula nests %d deep, over the limit of %d", deep, limits.Nesting)
		return nil
	}
	lex, err := lexer.Upgrade(&token.Replay{Tokens: tokens})
	if err == nil {
		var node *N
		node, err = parser.ParseFromLexer(lex)
		if err == nil {
			return node
		}
	}
	var mistake *Error
	if !errors.As(err, &mistake) {
		mistake = &Error{Pos: position(tokens[0].Pos), Msg: err.Error()}
	}
	p.errs = append(p.errs, mistake)
	return nil
}
