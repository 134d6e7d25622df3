package sparql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// misfit reports the token where the grammar goes no further.
func (p *parser) misfit(err error, tokens []lexer.Token) {
	u, ok := errors.AsType[*participle.UnexpectedTokenError](err)
	if !ok {
		p.add(position(tokens[0].Pos), "", "%s", err)
		return
	}
	t := u.Unexpected
	pos, text := position(t.Pos), clip(t.Value)
	open, closed := innermost(tokens, t)
	switch {
	case t.EOF() && open != nil:
		p.add(pos, "", "the query ends, but the %q at %d:%d is not closed", open.Value, open.Pos.Line, open.Pos.Column)
	case t.EOF():
		p.add(pos, "a query is written SELECT ?y { … } or ASK { … }", "the query ends where more must follow")
	case t.Type == badToken && strings.Contains(`"'`, t.Value):
		p.add(pos, "text of several lines has three quotation marks at each end", "the literal is not closed")
	case t.Value == "<":
		p.add(pos, "an IRI ends in > and has neither blanks nor quotation marks; others of its characters are written %20, …", "the IRI is not closed")
	case t.Type == opToken && strings.Contains("})]", t.Value) && closed:
		p.add(pos, "", "%q closes nothing", t.Value)
	case t.Type == wordToken && !keywords[strings.ToUpper(t.Value)]:
		p.add(pos, fmt.Sprintf("a name of the graph is written :%s, a variable ?%[1]s", text), "%s cannot stand here", text)
	default:
		p.add(pos, wanted(u), "%q cannot stand here", text)
	}
}

// innermost returns the bracket that is open before a token, nil if there is none, and whether
// the token closes one that is not open.
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

// wanted says what could stand instead, where the grammar wants one text and not a part of
// its own.
func wanted(u *participle.UnexpectedTokenError) string {
	message := u.Message()
	what := strings.TrimSuffix(message[strings.LastIndex(message, " ")+1:], ")")
	if len(what) > 2 && what[0] == '"' && what[len(what)-1] == '"' {
		return "want " + what
	}
	return ""
}

// clip cuts what is quoted in a message.
func clip(text string) string {
	const most = 60
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}
