package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/query"
)

// problem is an error as clients see it.
type problem struct {
	// Status is that of the response.
	Status int `json:"-"`
	// Code names the kind of error, for programs.
	Code string `json:"code"`
	// Message is for people.
	Message string `json:"message"`
	// Suggestions are names that could have been meant.
	Suggestions []string `json:"suggestions,omitempty"`
	// Mistakes are the mistakes in the query with their positions.
	Mistakes []mistake `json:"mistakes,omitempty"`
	// RequestID is that of the log.
	RequestID string `json:"request_id"`
}

// mistake is a mistake in a query with its position.
type mistake struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Line and Column count from 1, columns in code points; 0 where the mistake
	// has no place.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Offset is in bytes; Length covers the token there, in code points.
	Offset int `json:"offset"`
	Length int `json:"length"`
	// SourceLine is the line of the query.
	SourceLine string `json:"source_line,omitempty"`
}

// Error returns the message.
func (p *problem) Error() string { return p.Message }

func badRequest(format string, args ...any) error {
	return &problem{Status: http.StatusBadRequest, Code: "bad_request", Message: fmt.Errorf(format, args...).Error()}
}

func tooCostly(format string, args ...any) error {
	return &problem{Status: http.StatusUnprocessableEntity, Code: "too_costly", Message: fmt.Sprintf(format, args...)}
}

// maxMistakes bounds the mistakes that are reported.
const maxMistakes = 10

// newProblem says what a client sees of an error.
func newProblem(err error) *problem {
	var p *problem
	var list lang.ErrorList
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &list):
		p = &problem{Status: http.StatusBadRequest, Code: "bad_query", Message: list.Error()}
		switch {
		case errors.As(err, &lang.UnknownNamesError{}):
			p.Status, p.Code = http.StatusNotFound, "unknown_name"
		case errors.As(err, &compiler.RefusedError{}):
			p.Status, p.Code = http.StatusUnprocessableEntity, "cannot_compile"
		}
		for _, e := range list[:min(len(list), maxMistakes)] {
			p.Mistakes = append(p.Mistakes, mistake{
				Message: e.Msg, Hint: e.Hint, Line: e.Pos.Line, Column: e.Pos.Col, Offset: e.Pos.Offset,
				Length: extent(e.Line, e.Pos.Col), SourceLine: e.Line,
			})
		}
		return p
	case errors.As(err, &tooLarge):
		return &problem{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: fmt.Sprintf("the request is over the limit of %d bytes", tooLarge.Limit)}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{Status: http.StatusGatewayTimeout, Code: "deadline", Message: "the answer took longer than the server allows"}
	case errors.Is(err, context.Canceled):
		return &problem{Status: statusGone, Code: "gone", Message: "the client went away"}
	}
	return &problem{Status: http.StatusInternalServerError, Code: "internal", Message: "internal error; the log has more about this request"}
}

// statusGone is what the log has for a client that went away.
const statusGone = 499

// extent returns how many code points belong to the token in a column of a line, which
// counts from 1: a quoted name, a word, or one character.
func extent(line string, column int) int {
	letters := []rune(line)
	if column < 1 || column > len(letters) {
		return 0
	}
	first, rest := letters[column-1], letters[column:]
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	end := 0
	switch {
	case strings.ContainsRune("\"'`", first):
		if end = slices.Index(rest, first) + 1; end == 0 {
			end = len(rest)
		}
	case word(first) || first == '$':
		if end = slices.IndexFunc(rest, func(r rune) bool { return !word(r) }); end < 0 {
			end = len(rest)
		}
	}
	return 1 + end
}

// recovered returns the error for what recover returned.
func recovered(value any) error {
	return &query.PanicError{Value: value, Stack: debug.Stack()}
}

// encode returns a value as JSON; a buffer holds some already.
func encode(value any) ([]byte, error) {
	if text, ok := value.(*bytes.Buffer); ok {
		return text.Bytes(), nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("the response cannot be written as JSON: %w", err)
	}
	return text.Bytes(), nil
}

// respond writes a value as JSON. The error is that of a value that cannot be: then
// nothing is written.
func respond(w http.ResponseWriter, status int, value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(text) // a client that went away is not told
	return nil
}
