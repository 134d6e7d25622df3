package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang/ast"
)

// maxShown is how many errors of a list are shown.
const maxShown = 10

// Error is an error in a query.
type Error struct {
	Pos ast.Pos
	// Msg describes the mistake; it starts with a lower-case letter and quotes offending names.
	Msg string
	// Hint says what to do instead; it may be empty.
	Hint string
	// Nearest are possible corrections, written as in a query, likeliest first. The hint offers them too.
	Nearest []string
	// Line is the source line of Pos, empty if the source is not known.
	Line string
	// Unknown says that the vocabulary lacks or refuses the name at Pos. Query.Resolve sets it.
	Unknown bool

	// bare are the variables at fault, which Unquoted looks up among the entities; src holds their lines.
	bare []ast.Term
	src  *ast.Source
}

// Errorf returns an error at a position in the query's text.
func (q *Query) Errorf(pos ast.Pos, hint, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint, Line: q.Source.Line(pos)}
}

// Error returns the one-line form, file:line:col: message.
func (e *Error) Error() string { return e.head("") }

// Render returns the full form: message, source line, caret and hint. It ends
// with a newline.
func (e *Error) Render() string { return e.render("") }

// head returns the one-line form, with a prefix to the message.
func (e *Error) head(kind string) string {
	if !e.Pos.IsValid() {
		return kind + e.Msg
	}
	return e.Pos.String() + ": " + kind + e.Msg
}

// render returns the full form, with a prefix to the message.
func (e *Error) render(kind string) string {
	text := e.head(kind) + "\n" + excerpt(e.Line, e.Pos.Col)
	if e.Hint != "" {
		text += "\thint: " + e.Hint + "\n"
	}
	return text
}

// ErrorList is one or more errors, sorted by position.
type ErrorList []*Error

// Error returns the one-line forms, at most ten.
func (l ErrorList) Error() string {
	return strings.TrimSuffix(l.shown(func(e *Error) string { return e.Error() + "\n" }), "\n")
}

// Render returns the full forms, at most ten. It ends with a newline.
func (l ErrorList) Render() string { return l.shown((*Error).Render) }

// shown joins at most ten errors, each formatted by form.
func (l ErrorList) shown(form func(*Error) string) string {
	var b strings.Builder
	for _, e := range l[:min(len(l), maxShown)] {
		b.WriteString(form(e))
	}
	if more := len(l) - maxShown; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

// Unwrap gives the single errors to errors.As.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Mistake returns an error about the query as a whole, with its position and name.
func (q *Query) Mistake(hint, format string, args ...any) ErrorList {
	msg := fmt.Sprintf(format, args...)
	if q.Name != "" {
		msg = "query " + q.Name + ": " + msg
	}
	return ErrorList{q.Errorf(q.Pos, hint, "%s", msg)}
}

// Warning is about something legal that is probably a mistake.
type Warning Error

// String returns the one-line form.
func (w Warning) String() string { return (*Error)(&w).head("warning: ") }

// MarshalText returns the one-line form.
func (w Warning) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// Render returns the full form: message, source line, caret and hint. It ends
// with a newline.
func (w Warning) Render() string { return (*Error)(&w).render("warning: ") }

// reporter collects mistakes.
type reporter struct {
	src  *ast.Source
	errs ErrorList
}

// add records a mistake and returns it.
func (r *reporter) add(pos ast.Pos, hint, format string, args ...any) *Error {
	e := &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
	r.errs = append(r.errs, e)
	return e
}

// err returns the mistakes as an error, sorted and without repetitions; nil if there are none. Only the
// mistakes that are shown get their source lines.
func (r *reporter) err() error {
	if len(r.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Offset, b.Pos.Offset), cmp.Compare(a.Msg, b.Msg))
	})
	r.errs = slices.CompactFunc(r.errs, func(a, b *Error) bool {
		return a.Pos == b.Pos && a.Msg == b.Msg
	})
	for _, e := range r.errs[:min(len(r.errs), maxShown)] {
		e.Line = r.src.Line(e.Pos)
		e.src = r.src
	}
	return r.errs
}

// warnings returns the collected mistakes as warnings, sorted likewise.
func (r *reporter) warnings() []Warning {
	r.err()
	var out []Warning
	for _, e := range r.errs {
		e.Line = r.src.Line(e.Pos)
		out = append(out, Warning(*e))
	}
	return out
}

// quoteAll quotes the names.
func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return quoted
}
