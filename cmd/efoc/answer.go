package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/efoc/efoc/cmd/internal/stream"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/collective/mpi"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

type answerCmd struct {
	Templates string `arg:"" placeholder:"FILE.efo" predictor:"efo" help:"File of query templates."`
	Query     string `short:"q" placeholder:"NAME" help:"Template to use; not needed if there is only one, or if each row names its own."`

	modelFlag
	shardsFlag
	deviceFlag
	filterFlags
	K         int    `least:"1" short:"k" default:"10" help:"Number of answers."`
	Semantics string `enum:"nsmp,fit,mixed," default:"" placeholder:"SEMANTICS" help:"What answers mean, as with ask."`
	Rows      string `placeholder:"FILE" predictor:"file" help:"File of rows; standard input if not given."`
	Shard     string `placeholder:"I/N" help:"Answer every N-th row alone, beginning after I others; rows keep their numbers."`
	Tolerate  bool   `help:"Exit with status 0 though rows could not be answered: their lines say why. Schedulers repeat what fails."`
	Output    string `short:"o" placeholder:"FILE" help:"File to write; standard output if not given. Until all rows are answered it is FILE.part."`
	Resume    bool   `help:"Go on where an earlier run with the same rows and flags stopped: what FILE.part has is not answered again."`
}

func (c *answerCmd) Run(a *app) error {
	if c.Resume && c.Output == "" {
		return usagef("--resume goes on with a file: name it with -o")
	}
	var names []string
	if c.Query != "" {
		names = []string{c.Query}
	}
	file, queries, refused, err := pickQueries(c.Templates, names)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return refused
	}
	m, err := c.openModelOr(a, c.modelFlag, model.Mapped())
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := c.prepare(a, m, file, queries)
	if err != nil {
		return err
	}
	n, err := c.run(a, s)
	if n.Refused > 0 {
		if !c.Tolerate {
			a.status = statusFailure
		}
		a.notef("efoc: %d of %d rows could not be answered: their lines say why", n.Refused, n.Refused+n.Answered)
	}
	return err
}

// prepare compiles the templates.
func (c *answerCmd) prepare(a *app, m *openModel, file *lang.File, queries []*lang.Query) (*stream.Stream, error) {
	filter, err := c.filter(m.Model)
	if err != nil {
		return nil, err
	}
	s := &stream.Stream{Templates: map[string]*compiler.Prepared{}, Options: query.Options{K: c.K, Filter: filter}}
	if c.Shards != "" {
		s.Patience = time.Second
	}
	if c.Shard != "" {
		if s.Shard, err = stream.ParseShard(c.Shard); err != nil {
			return nil, usagef("--shard: %w", err)
		}
	}
	if err := s.Options.Check(m.Model); err != nil {
		return nil, usageError{err}
	}
	semantics := m.Manifest.Semantics
	if name := cmp.Or(c.Semantics, file.Semantics); name != "" {
		semantics = semanticsOf(name)
	}
	prepare := compiler.PrepareOptions{
		Plans: plans, Semantics: &semantics, Cache: &compiler.Cache{},
		Settings: func(shape string) model.Settings {
			settings := m.Manifest.SettingsFor(shape)
			settings.Layers = cmp.Or(file.Layers, settings.Layers)
			return settings
		},
	}
	placed, err := m.on(c.deviceFlag, &prepare)
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		p, err := compiler.Prepare(placed, q, prepare)
		if err != nil {
			return nil, mistake(err)
		}
		if why := p.Query.Uncalibrated(&p.Settings); filter.MinConfidence > 0 && why != "" {
			return nil, usagef("--min-confidence: %s", why)
		}
		a.warn(p.Warnings)
		s.Templates[q.Name] = p
	}
	return s, nil
}

// run answers the rows.
func (c *answerCmd) run(a *app, s *stream.Stream) (n stream.Counts, err error) {
	rows := a.stdin
	if ranks != nil {
		rows = mpi.Input(rows)
	}
	if c.Rows != "" {
		f, err := os.Open(c.Rows)
		if err != nil {
			return n, err
		}
		defer f.Close()
		rows = f
	}
	if c.Output == "" {
		return s.Run(a.ctx, rows, a.stdout)
	}
	if err := checkApart([]namedFile{{"-o", c.Output}}, []namedFile{{"--rows", c.Rows}, {"--model", c.Model}}); err != nil {
		return n, err
	}
	if err := writable(c.Output); err != nil {
		return n, err
	}
	part := c.Output + ".part"
	mode := os.O_RDWR | os.O_CREATE
	if !c.Resume {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(part, mode, 0o666)
	if err != nil {
		return n, err
	}
	defer f.Close()
	if s.Skip, err = done(f, s.Shard); err != nil {
		return n, fmt.Errorf("%s: %w", part, err)
	}
	if n, err = s.Run(a.ctx, rows, f); err != nil {
		return n, errors.Join(err, f.Sync())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return n, err
	}
	return n, os.Rename(part, c.Output)
}

// done counts the rows that a file has answers of, and cuts off the rest of a line that was
// not written to its end.
func done(f *os.File, shard stream.Shard) (rows int, err error) {
	b := bufio.NewReader(f)
	whole := int64(0)
	for {
		line, err := b.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		var r struct{ Row int }
		if json.Unmarshal(bytes.TrimSpace(line), &r) != nil || r.Row != shard.Row(rows+1) {
			return 0, fmt.Errorf("line %d is not that of row %d: remove the file to start afresh", rows+1, shard.Row(rows+1))
		}
		rows++
		whole += int64(len(line))
	}
	if err := f.Truncate(whole); err != nil {
		return 0, err
	}
	_, err = f.Seek(whole, io.SeekStart)
	return rows, err
}
