package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/runtime/atomicfile"
)

// saveEvery is the time between two writings of what is done.
const saveEvery = 30 * time.Second

// sampleRun draws the queries of several templates into one file. While it is
// incomplete, a file beside it says how far it is.
type sampleRun struct {
	path      string
	sampler   *sample.Sampler
	templates []*sample.Template
	states    []*sample.State
	workers   int
	bar       *bar
	// lines are those of the output so far.
	lines [][]byte
	saved time.Time
}

// sampleProgress is the file beside an incomplete output.
type sampleProgress struct {
	// Fingerprint stands for the graphs, the templates and the options.
	Fingerprint string `json:"fingerprint"`
	// Bytes is the length of the output that belongs to the states.
	Bytes     int             `json:"bytes"`
	Templates []*sample.State `json:"templates"`
}

// partPath is the name of that file.
func (r *sampleRun) partPath() string { return r.path + ".part" }

// begin starts afresh, or where an earlier run stopped. It reports whether that
// run was complete.
func (r *sampleRun) begin(resume bool) (done bool, err error) {
	for _, t := range r.templates {
		r.states = append(r.states, &sample.State{Name: t.Name})
	}
	r.saved = time.Now()
	if !resume {
		return false, nil
	}
	text, err := os.ReadFile(r.partPath())
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(r.path)
		return err == nil, nil
	}
	if err != nil {
		return false, err
	}
	var p sampleProgress
	if err := json.Unmarshal(text, &p); err != nil {
		return false, fmt.Errorf("%s: %w: remove it to start afresh", r.partPath(), err)
	}
	if p.Fingerprint != r.sampler.Fingerprint(r.templates) {
		return false, usagef("%s belongs to a run with another graph or other flags: give the same, or leave out --resume to start afresh", r.partPath())
	}
	return false, r.restore(&p)
}

// restore takes over the states and lines of an earlier run.
func (r *sampleRun) restore(p *sampleProgress) error {
	text, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	damaged := fmt.Errorf("%s does not match %s: leave out --resume to start afresh", r.path, r.partPath())
	if p.Bytes < 0 || p.Bytes > len(text) || len(p.Templates) != len(r.states) {
		return damaged
	}
	found := 0
	for i, st := range p.Templates {
		if st == nil || st.Name != r.states[i].Name || st.Attempts < len(st.Keys) {
			return damaged
		}
		found += len(st.Keys)
	}
	r.lines = splitLines(text[:p.Bytes])
	if len(r.lines) != found {
		return damaged
	}
	r.states = p.Templates
	return nil
}

// splitLines splits a text after each newline.
func splitLines(text []byte) [][]byte {
	var lines [][]byte
	for start, i := 0, 0; i < len(text); i++ {
		if text[i] == '\n' {
			lines = append(lines, text[start:i+1])
			start = i + 1
		}
	}
	return lines
}

// draw draws the queries and writes them. If the context ends before, what is done
// is written, with what it takes to resume.
func (r *sampleRun) draw(ctx context.Context) error {
	for i, t := range r.templates {
		st := r.states[i]
		stage := "sample " + t.Name
		group, err := r.sampler.Group(t)
		if err != nil {
			return err
		}
		line := group.LineWriter()
		each := func(q queryset.Query) { r.lines = append(r.lines, line(nil, q)) }
		step := func() error {
			r.bar.show(stage, int64(len(st.Keys)), int64(r.sampler.Count()))
			if time.Since(r.saved) < saveEvery {
				return nil
			}
			return r.save()
		}
		if err := r.sampler.Run(ctx, t, st, r.workers, each, step); err != nil {
			return errors.Join(err, r.save())
		}
	}
	if err := r.writeLines(); err != nil {
		return err
	}
	if err := os.Remove(r.partPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// save writes the lines and how far they are.
func (r *sampleRun) save() error {
	p := sampleProgress{Fingerprint: r.sampler.Fingerprint(r.templates), Templates: r.states}
	for _, l := range r.lines {
		p.Bytes += len(l)
	}
	if err := r.writeLines(); err != nil {
		return err
	}
	r.saved = time.Now()
	return atomicfile.Write(r.partPath(), func(w io.Writer) error { return json.NewEncoder(w).Encode(p) })
}

// writeLines writes the output.
func (r *sampleRun) writeLines() error {
	return atomicfile.Write(r.path, func(w io.Writer) error {
		for _, l := range r.lines {
			if _, err := w.Write(l); err != nil {
				return err
			}
		}
		return nil
	})
}
