package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/shards"
)

// problem is an error as clients see it.
type problem struct {
	Status      int       `json:"-"`
	retry       int       // the seconds after which to ask again, if it is not 0
	Code        string    `json:"code"`
	Message     string    `json:"message"`
	Suggestions []string  `json:"suggestions,omitempty"`
	Mistakes    []mistake `json:"mistakes,omitempty"`
	RequestID   string    `json:"request_id"`
}

// mistake is a mistake in a query with its position.
type mistake struct {
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Offset     int    `json:"offset"`
	Length     int    `json:"length"`
	SourceLine string `json:"source_line,omitempty"`
	// Suggestions may be meant in place of the text of that length.
	Suggestions []string `json:"suggestions,omitempty"`
}

// Error returns the message.
func (p *problem) Error() string { return p.Message }

// refused returns the error of a status and code.
func refused(status int, code, format string, args ...any) *problem {
	return &problem{Status: status, Code: code, Message: fmt.Errorf(format, args...).Error()}
}

// badRequest is the error for a mistake of the client, such as a name that the model does not know.
func badRequest(format string, args ...any) error {
	p := refused(http.StatusBadRequest, "bad_request", format, args...)
	for _, x := range args {
		err, _ := x.(error)
		if unknown, ok := errors.AsType[*names.UnknownError](err); ok {
			p.Status = http.StatusNotFound
			p.Code = "unknown_name"
			p.Suggestions = unknown.Nearest
		}
	}
	return p
}

func tooCostly(format string, args ...any) error {
	return refused(http.StatusUnprocessableEntity, "too_costly", format, args...)
}

// overloaded refuses what the server may have time for in some seconds, which it tells assistants too.
func overloaded(seconds int, format string, args ...any) *problem {
	p := refused(http.StatusTooManyRequests, "overloaded", format, args...)
	p.retry = max(1, seconds)
	p.Message += "; ask again in " + print.Number(p.retry, "second")
	return p
}

// maxMistakes bounds the mistakes that are reported.
const maxMistakes = 10

// newProblem says what a client sees of an error.
func newProblem(err error) *problem {
	var p *problem
	var list lang.ErrorList
	var tooLarge *http.MaxBytesError
	var lost *shards.Error
	var param *runtime.ParamError
	var option *runtime.OptionError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &list):
		p = refused(http.StatusBadRequest, "bad_query", "%w", list)
		switch {
		case list[0].Unknown:
			p.Status = http.StatusNotFound
			p.Code = "unknown_name"
		case errors.As(err, &stages.RefusedError{}):
			p.Status = http.StatusUnprocessableEntity
			p.Code = "cannot_compile"
		}
		for _, e := range list[:min(len(list), maxMistakes)] {
			p.Mistakes = append(p.Mistakes, mistake{
				Message: e.Msg, Hint: e.Hint, Line: e.Pos.Line, Column: e.Pos.Col, Offset: e.Pos.Offset,
				Length: extent(e.Line, e.Pos.Col), SourceLine: e.Line, Suggestions: e.Nearest,
			})
		}
		return p
	case errors.As(err, &tooLarge):
		return refused(http.StatusRequestEntityTooLarge, "too_large", "the request is over the limit of %d bytes", tooLarge.Limit)
	case errors.As(err, &option):
		return refused(http.StatusBadRequest, "bad_request", "%s: %s", print.Field(option), option.Why)
	case errors.As(err, &param), errors.Is(err, runtime.ErrWrongType):
		return refused(http.StatusBadRequest, "bad_request", "%w", err)
	case errors.Is(err, runtime.ErrNeedsWhole):
		return refused(http.StatusUnprocessableEntity, "needs_whole_model", "%w", err)
	case errors.As(err, &lost):
		return refused(http.StatusServiceUnavailable, "shards_lost", "a shard of the model does not answer")
	case errors.Is(err, device.ErrLost):
		return refused(http.StatusServiceUnavailable, "device_lost", "%w", device.ErrLost)
	case atomicfile.NoRoom(err):
		return refused(http.StatusInsufficientStorage, "disk_full", "the server has no room left on its disk: send the request again once there is some")
	case errors.Is(err, context.DeadlineExceeded):
		return refused(http.StatusGatewayTimeout, "deadline", "the answer took longer than the server allows")
	case errors.Is(err, context.Canceled):
		return refused(statusGone, "gone", "the client went away")
	}
	return refused(http.StatusInternalServerError, "internal", "internal error; the log has more about this request")
}

// statusGone is what the log has for a client that went away.
const statusGone = 499

// token matches a quoted name, a word or one character.
var token = regexp.MustCompile("^(?:\"[^\"]*\"?|'[^']*'?|`[^`]*`?|[$\\p{L}\\p{Nd}_][\\p{L}\\p{Nd}_]*|.)")

// extent returns how many code points belong to the token in a column of a line, which
// counts from 1.
func extent(line string, column int) int {
	letters := []rune(line)
	if column < 1 || column > len(letters) {
		return 0
	}
	return utf8.RuneCountInString(token.FindString(string(letters[column-1:])))
}

// recovered returns the error for what recover returned.
func recovered(value any) error {
	return &runtime.PanicError{Value: value, Stack: debug.Stack()}
}

// encode returns a value as JSON.
func encode(value any) ([]byte, error) {
	if r, is := value.(*Response); is { // whose text the encoder would read again
		text, err := r.MarshalJSON()
		return append(text, '\n'), unwritable(err)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return text.Bytes(), unwritable(err)
}

// unwritable is the error for a response that JSON cannot express.
func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the response cannot be written as JSON: %w", err)
}

// respond writes a value as JSON. It returns an error, and writes nothing, if JSON cannot express the
// value.
func respond(w http.ResponseWriter, status int, value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	send(w, status, jsonMedia, text)
	return nil
}

// jsonMedia is the type of JSON.
const jsonMedia = "application/json; charset=utf-8"

// send writes a response.
func send(w http.ResponseWriter, status int, media string, text []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text) // a client that went away is not told
}
