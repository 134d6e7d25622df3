package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/stated"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model/importer"
)

// factsFlags are the arguments of the commands that change facts.
type factsFlags struct {
	Model string `arg:"" in:"" out:"*.journal" help:"Model whose facts change; they go into FILE.efoc.journal beside it."`
	Facts string `arg:"" in:"" help:"File of facts: TSV (head, TAB, relation, TAB, tail), CSV, RDF (Turtle, N-Triples, N-Quads, TriG, JSON-LD), by the end of its name. Text may be compressed with gzip, zstd or bzip2. - reads TSV from standard input. Or the facts themselves, as a formula: 'borders(\"Brazil\", \"Peru\") & population(\"Rome\") = 2800000'."`
	graphFlags
	By string `placeholder:"NAME" help:"Who makes the change, which the journal keeps: explanations show it."`
}

type addCmd struct {
	factsFlags
	New     bool `help:"Treat unknown names as new entities and attributes. Each entity gets a row of embeddings, computed from the facts of this file."`
	Replace bool `help:"Let the values replace all others that their entities have of the same attributes."`
}

func (c *addCmd) Run(a *app) error {
	done, err := c.change(a, func(s *facts.Store, list []facts.Fact) (facts.Result, error) {
		return s.Apply(a.ctx, facts.Change{Add: list, New: c.New, Replace: c.Replace, By: c.By})
	})
	if err != nil {
		return err
	}
	replaced := ""
	if c.Replace {
		replaced = fmt.Sprintf(", replaced %d", done.Removed)
	}
	return a.printf("added %s to %s%s%s%s\n", tables.Number(done.Added, "fact"), c.Model, already(done.Present, "there already"), replaced, newNames(slices.Concat(done.Entities, done.Attributes)))
}

type removeCmd struct {
	factsFlags
	Untrue bool `help:"Also mark the facts as not true, whether or not they are there: efoc missing never offers them, and calibration counts them as certainly false. Adding or removing a fact takes the mark away."`
}

func (c *removeCmd) Run(a *app) error {
	done, err := c.change(a, func(s *facts.Store, list []facts.Fact) (facts.Result, error) {
		if c.Untrue {
			return s.Apply(a.ctx, facts.Change{Untrue: list, By: c.By})
		}
		return s.Apply(a.ctx, facts.Change{Remove: list, By: c.By})
	})
	if err != nil {
		return err
	}
	if c.Untrue {
		return a.printf("marked %s as not true in %s, and removed %d\n", tables.Number(done.Marked, "fact"), c.Model, done.Removed)
	}
	return a.printf("removed %s from %s%s%s\n", tables.Number(done.Removed, "fact"), c.Model, already(done.Absent, "not there"), already(done.Unmarked, "marked as not true"))
}

type compactCmd struct {
	Model string `arg:"" in:"" out:"*,*.journal" help:"Model to rewrite with the facts of FILE.efoc.journal beside it, which is emptied."`
}

func (c *compactCmd) Run(a *app) error {
	changes, err := facts.Compact(a.ctx, c.Model, func(written, total int64) { a.bar.Show("write bundle", written, total) })
	switch {
	case err != nil:
		return err
	case changes == 0:
		return a.printf("%s has no facts in a journal\n", c.Model)
	}
	return a.printf("wrote %s with %s of its journal\n", c.Model, tables.Number(changes, "change"))
}

// statedFacts are the facts of a file or a formula.
type statedFacts struct {
	facts   []facts.Fact
	at      []int           // the position of each in the file
	formula *stated.Formula // nil for a file
}

// place adds the fact's position to an error about the fact.
func (l *statedFacts) place(name string, wrong *facts.NameError) error {
	if l.formula != nil {
		return l.formula.Place(wrong.Index, wrong, remedy(wrong.Err))
	}
	return cli.UsageError{Err: importer.PlaceFact(name, l.at[wrong.Index], wrong.Err)}
}

// read reads the facts of the file or of the formula.
func (c *factsFlags) read(a *app) (list statedFacts, err error) {
	if _, missing := os.Stat(c.Facts); missing != nil && strings.Contains(c.Facts, "(") {
		f, err := stated.Parse("", c.Facts)
		if err == nil {
			err = f.Positive("write the fact without !: efoc add adds facts, and efoc remove removes them")
		}
		if err != nil {
			return list, err
		}
		return statedFacts{facts: f.Facts, formula: f}, nil
	}
	var text io.Reader
	if c.Facts == "-" {
		text = a.stdin
	}
	size := 0
	return await(a.ctx, func() (list statedFacts, err error) {
		err = importer.ReadFacts(a.ctx, c.importOptions(a, c.name()), text, func(at int, names [3]string) error {
			size += len(names[0]) + len(names[1]) + len(names[2])
			if size > facts.MaxRecord {
				return fmt.Errorf("the names above take more than %d MB: change fewer facts at a time", facts.MaxRecord>>20)
			}
			list.facts, list.at = append(list.facts, names), append(list.at, at)
			return nil
		})
		return list, err
	})
}

// name returns the file's name for messages.
func (c *factsFlags) name() string {
	if c.Facts == "-" {
		return "standard input"
	}
	return c.Facts
}

// change changes facts of the model, all or none. It reports an unknown name with its position.
func (c *factsFlags) change(a *app, do func(*facts.Store, []facts.Fact) (facts.Result, error)) (done facts.Result, err error) {
	list, err := c.read(a)
	if err != nil {
		return done, err
	}
	path, err := atomicfile.Follow(c.Model)
	if err != nil {
		return done, err
	}
	release, err := facts.Lock(path)
	if err != nil {
		return done, err
	}
	defer release()
	m, err := modelFlag{Model: path}.open(a)
	if err != nil {
		return done, err
	}
	defer m.Close()
	s, err := facts.Open(path, m.Model)
	if err != nil {
		return done, err
	}
	if list.formula != nil {
		err = list.formula.Check(m.Bundle())
	}
	if err == nil {
		done, err = do(s, list.facts)
	}
	if wrong, ok := errors.AsType[*facts.NameError](err); ok {
		err = list.place(c.name(), wrong)
	}
	return done, errors.Join(err, s.Close())
}

// already says how many facts changed nothing, and why.
func already(n int, why string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", 1 was " + why
	}
	return fmt.Sprintf(", %d were %s", n, why)
}

// newNames lists the new names.
func newNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; new: " + someOf(names)
}
