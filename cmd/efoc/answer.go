package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/lines"
	"github.com/efoc/efoc/cmd/internal/stream"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/regularfile"
	"github.com/efoc/efoc/runtime/shards/mpi"
)

type answerCmd struct {
	Templates string `arg:"" placeholder:"FILE.efo" in:"" help:"File of query templates."`
	Query     string `short:"q" placeholder:"NAME" help:"Template to use; not needed if there is only one, or if each row names its own."`

	splitModelFlags
	deviceFlag
	wanted.AnswerFilter
	semanticsFlag
	K         int    `least:"1" short:"k" default:"10" help:"Number of answers."`
	Rows      string `placeholder:"FILE" in:"" help:"File of rows; by default standard input."`
	KeepGoing bool   `help:"Exit with status 0 even if rows fail, so that schedulers do not retry the whole job; the lines of these rows have the errors."`
	Output    string `short:"o" placeholder:"FILE" out:"*,*.part" stdout:"" help:"File to write; by default, and by -, standard output. Until all rows are answered it is FILE.part."`
	Resume    bool   `help:"Continue an earlier run: rows in FILE.part are not answered again. Model, templates, flags and rows must be the same."`
}

func (c *answerCmd) Run(a *app) error {
	if c.Output == "-" {
		c.Output = ""
	}
	if c.Resume && c.Output == "" {
		return usagef("--resume goes on with a file: name it with -o")
	}
	file, queries, refused, err := pickQueries(c.Templates, c.Query)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return refused
	}
	m, err := c.openSplit(a, model.Mapped())
	if err != nil {
		return err
	}
	defer m.Close()
	m.DegreeCache().KeepSweeps(true)
	s, err := c.prepare(a, m, file, queries)
	if err != nil {
		return err
	}
	n, err := c.run(a, s, m)
	if n.Refused > 0 {
		if !c.KeepGoing {
			a.status = statusFailure
		}
		a.notef("efoc: %d of %d rows could not be answered: their lines say why", n.Refused, n.Refused+n.Answered)
	}
	return err
}

// prepare compiles the templates.
func (c *answerCmd) prepare(a *app, m *openModel, file *lang.File, queries []*lang.Query) (*stream.Stream, error) {
	filter, err := c.AnswerFilter.Of(m.Model)
	if err != nil {
		return nil, usagef("--%w", err)
	}
	s := &stream.Stream{Templates: map[string]*compiler.Prepared{}, Options: runtime.Options{K: c.K, Filter: filter}}
	if c.isSplit() {
		s.BatchWait = time.Second
	}
	if err := s.Options.Check(m.Model); err != nil {
		return nil, err
	}
	semantics := c.choose(file.Semantics, m.Bundle().Manifest.Semantics)
	settings := m.Settings()
	settings.Layers = cmp.Or(file.Layers, settings.Layers)
	prepare := compiler.Options{Plans: plans, Semantics: &semantics, Cache: &stages.Cache{}, Settings: &settings}
	placed, err := m.toDevice(c.deviceFlag, &prepare)
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		p, err := compiler.Prepare(placed, q, prepare)
		if err != nil {
			return nil, cli.Mistake(err)
		}
		err = p.Check(s.Options)
		if option, ok := errors.AsType[*runtime.OptionError](err); ok {
			return nil, usagef("query %s: %s: %s", q.Name, flagOf(option), option.Why)
		}
		if err != nil {
			return nil, err
		}
		a.warn(q.Warnings)
		s.Templates[q.Name] = p
	}
	return s, nil
}

// run answers the rows.
func (c *answerCmd) run(a *app, s *stream.Stream, m *openModel) (n stream.Counts, err error) {
	rows := a.stdin
	if ranks != nil {
		rows = mpi.Input(rows)
	}
	if c.Rows != "" {
		f, _, err := regularfile.Open(c.Rows)
		if err != nil {
			return n, err
		}
		defer f.Close()
		rows = f
	}
	if c.Output == "" {
		return s.Run(a.ctx, rows, a.stdout)
	}
	part := c.Output + ".part"
	if err := writable(c.Output, part); err != nil {
		return n, err
	}
	if !c.Resume {
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
	}
	log, err := lines.Open[stream.Line](part, c.header(s, m), nil)
	if err != nil {
		return n, fmt.Errorf("%w; without --resume the run starts afresh", err)
	}
	defer log.Close()
	s.Earlier = log.Rest()

	n, err = s.Run(a.ctx, rows, log)
	if err != nil {
		return n, errors.Join(err, log.Sync())
	}
	err = atomicfile.Write(c.Output, func(w io.Writer) error {
		_, err := log.WriteTo(w)
		return err
	})
	if err != nil {
		return n, err
	}
	return n, errors.Join(log.Close(), os.Remove(part))
}

// answerHeader is the first line of the temporary file of a run's answers: everything that they depend on except the
// rows, which they repeat.
type answerHeader struct {
	Version   int                       `json:"efoc_answer"`
	Model     string                    `json:"model"`
	Templates map[string]answerTemplate `json:"templates"`
	K         int                       `json:"number_of_answers"`
	Filter    wanted.AnswerFilter       `json:"filter"`
	// TypeRelation is the relation for types that --type gives without one.
	TypeRelation string `json:"type_relation"`
}

// answerTemplate is a template with the settings that answer it.
type answerTemplate struct {
	Text      string          `json:"text"`
	Semantics model.Semantics `json:"semantics"`
	Settings  model.Settings  `json:"settings"`
}

func (c *answerCmd) header(s *stream.Stream, m *openModel) answerHeader {
	h := answerHeader{
		Version: 1, Model: eval.ModelSum(m.Model), Templates: map[string]answerTemplate{}, K: c.K, Filter: c.AnswerFilter,
		TypeRelation: m.Bundle().Manifest.TypeRelation,
	}
	for name, p := range s.Templates {
		h.Templates[name] = answerTemplate{p.Source.String(), p.Semantics, p.Settings}
	}
	return h
}
