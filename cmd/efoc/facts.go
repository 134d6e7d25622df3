package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model/journal"
	"github.com/efoc/efoc/runtime/query"
)

// factsFlags are the arguments of the commands that change facts.
type factsFlags struct {
	Model string `arg:"" predictor:"model" help:"Model whose facts change; they go into FILE.efoc.journal beside it."`
	Facts string `arg:"" predictor:"file" help:"File of facts, one a line: head, TAB, relation, TAB, tail. - is standard input."`
}

type addCmd struct {
	factsFlags
	New bool `help:"Take names that the model lacks for new entities: each gets a row of embeddings, made from the facts of this file."`
}

func (c *addCmd) Run(a *app) error {
	lines, err := c.read(a)
	if err != nil {
		return err
	}
	done, err := c.change(a, lines, nil, c.New)
	if err != nil {
		return err
	}
	return a.printf("added %s to %s%s%s\n", countFacts(done.Added), c.Model, already(done.Present, "there already"), newEntities(done.Entities))
}

type removeCmd struct{ factsFlags }

func (c *removeCmd) Run(a *app) error {
	lines, err := c.read(a)
	if err != nil {
		return err
	}
	done, err := c.change(a, nil, lines, false)
	if err != nil {
		return err
	}
	return a.printf("removed %s from %s%s\n", countFacts(done.Removed), c.Model, already(done.Absent, "not there"))
}

type compactCmd struct {
	Model string `arg:"" predictor:"model" help:"Model to write anew, with the facts of FILE.efoc.journal beside it, which is empty then."`
}

func (c *compactCmd) Run(a *app) error {
	changes, err := facts.Compact(a.ctx, c.Model, func(written, total int64) { a.bar.show("write bundle", written, total) })
	switch {
	case err != nil:
		return err
	case changes == 0:
		return a.printf("%s has no facts in a journal\n", c.Model)
	}
	return a.printf("wrote %s with %d change%s of its journal\n", c.Model, changes, pluralS(changes))
}

// fileFact is a fact of a file.
type fileFact struct {
	facts.Fact
	line int
}

// maxFactLine bounds the bytes of a line of facts.
const maxFactLine = 1 << 20

// read reads the facts of the file.
func (c *factsFlags) read(a *app) (list []fileFact, err error) {
	from := a.stdin
	if c.Facts != "-" {
		f, err := os.Open(c.Facts)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	list, err = await(a.ctx, func() ([]fileFact, error) { return parseFacts(from) })
	if err != nil {
		err = fmt.Errorf("%s:%w", c.name(), err)
	}
	return list, err
}

// parseFacts reads facts, one a line; blank lines are left out. Errors begin with the line.
func parseFacts(from io.Reader) (list []fileFact, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxFactLine)
	number := 1
	for ; lines.Scan(); number++ {
		text := bytes.TrimRight(lines.Bytes(), "\r")
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		parts := strings.Split(string(text), "\t")
		if len(parts) != 3 {
			return nil, usagef("%d: %d fields, want three with tabs between: head, relation, tail", number, len(parts))
		}
		list = append(list, fileFact{facts.Fact{parts[0], parts[1], parts[2]}, number})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", number, err)
	}
	if len(list) == 0 {
		return nil, usagef("1: no facts")
	}
	return list, nil
}

// name is what messages call the file.
func (c *factsFlags) name() string {
	if c.Facts == "-" {
		return "standard input"
	}
	return c.Facts
}

// change changes facts of the model, all or none. A name that the model lacks is reported
// with its line.
func (c *factsFlags) change(a *app, add, remove []fileFact, enter bool) (facts.Result, error) {
	release, err := facts.Lock(c.Model)
	if err != nil {
		return facts.Result{}, err
	}
	defer release()
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return facts.Result{}, err
	}
	defer m.Close()
	s, err := facts.Open(c.Model, m.Model)
	if err != nil {
		return facts.Result{}, err
	}
	change := s.Change
	if enter {
		change = s.Enter
	}
	done, err := change(a.ctx, "", factsOf(add), factsOf(remove))
	if wrong, ok := errors.AsType[*facts.NameError](err); ok {
		line := append(add, remove...)[wrong.Index].line
		err = usageError{fmt.Errorf("%s:%d: %w", c.name(), line, wrong.Err)}
	}
	return done, errors.Join(err, s.Close())
}

func factsOf(list []fileFact) (out []facts.Fact) {
	for _, f := range list {
		out = append(out, f.Fact)
	}
	return out
}

func countFacts(n int) string { return fmt.Sprintf("%d fact%s", n, pluralS(n)) }

// already says how many facts changed nothing, and why.
func already(n int, why string) string {
	if n == 0 {
		return ""
	}
	verb := "were"
	if n == 1 {
		verb = "was"
	}
	return fmt.Sprintf(", %d %s %s", n, verb, why)
}

// newEntities says which entities are new.
func newEntities(names []string) string {
	const most = 5
	if len(names) == 0 {
		return ""
	}
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("; new: %s", text)
}

// noteJournal says what a crash has left of the journal beside a model.
func (a *app) noteJournal(path string, m *query.Model) {
	if torn := m.Journal().Torn; torn > 0 && a.stderr != nil {
		a.notef("efoc: %s ends in the middle of a record, which was never acknowledged: its %d bytes are left out", journal.Path(path), torn)
	}
}

// checkJournal reports a model to be written whose journal has facts: they would be of a
// bundle that is no longer there.
func checkJournal(path string) error {
	_, err := journal.Read(journal.Path(path), "")
	if errors.Is(err, journal.ErrOther) {
		return usagef("%s has facts that were added to the model there: put them into it with efoc compact, or name another file", journal.Path(path))
	}
	return err
}
