package sparql

import (
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

// parser is the state of one parse.
type parser struct {
	text     string
	query    *lang.Query
	request  *Request
	errs     lang.ErrorList
	prefixes map[string]string
	base     string
	free     string            // the answer variable, once known
	others   []string          // further answer variables
	taken    map[string]bool   // names of variables
	made     map[string]string // variables of blank nodes by label, and labels or path steps by variable
	values   map[string]bool   // variables for values
	valued   []ast.Term        // those in triples that a SELECT can name
	lone     bool              // whether every variable refers to an answer
	frame    *frame
	// block numbers the current group of triples, last is the last number given, and blocks maps each label of a
	// blank node to its block, since two blocks must not share a label.
	block, last int
	steps       int // of repeated paths
	blocks      map[string]int
}

// add records a mistake, up to a maximum number.
func (p *parser) add(pos ast.Pos, hint, format string, args ...any) {
	if len(p.errs) < 10 {
		p.errs = append(p.errs, p.query.Errorf(pos, hint, format, args...))
	}
}

func newParser(text string) *parser {
	return &parser{
		text: text, query: &lang.Query{Source: &ast.Source{Text: text}}, request: &Request{}, taken: map[string]bool{}, made: map[string]string{},
		blocks: map[string]int{}, prefixes: map[string]string{"": namespace, "efoc": namespace},
	}
}

// scope holds the variables of a group.
type scope struct {
	order []string            // by first appearance
	seen  map[string]ast.Term // at their first positions
	bound map[string]bool     // bound in every solution
}

func newScope() *scope {
	return &scope{seen: map[string]ast.Term{}, bound: map[string]bool{}}
}

// see records a variable.
func (s *scope) see(t ast.Term) {
	if _, ok := s.seen[t.Name]; !ok {
		s.order = append(s.order, t.Name)
		s.seen[t.Name] = t
	}
}

// bind records a bound variable.
func (s *scope) bind(t ast.Term) {
	s.see(t)
	s.bound[t.Name] = true
}

// frame is a part of the query in which only some outer variables are visible. Its other variables are local,
// even if an outer variable has the same name.
type frame struct {
	sees  func(name string) bool
	own   map[string]string // unique names of local variables
	outer *frame
}

// about splits the name of a variable that refers to another variable or to the row, such as y_label.
func (p *parser) about(name string) (key Key, of string) {
	for suffix, key := range suffixes {
		if n := len(name) - len(suffix); n > 0 && name[n:] == suffix && (p.taken[name[:n]] || name[:n] == "row" || p.lone) {
			return key, name[:n]
		}
	}
	return ByIRI, ""
}

// variableName returns the name of a variable without its mark. If it starts with a digit, a letter is
// prepended, as formulas require.
func variableName(text string) string {
	if name := text[1:]; name[0] > '9' {
		return name
	}
	return "v" + text[1:]
}

// namespace is the namespace of names that are not IRIs.
const namespace = "urn:efoc:"

// elsewhere is the hint for joins and counts of stored facts.
const elsewhere = "give the output of efoc export to a triple store; from there, SERVICE <…/sparql> { … } asks for predictions"
