package token

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Split cuts tokens before each query keyword that is not in the position of a relation. Each part ends with an
// end-of-text token, whose value is "query" if another part follows.
func Split(tokens []lexer.Token) [][]lexer.Token {
	var parts [][]lexer.Token
	start := 0
	for i, t := range tokens {
		if t.Type == Keyword && t.Value == "query" && !(i > 0 && WantsOperand(tokens[i-1]) && tokens[i+1].Value == "(") {
			end := lexer.EOFToken(t.Pos)
			end.Value = t.Value
			parts = append(parts, append(tokens[start:i:i], end))
			start = i
		}
	}
	return append(parts, tokens[start:])
}

// WantsOperand reports whether an atom can follow a token.
func WantsOperand(t lexer.Token) bool {
	switch t.Type {
	case And, Or, Not, Implies:
		return true
	case Punct:
		return t.Value == "=" || t.Value == "(" || t.Value == "."
	}
	return false
}

// IsWord reports whether a token is an identifier or a keyword that is a word.
func IsWord(t lexer.Token) bool {
	_, keyword := Keywords[t.Value]
	return keyword || t.Type == Ident
}

// IsPunct reports whether a token is the given sign.
func IsPunct(t lexer.Token, sign string) bool { return t.Type == Punct && t.Value == sign }

// MaxClip is the number of characters of a token that a message quotes.
const MaxClip = 60

// Clip cuts a text to at most n characters.
func Clip(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// ReadBounds reads the bounds of a path's length, {2} or {1,3}, at most limit. mistake is empty if they are valid.
func ReadBounds(text string, limit int) (least, most int, mistake, hint string) {
	first, last, several := strings.Cut(strings.Trim(text, "{}"), ",")
	if !several {
		last = first
	}
	first = strings.TrimSpace(first)
	last = strings.TrimSpace(last)
	least, err := strconv.Atoi(first)
	most, over := strconv.Atoi(last)
	switch {
	case err != nil || over != nil || most > limit && least <= most:
		return 0, 0, fmt.Sprintf("a path of %s steps is over the limit of %d atoms", Clip(last, MaxClip), limit), ""
	case most < least:
		return 0, 0, fmt.Sprintf("no path has at least %d and at most %d steps", least, most), "the smaller number comes first: r{1,3}"
	case most == 0:
		return 0, 0, "a path without steps leads nowhere", "a path has a step or more: r{1,3}"
	}
	return least, most, "", ""
}

// Name returns the name that an identifier, a $parameter or a quoted name denotes. Single and double quotes use the
// escapes of Go strings, and either quote may be escaped; backquotes have no escapes. If an escape is unknown, Name
// returns the text unchanged, and bad is the escape's offset in it; otherwise bad is negative.
func Name(t lexer.Token) (name string, bad int) {
	switch t.Type {
	case Param:
		return t.Value[1:], -1
	case String:
		return unquote(t.Value)
	}
	return t.Value, -1
}

func unquote(text string) (name string, bad int) {
	rest := text[1 : len(text)-1]
	if text[0] == '`' {
		return rest, -1
	}
	var b strings.Builder
	for rest != "" {
		if strings.HasPrefix(rest, `\"`) || strings.HasPrefix(rest, `\'`) {
			b.WriteByte(rest[1])
			rest = rest[2:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return text, len(text) - 1 - len(rest)
		}
		if r < utf8.RuneSelf || !multibyte {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
		rest = tail
	}
	return b.String(), -1
}
