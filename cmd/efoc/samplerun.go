package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/runtime/atomicfile"
)

// saveEvery is the time between two writings of what is done.
const saveEvery = 30 * time.Second

// sampleRun draws the queries of several templates into one file, which appears
// when all are there. Until then a file beside it keeps what is done.
type sampleRun struct {
	path      string
	part      string // the file beside it
	sampler   *sample.Sampler
	templates []*sample.Template
	states    []*sample.State
	workers   int
	bar       *bar
	// lines are those of the queries so far.
	lines [][]byte
	saved time.Time
}

// sampleProgress is the first line of the file that keeps what is done. The lines
// of the queries follow.
type sampleProgress struct {
	// Fingerprint identifies the graphs, the templates and the options.
	Fingerprint string          `json:"fingerprint"`
	Templates   []*sample.State `json:"templates"`
}

// begin starts afresh, or where an earlier run stopped.
func (r *sampleRun) begin(resume bool) error {
	for _, t := range r.templates {
		r.states = append(r.states, &sample.State{Name: t.Name})
	}
	r.saved = time.Now()
	if !resume {
		// What an earlier run left belongs to other queries from now on.
		return r.save()
	}
	text, err := os.ReadFile(r.part)
	if errors.Is(err, fs.ErrNotExist) {
		return r.save()
	}
	if err != nil {
		return err
	}
	first, lines, _ := bytes.Cut(text, []byte("\n"))
	var p sampleProgress
	if err := json.Unmarshal(first, &p); err != nil {
		return fmt.Errorf("%s: %w: remove it to start afresh", r.part, err)
	}
	if p.Fingerprint != r.sampler.Fingerprint(r.templates) {
		return usagef("%s belongs to a run with another graph or other flags: give the same, or leave out --resume to start afresh", r.part)
	}
	return r.restore(&p, lines)
}

// restore takes over the states and lines of an earlier run.
func (r *sampleRun) restore(p *sampleProgress, lines []byte) error {
	damaged := fmt.Errorf("%s is damaged: leave out --resume to start afresh", r.part)
	if len(p.Templates) != len(r.states) {
		return damaged
	}
	found := 0
	for i, st := range p.Templates {
		if st == nil || st.Name != r.states[i].Name || st.Attempts < len(st.Keys) {
			return damaged
		}
		found += len(st.Keys)
	}
	r.lines = slices.Collect(bytes.Lines(lines))
	if len(r.lines) != found || found > 0 && !bytes.HasSuffix(lines, []byte("\n")) {
		return damaged
	}
	r.states = p.Templates
	return nil
}

// draw draws the queries and writes them. If the context ends before, what is done
// is kept for --resume.
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
	if err := atomicfile.Write(r.path, r.writeLines); err != nil {
		return err
	}
	if err := os.Remove(r.part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (r *sampleRun) save() error {
	err := atomicfile.Write(r.part, func(w io.Writer) error {
		p := sampleProgress{Fingerprint: r.sampler.Fingerprint(r.templates), Templates: r.states}
		if err := json.NewEncoder(w).Encode(p); err != nil {
			return err
		}
		return r.writeLines(w)
	})
	r.saved = time.Now()
	return err
}

func (r *sampleRun) writeLines(w io.Writer) error {
	for _, l := range r.lines {
		if _, err := w.Write(l); err != nil {
			return err
		}
	}
	return nil
}
