// Package completion finds what can be typed at a position of a file.
package completion

import (
	"slices"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/runtime/kind"
)

// Place describes what can be typed at a position of a file.
type Place struct {
	// Start and End are the offsets of the word at the position, which a choice replaces. Typed is the part of the
	// word before the position, without its quote.
	Start, End int
	Typed      string
	// Keywords and Names are the candidates from the language and the file: variables, aliases, and parameters with a
	// dollar sign.
	Keywords, Names []string
	// Entities and Relations say that names of the model may be typed.
	Entities, Relations bool
}

// Words of the language, by context. Those that are not keywords elsewhere are in the grammar.
var (
	clauseWords  = []string{"package", "semantics", "layers", "relation", "query"}
	kindWords    = []string{"entity", "relation", "number", "date"}
	headWords    = []string{"show"}
	operandWords = []string{"exists", "forall", "not"}
	joinWords    = []string{"and", "or", "query"}
)

// At returns the place at a byte offset of a file. It reads tokens, not the grammar, because an unfinished file
// does not parse.
func At(text string, offset int) Place {
	place := Place{Start: offset, End: offset}
	if !utf8.ValidString(text) {
		return place
	}
	tokens, comments, err := token.Scan("", text)
	if err != nil || slices.ContainsFunc(comments, func(c lexer.Token) bool {
		return c.Pos.Offset < offset && offset <= c.Pos.Offset+len(c.Value)
	}) {
		return place
	}
	n := 0 // tokens before the word
	for !tokens[n].EOF() && tokens[n].Pos.Offset+len(tokens[n].Value) < offset {
		n++
	}
	word := tokens[n]
	end := word.Pos.Offset + len(word.Value)
	quoted := false
	switch {
	case word.EOF() || word.Pos.Offset >= offset:
	case word.Type == token.String && offset < end, word.Type == token.OpenString:
		quoted = true
		place.Start, place.Typed = word.Pos.Offset, text[word.Pos.Offset+1:offset]
		if word.Type == token.String {
			place.End = end
		}
	case word.Type == token.Param, word.Value == "$", token.IsWord(word):
		place.Start, place.End, place.Typed = word.Pos.Offset, end, text[word.Pos.Offset:offset]
	default:
		n++ // it ends at the position
	}
	place.fill(tokens[:n], tokens[n:])
	switch dollar := len(place.Typed) > 0 && place.Typed[0] == '$'; {
	case quoted:
		place.Keywords, place.Names = nil, nil
	case dollar:
		place.Keywords, place.Entities, place.Relations = nil, false, false
		place.Names = slices.DeleteFunc(place.Names, func(n string) bool { return n[0] != '$' })
	}
	return place
}

// fill sets what may stand between the tokens before and the tokens behind.
func (l *Place) fill(before, behind []lexer.Token) {
	// split looks one token ahead.
	parts := token.Split(append(slices.Clip(before), lexer.EOFToken(lexer.Position{}), lexer.EOFToken(lexer.Position{})))
	own := parts[len(parts)-1]
	own = own[:len(own)-2]
	var last lexer.Token
	if len(own) > 0 {
		last = own[len(own)-1]
	}
	if len(parts) == 1 { // no template yet
		switch {
		case last.Value == "package", last.Value == "layers", last.Value == "relation":
		case last.Value == "semantics":
			l.Keywords = ast.Semantics
		case token.IsPunct(last, "="):
			l.Relations = true
		default:
			l.Keywords = clauseWords
		}
		return
	}
	rest := token.Split(behind)
	d := declarations(append(slices.Clip(own), rest[0]...))
	aliases := shortNames(parts[0])
	if !slices.ContainsFunc(own, func(t lexer.Token) bool { return token.IsPunct(t, "=") }) {
		l.head(own, d, aliases)
		return
	}
	open := enclosing(own)
	arguments := open > 0 && !token.WantsOperand(own[open-1]) && own[open].Type != token.Choice
	switch {
	case comparing(own):
		l.Names = d.values
	case last.Type == token.Exists, last.Type == token.Forall, last.Type == token.Inverse, last.Type == token.Bounds, last.Type == token.ChoiceEnd:
	case token.IsPunct(last, ":"):
		l.Entities = true
		l.Relations = true
		l.Names = aliases
	case token.IsPunct(last, ",") && !arguments: // a variable of a quantifier
	case last.Type == token.Unequal, token.IsPunct(last, ","), token.IsPunct(last, "(") && arguments:
		l.Entities = true
		l.Names = d.terms
	case token.WantsOperand(last), last.Type == token.Choice:
		l.Relations = true
		l.Keywords = operandWords
		l.Names = slices.Concat(aliases, d.relations, d.terms)
	case !arguments && appliedToOne(own):
		l.Keywords = append(slices.Clip(joinWords), "in")
	case !arguments:
		l.Keywords = joinWords
	}
}

// appliedToOne reports whether the tokens end with a name applied to one argument, as an attribute is.
func appliedToOne(own []lexer.Token) bool {
	n := len(own)
	return n > 3 && token.IsPunct(own[n-1], ")") && token.IsPunct(own[n-3], "(") && !token.WantsOperand(own[n-4])
}

// comparing reports whether the tokens end with the operator of a filter or the dots of a range.
func comparing(own []lexer.Token) bool {
	n := len(own)
	if n < 2 {
		return false
	}
	last := own[n-1]
	if !token.IsPunct(own[n-2], ")") {
		return last.Type == token.Range
	}
	equals := func(t lexer.Token) bool { return token.IsPunct(t, "=") }
	return last.Type == token.Compare || last.Type == token.Unequal || token.IsIn(last) || equals(last) && slices.ContainsFunc(own[:n-1], equals)
}

// shortNames returns the aliases in the head of a file.
func shortNames(head []lexer.Token) (names []string) {
	for i, t := range head[:max(0, len(head)-2)] {
		if t.Type == token.Keyword && t.Value == "relation" && token.IsWord(head[i+1]) && token.IsPunct(head[i+2], "=") {
			names = append(names, head[i+1].Value)
		}
	}
	return names
}

// head sets the candidates in the head of a template, after the tokens in own.
func (l *Place) head(own []lexer.Token, d inScope, aliases []string) {
	open := enclosing(own)
	last := own[len(own)-1]
	switch {
	case open == 2 && last.Type == token.Ident:
		l.Keywords = kindWords
	case token.IsPunct(last, ":"):
		l.Entities = true
		l.Relations = true
		l.Names = aliases
	case open > 2 && token.IsPunct(last, "("):
		l.Entities = true
	case open < 0 && slices.ContainsFunc(own, func(t lexer.Token) bool { return t.Value == "show" }):
		if last.Value == "show" || token.IsPunct(last, ",") {
			l.Names = d.bound
		}
	case token.IsPunct(last, ","):
	case open < 0 && (len(own) == 2 || token.IsPunct(last, ")")) && !slices.ContainsFunc(own, func(t lexer.Token) bool { return token.IsPunct(t, ":") }):
		l.Keywords = kind.Words()
	case open < 0 && len(own) > 2:
		l.Keywords = headWords
	}
}

// inScope holds the names that a template declares, as its formula writes them.
type inScope struct {
	// terms may be arguments; relations and values are parameters for relations and values; bound are the variables
	// of quantifiers.
	terms, relations, values, bound []string
}

// declarations finds the names that a template declares, even if the template is faulty.
func declarations(tokens []lexer.Token) (d inScope) {
	rest := tokens[min(2, len(tokens)):]
	take := func(until ...string) (taken []string) { // words, up to a sign or word
		for len(rest) > 0 && !slices.Contains(until, rest[0].Value) {
			if token.IsWord(rest[0]) {
				taken = append(taken, rest[0].Value)
			}
			rest = rest[1:]
		}
		return taken
	}
	if len(rest) > 0 && token.IsPunct(rest[0], "(") {
		kind := "entity"
		for _, word := range slices.Backward(take(")")) {
			switch {
			case slices.Contains(kindWords, word):
				kind = word
			case kind == "relation":
				d.relations = append(d.relations, "$"+word)
			case kind != "entity":
				d.values = append(d.values, "$"+word)
			default:
				d.terms = append(d.terms, "$"+word)
			}
		}
	}
	free := take(":", "=", "show")
	if len(free) > 1 && slices.Contains(kind.Words(), free[0]) {
		free = free[1:]
	}
	d.terms = append(d.terms, free...)
	for len(rest) > 0 {
		quantifier := rest[0].Type == token.Exists || rest[0].Type == token.Forall
		rest = rest[1:]
		if quantifier {
			d.bound = append(d.bound, take(".", "=", "(")...)
		}
	}
	d.terms = append(d.terms, d.bound...)
	return d
}

// enclosing returns the index of the innermost parenthesis open at the end, -1 if there is none.
func enclosing(tokens []lexer.Token) int {
	depth := 0
	for i, t := range slices.Backward(tokens) {
		switch t.Value {
		case ")":
			depth++
		case "(":
			depth--
			if depth < 0 {
				return i
			}
		}
	}
	return -1
}
