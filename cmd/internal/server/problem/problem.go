// Package problem defines errors as clients see them.
package problem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/shards"
)

// Problem is an error as clients see it.
type Problem struct {
	Status      int       `json:"-"`
	Retry       int       `json:"-"` // the seconds to wait before a retry, unless 0
	Code        string    `json:"code"`
	Message     string    `json:"message"`
	Suggestions []string  `json:"suggestions,omitempty"`
	Mistakes    []Mistake `json:"mistakes,omitempty"`
	RequestID   string    `json:"request_id"`
}

// Mistake is a mistake in a query with its position.
type Mistake struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Source is the text with the mistake, such as assume[1]; empty for the query.
	Source     string `json:"source,omitempty"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Offset     int    `json:"offset"`
	Length     int    `json:"length"`
	SourceLine string `json:"source_line,omitempty"`
	// Suggestions are replacements for the text of that length.
	Suggestions []string `json:"suggestions,omitempty"`
}

// Error returns the message.
func (p *Problem) Error() string { return p.Message }

// New returns the problem with a code.
func New(code, format string, args ...any) *Problem {
	return &Problem{Status: statuses[code], Code: code, Message: fmt.Errorf(format, args...).Error()}
}

// become changes the code.
func (p *Problem) become(code string) {
	p.Code = code
	p.Status = statuses[code]
}

// statuses maps codes to HTTP statuses.
var statuses = map[string]int{
	"bad_query": http.StatusBadRequest, "bad_request": http.StatusBadRequest,
	"unauthorized": http.StatusUnauthorized,
	"facts_fixed":  http.StatusForbidden, "foreign_host": http.StatusForbidden,
	"unknown_name":           http.StatusNotFound,
	"not_acceptable":         http.StatusNotAcceptable,
	"too_slow":               http.StatusRequestTimeout,
	"too_large":              http.StatusRequestEntityTooLarge,
	"unsupported_media_type": http.StatusUnsupportedMediaType,
	"cannot_compile":         http.StatusUnprocessableEntity, "key_reused": http.StatusUnprocessableEntity,
	"needs_whole_model": http.StatusUnprocessableEntity, "reload_refused": http.StatusUnprocessableEntity,
	"sentence": http.StatusUnprocessableEntity, "too_costly": http.StatusUnprocessableEntity, "uncalibrated": http.StatusUnprocessableEntity,
	"overloaded": http.StatusTooManyRequests,
	"gone":       499, // only in the log
	"internal":   http.StatusInternalServerError,
	"not_ready":  http.StatusServiceUnavailable, "device_lost": http.StatusServiceUnavailable, "shards_lost": http.StatusServiceUnavailable,
	"deadline":  http.StatusGatewayTimeout,
	"disk_full": http.StatusInsufficientStorage,
}

// Bad is the error for a mistake of the client, such as an unknown name.
func Bad(format string, args ...any) error {
	p := New("bad_request", format, args...)
	for _, x := range args {
		err, _ := x.(error)
		if unknown, ok := errors.AsType[*names.UnknownError](err); ok {
			p.become("unknown_name")
			p.Suggestions = unknown.Nearest
		}
	}
	return p
}

// Refused is the problem for a request that an error refuses.
func Refused(err error) error {
	if _, known := errors.AsType[*runtime.OptionError](err); known {
		return err
	}
	return Bad("%w", err)
}

// TooCostly refuses a question that exceeds a bound on work or memory.
func TooCostly(format string, args ...any) error {
	return New("too_costly", format, args...)
}

// Overloaded refuses work for which the server may have capacity in some seconds; assistants see the message too.
func Overloaded(seconds int, format string, args ...any) *Problem {
	p := New("overloaded", format, args...)
	p.Retry = max(1, seconds)
	p.Message += "; ask again in " + tables.Number(p.Retry, "second")
	return p
}

// maxMistakes bounds the reported mistakes.
const maxMistakes = 10

// Of converts an error to a client's view.
func Of(err error) *Problem {
	var p *Problem
	var list lang.ErrorList
	var tooLarge *http.MaxBytesError
	var lost *shards.Error
	var param *runtime.ParamError
	var option *runtime.OptionError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &list):
		p = New("bad_query", "%w", list)
		switch {
		case list[0].Unknown:
			p.become("unknown_name")
		case errors.As(err, &stages.RefusedError{}):
			p.become("cannot_compile")
		}
		for _, e := range list[:min(len(list), maxMistakes)] {
			p.Mistakes = append(p.Mistakes, Mistake{
				Message: e.Msg, Hint: e.Hint, Source: e.Pos.File, Line: e.Pos.Line, Column: e.Pos.Col, Offset: e.Pos.Offset,
				Length: extent(e.Line, e.Pos.Col), SourceLine: e.Line, Suggestions: e.Nearest,
			})
		}
		return p
	case errors.As(err, &tooLarge):
		return New("too_large", "the request is over the limit of %d bytes", tooLarge.Limit)
	case errors.As(err, &option):
		return New("bad_request", "%s: %s", print.Field(option), option.Why)
	case errors.As(err, &param):
		return New("bad_request", "%w", err)
	case errors.Is(err, runtime.ErrNeedsWhole):
		return New("needs_whole_model", "%w", err)
	case errors.As(err, &lost):
		return New("shards_lost", "a shard of the model does not answer")
	case errors.Is(err, device.ErrLost):
		return New("device_lost", "%w", device.ErrLost)
	case atomicfile.NoRoom(err):
		return New("disk_full", "the server has no room left on its disk: send the request again once there is some")
	case errors.Is(err, context.DeadlineExceeded):
		return New("deadline", "the answer took longer than the server allows")
	case errors.Is(err, context.Canceled):
		return New("gone", "the client went away")
	}
	return New("internal", "internal error; the log has more about this request")
}

// extent returns the number of code points of the token at a column, counted from 1, of a line.
func extent(line string, column int) int {
	letters := []rune(line)
	if column < 1 || column > len(letters) {
		return 0
	}
	// A quoted name, a word or one character. It is compiled here as only mistakes need it.
	token := regexp.MustCompile("^(?:\"[^\"]*\"?|'[^']*'?|`[^`]*`?|[$\\p{L}\\p{Nd}_][\\p{L}\\p{Nd}_]*|.)")
	return utf8.RuneCountInString(token.FindString(string(letters[column-1:])))
}

// Recovered returns the error for the result of recover.
func Recovered(value any) error {
	return &runtime.PanicError{Value: value, Stack: debug.Stack()}
}
