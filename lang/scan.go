package lang

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
)

// scan splits the text into comments and tokens; the last token is the end of the text. It returns no tokens if
// the text is too long or not valid UTF-8.
func (p *parser) scan(limit int, what string) (tokens, comments []lexer.Token) {
	text := p.src.Text
	if len(text) > limit {
		p.add(p.src.Pos(0), "", "%s of %d bytes is over the limit of %d bytes", what, len(text), limit)
		return nil, nil
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)) {
			p.add(p.src.Pos(i), "", "the text is not valid UTF-8")
			return nil, nil
		}
	}
	tokens, comments, err := token.Scan(p.src.Name, text)
	if err != nil {
		p.add(p.src.Pos(0), "", "%s", err)
	}
	return tokens, comments
}

// position converts a token's position.
func position(p lexer.Position) ast.Pos {
	return ast.Pos{File: p.Filename, Line: p.Line, Col: p.Column, Offset: p.Offset}
}
