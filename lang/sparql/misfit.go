package sparql

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/nearest"
)

// maxClip is the number of characters of a token that a message quotes.
const maxClip = 60

// misfit reports the token at which the grammar fails.
func (p *parser) misfit(err error, tokens []lexer.Token) {
	u, ok := errors.AsType[*participle.UnexpectedTokenError](err)
	if !ok {
		p.add(position(tokens[0].Pos), "", "%s", err)
		return
	}
	t := u.Unexpected
	pos := position(t.Pos)
	text := token.Clip(t.Value, maxClip)
	open, closed := innermost(tokens, t)
	switch {
	case t.EOF() && open != nil:
		p.add(pos, "", "the query ends, but the %q at %d:%d is not closed", open.Value, open.Pos.Line, open.Pos.Column)
	case t.EOF():
		p.add(pos, "a query is written SELECT ?y { … } or ASK { … }", "the query ends where more must follow")
	case t.Value == "<":
		p.add(pos, "an IRI ends in > and has neither blanks nor quotation marks; others of its characters are written %20, …", "the IRI is not closed")
	case t.Type == opToken && strings.Contains("})]", t.Value) && closed:
		p.add(pos, "", "%q closes nothing", t.Value)
	case t.Type == wordToken && strings.EqualFold(t.Value, "FILTER"):
		p.add(pos, "a filter compares, as in FILTER(?y != :Peru), or is FILTER NOT EXISTS { … }", "this FILTER cannot be read")
	case t.Type == wordToken && !keywords[strings.ToUpper(t.Value)]:
		hint := fmt.Sprintf("a name of the graph is written :%s, a variable ?%[1]s", text)
		if near := nearest.Names(strings.ToUpper(t.Value), slices.Sorted(maps.Keys(keywords)), 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
		p.add(pos, hint, "%s cannot stand here", text)
	default:
		p.add(pos, wanted(u), "%q cannot stand here", text)
	}
}

// slips maps operators of other languages to SPARQL's.
var slips = map[string]string{"=>": ">=", "=<": "<=", "==": "=", "<>": "!=", "&": "&&"}

// slip explains a token that cannot follow those before it in any context; the mistake is empty for other
// tokens.
func slip(before []lexer.Token, t lexer.Token) (mistake, hint string) {
	text := t.Value
	if last := len(before) - 1; last >= 0 && before[last].Value == "=" && before[last].Pos.Offset+1 == t.Pos.Offset {
		text = "=" + text
	}
	switch instead := slips[text]; {
	case instead != "":
		return fmt.Sprintf("SPARQL has no %s", text), "write " + instead
	case t.Type != badToken:
		return "", ""
	case t.Value == `"` || t.Value == "'":
		return "the literal is not closed", "text of several lines has three quotation marks at each end"
	}
	return fmt.Sprintf("%q cannot stand here", t.Value), ""
}

// innermost returns the innermost bracket open before a token, nil if there is none, and whether the token
// closes a bracket that is not open.
func innermost(tokens []lexer.Token, at lexer.Token) (open *lexer.Token, closes bool) {
	var stack []*lexer.Token
	for i := range tokens {
		t := &tokens[i]
		if t.Pos.Offset >= at.Pos.Offset {
			break
		}
		switch {
		case t.Type != opToken:
		case strings.Contains("{([", t.Value):
			stack = append(stack, t)
		case strings.Contains("})]", t.Value) && len(stack) > 0:
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return nil, true
	}
	return stack[len(stack)-1], false
}

// wanted returns the text that the grammar expects, if there is only one.
func wanted(u *participle.UnexpectedTokenError) string {
	message := u.Message()
	what := strings.TrimSuffix(message[strings.LastIndex(message, " ")+1:], ")")
	if len(what) > 2 && what[0] == '"' && what[len(what)-1] == '"' {
		return "want " + what
	}
	return ""
}
