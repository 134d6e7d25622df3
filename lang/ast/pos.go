package ast

import "fmt"

// Pos is a position in source text. Line and Col count from 1; Col counts Unicode code points.
// The zero Pos marks a node that was not parsed from a text.
type Pos struct {
	File string
	Line int
	Col  int
	// Offset is the byte offset into the text.
	Offset int
}

// Position returns p; formulas inherit it by embedding their positions.
func (p Pos) Position() Pos { return p }

// IsValid reports whether p is a position in a text.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String formats p as file:line:col, without the file if it is unknown.
func (p Pos) String() string {
	switch {
	case !p.IsValid():
		return "-"
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Col)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}
