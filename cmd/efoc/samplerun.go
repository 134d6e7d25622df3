package main

import (
	"context"
	"io"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/runtime/atomicfile"
)

// sampleRun draws the queries of several templates into one file, which appears when all are
// there.
type sampleRun struct {
	path      string
	sampler   *sample.Sampler
	templates []*sample.Template
	states    []*sample.State
	workers   int
	// count is the number of queries of each template.
	count int
	bar   *bar
	// lines are those of the queries so far.
	lines [][]byte
}

// draw draws the queries and writes them.
func (r *sampleRun) draw(ctx context.Context) error {
	for _, t := range r.templates {
		st := &sample.State{Name: t.Name}
		r.states = append(r.states, st)
		group, err := r.sampler.Group(t)
		if err != nil {
			return err
		}
		line := group.LineWriter()
		each := func(q queryset.Query) { r.lines = append(r.lines, line(nil, q)) }
		step := func() error {
			r.bar.show("sample "+t.Name, int64(len(st.Keys)), int64(r.count))
			return nil
		}
		if err := r.sampler.Run(ctx, t, st, r.workers, each, step); err != nil {
			return err
		}
	}
	return atomicfile.Write(r.path, func(w io.Writer) error {
		for _, l := range r.lines {
			if _, err := w.Write(l); err != nil {
				return err
			}
		}
		return nil
	})
}
