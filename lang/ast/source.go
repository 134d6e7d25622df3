package ast

import "strings"

// Source is a parsed text.
type Source struct {
	Name string
	Text string
}

// Line returns the source line that holds pos, without its line end.
func (s *Source) Line(pos Pos) string {
	if s == nil || !pos.IsValid() || pos.Offset > len(s.Text) {
		return ""
	}
	start := strings.LastIndexByte(s.Text[:pos.Offset], '\n') + 1
	rest := s.Text[start:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.TrimSuffix(rest, "\r")
}

// Pos returns the position of a byte offset, which must be the start of a
// character.
func (s *Source) Pos(offset int) Pos {
	before := s.Text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return Pos{
		File:   s.Name,
		Line:   1 + strings.Count(before, "\n"),
		Col:    1 + len([]rune(before[start:])),
		Offset: offset,
	}
}
