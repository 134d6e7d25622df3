// Package stream answers templates for rows of parameters, in order, for bulk work in a pipe. Rows that arrive while
// others run are batched.
//
// It knows neither files, the command line nor the other processes of a job.
package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/runtime"
)

// Stream answers rows.
type Stream struct {
	// Templates maps names in rows to templates.
	Templates map[string]*compiler.Prepared
	// Options apply to all answers.
	Options runtime.Options
	// BatchWait is how long rows wait to fill a batch. The batches determine the last bits of scores; to reproduce
	// these, wait longer than reading a row takes.
	BatchWait time.Duration
	// Earlier are the lines of an earlier run, which answered the first rows; nil if there was none.
	Earlier iter.Seq2[Line, error]
}

// maxTogether bounds the rows in a batch.
const maxTogether = 64

// row is a row of parameters.
type row struct {
	number   int // from 1
	input    json.RawMessage
	template *compiler.Prepared
	named    compiler.Values // the parameter values
	args     runtime.Args
	reply    *runtime.Reply
	err      error
}

// Line is the part of a line of output common to all kinds of questions. The members of the reply precede Error: see
// found.
type Line struct {
	Row   int             `json:"row"`
	Input json.RawMessage `json:"input,omitempty"`
	Error string          `json:"error,omitempty"`
}

// unsaid are the members of a reply omitted from lines.
var unsaid = []string{"variable", "variables", "semantics", "uncalibrated", "next", "searched", "sets"}

// found returns the members of a reply for a line, in order, as an object without empty lists.
func found(r *runtime.Reply) (json.RawMessage, error) {
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	_, err = d.Token() // the brace
	object := []byte("{")
	for err == nil && d.More() {
		var name json.Token
		name, err = d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		err = d.Decode(&value)
		if slices.Contains(unsaid, fmt.Sprint(name)) || string(value) == "[]" {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = fmt.Appendf(object, "%q:%s", name, value)
	}
	return append(object, '}'), err
}

// answered returns the line of a reply.
func answered(line Line, r *runtime.Reply) ([]byte, error) {
	reply, err := found(r)
	if err != nil {
		return nil, err
	}
	return print.Object(&line, reply)
}

// Counts summarises the rows of a run.
type Counts struct{ Answered, Refused int }

// Run reads rows until they end, and writes a line of JSON for each, in order, as early as possible. If a row cannot
// be answered, its line has an error, and the others continue. It answers the rows before a read error. When ctx
// ends, it abandons a blocked read.
func (s *Stream) Run(ctx context.Context, in io.Reader, out io.Writer) (n Counts, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := make(chan *row, maxTogether)
	var unread error // why there are no more rows, at their end
	go func() {
		defer close(rows)
		unread = s.read(ctx, in, rows)
	}()
	for batch := range batches(ctx, rows, s.BatchWait) {
		lines, err := s.answer(ctx, batch, &n)
		if err != nil {
			return n, err
		}
		if _, err := out.Write(lines); err != nil {
			return n, err
		}
	}
	if err := ctx.Err(); err != nil {
		return n, err
	}
	return n, unread
}

// batches yields batches: at least one row, and those that arrive within patience, until the rows end or ctx does,
// even while a pipe is silent.
func batches(ctx context.Context, rows <-chan *row, patience time.Duration) iter.Seq[[]*row] {
	return func(yield func([]*row) bool) {
		for {
			var batch []*row
			select {
			case first, ok := <-rows:
				if !ok {
					return
				}
				batch = append(batch, first)
			case <-ctx.Done():
				return
			}
			for more := true; more && len(batch) < maxTogether; {
				var r *row
				r, more = next(rows, patience)
				if more {
					batch = append(batch, r)
				}
			}
			if !yield(batch) {
				return
			}
		}
	}
}

// next returns a row that is available or arrives within patience.
func next(rows <-chan *row, patience time.Duration) (r *row, ok bool) {
	select {
	case r, ok = <-rows:
		return r, ok
	default:
	}
	if patience > 0 {
		select {
		case r, ok = <-rows:
		case <-time.After(patience):
		}
	}
	return r, ok
}

// answer answers rows and returns their lines. Rows of one template run together.
func (s *Stream) answer(ctx context.Context, batch []*row, n *Counts) ([]byte, error) {
	together := map[*compiler.Prepared][]*row{}
	var templates []*compiler.Prepared // in order of their first rows
	for _, r := range batch {
		if r.err == nil {
			r.args, r.err = r.template.Args(r.named)
		}
		if r.err == nil {
			if together[r.template] == nil {
				templates = append(templates, r.template)
			}
			together[r.template] = append(together[r.template], r)
		}
	}
	for _, p := range templates {
		var args []runtime.Args
		for _, r := range together[p] {
			args = append(args, r.args)
		}
		replies, failed := p.AskAll(ctx, args, s.Options)
		for i, r := range together[p] {
			if failed == nil {
				r.reply = replies[i]
			} else { // perhaps because of one of them
				r.reply, r.err = p.Ask(ctx, r.args, s.Options)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	e.SetEscapeHTML(false)
	for _, r := range batch {
		line := Line{Row: r.number, Input: r.input}
		if r.err == nil {
			text, err := answered(line, r.reply)
			if err == nil {
				lines.Write(append(text, '\n'))
				n.Answered++
				continue
			}
			r.err = fmt.Errorf("internal error: answers cannot be written as JSON: %w", err)
		}
		n.Refused++
		line.Error = r.err.Error()
		if err := e.Encode(line); err != nil {
			return nil, fmt.Errorf("internal error: row %d cannot be written as JSON: %w", r.number, err)
		}
	}
	return lines.Bytes(), nil
}

// choose finds the template for a row.
func (s *Stream) choose(r *row) {
	name, named := r.named["query"]
	switch {
	case r.err != nil:
	case named && s.Templates[name] == nil:
		names := slices.Sorted(maps.Keys(s.Templates))
		if near := nearest.Names(name, names, 3); len(near) > 0 {
			names = near
		}
		r.err = fmt.Errorf("there is no query %q; there is %s", name, strings.Join(names, ", "))
	case named:
		r.template = s.Templates[name]
		delete(r.named, "query")
	case len(s.Templates) > 1:
		r.err = errors.New(`there are several templates: name one as "query"`)
	default:
		for _, r.template = range s.Templates {
		}
	}
}
