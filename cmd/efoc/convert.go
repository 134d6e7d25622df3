package main

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/cmd/internal/kgfolder"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/atomicfile"
)

// convertCmd converts sets of queries, and the graphs beside them.
type convertCmd struct {
	In  string `arg:"" predictor:"file" help:"Queries: a BetaE or FIT folder, a qaa.json or a .jsonl file."`
	Out string `arg:"" predictor:"file" help:"File to write for jsonl, optionally with .gz or .zst after the name; a new folder for the others."`

	To    string   `placeholder:"FORMAT" help:"jsonl (a query a line), betae (pickles of nested tuples), fit (a file a formula) or fit1 (one file, as LMPNN has it); jsonl if OUT ends so."`
	Split string   `placeholder:"SPLIT" help:"train, valid or test. If not given, a file gets the test queries, and a folder those of all splits that there are."`
	Types []string `placeholder:"SHAPES" predictor:"shape" help:"Groups of queries, such as 2p,3p; all if not given."`
	Limit int      `least:"1" placeholder:"N" help:"Number of queries of each group; all if not given."`
}

// format returns the format to write.
func (c *convertCmd) format() (queryset.Format, error) {
	switch f := queryset.Format(c.To); f {
	case queryset.JSONLines, queryset.BetaE, queryset.FIT, queryset.FIT1:
		return f, nil
	case "":
		name := strings.TrimSuffix(strings.TrimSuffix(c.Out, ".gz"), ".zst")
		if strings.HasSuffix(name, ".jsonl") {
			return queryset.JSONLines, nil
		}
		return "", usagef("name the format of %s with --to: jsonl, betae, fit or fit1", c.Out)
	}
	return "", usagef("--to %s: unknown format, want jsonl, betae, fit or fit1", c.To)
}

// Run converts.
func (c *convertCmd) Run(a *app) error {
	format, err := c.format()
	if err != nil {
		return err
	}
	if c.Limit < 0 {
		return usagef("--limit is %d, want 1 or more", c.Limit)
	}
	if err := checkApart([]namedFile{{"OUT", c.Out}}, []namedFile{{"IN", c.In}}); err != nil {
		return err
	}
	if format == queryset.JSONLines {
		set, err := a.openQueries(c.In, c.options(c.Split))
		if err != nil {
			return err
		}
		return c.write(a, c.Out, set, queryset.WriteOptions{Format: format, Split: c.Split})
	}
	return atomicfile.WriteFolder(c.Out, func(folder string) error { return c.convertFolder(a, folder, format) })
}

// options say what to read.
func (c *convertCmd) options(split string) queryset.Options {
	return queryset.Options{Split: split, Shapes: c.Types, Limit: c.Limit}
}

// write writes a set, with a bar, and says what was written.
func (c *convertCmd) write(a *app, path string, set *queryset.Set, o queryset.WriteOptions) error {
	bar := newBar(a.stderr)
	o.Progress = bar.show
	err := queryset.Write(a.ctx, path, set, o)
	bar.clear()
	if err != nil {
		return err
	}
	queries := 0
	for _, g := range set.Groups {
		queries += len(g.Queries)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s%d queries of %d groups\n", c.Out, spaced(o.Split), queries, len(set.Groups))
	return err
}

// spaced returns a word with a space behind it, if it is one.
func spaced(word string) string {
	if word == "" {
		return ""
	}
	return word + " "
}

// convertFolder writes the queries, and the graph if there is one.
func (c *convertCmd) convertFolder(a *app, folder string, format queryset.Format) error {
	splits := []string{c.Split}
	if c.Split == "" {
		splits = c.splits()
	}
	for _, split := range splits {
		set, err := a.openQueries(c.In, c.options(split))
		if err != nil {
			return err
		}
		if err := c.write(a, folder, set, queryset.WriteOptions{Format: format, Split: split}); err != nil {
			return err
		}
	}
	if kgfolder.KindOf(c.In) == kgfolder.None {
		return nil
	}
	kind := kgfolder.FIT
	if format == queryset.BetaE {
		kind = kgfolder.BetaE
	}
	bar := newBar(a.stderr)
	defer bar.clear()
	g, err := kgfolder.Read(a.ctx, c.In, bar.show)
	if err != nil {
		return err
	}
	if err := g.Write(a.ctx, folder, kind, bar.show); err != nil {
		return err
	}
	bar.clear()
	t := g.Triples
	_, err = fmt.Fprintf(a.stdout, "%s: graph of %d entities and %d directed relations, %d + %d + %d triples\n",
		c.Out, len(g.Entities), len(g.Relations), len(t[0]), len(t[1]), len(t[2]))
	return err
}

// splits lists the splits of the queries to read.
func (c *convertCmd) splits() []string {
	var have []string
	for _, s := range queryset.Splits {
		if queryset.HasSplit(c.In, s) {
			have = append(have, s)
		}
	}
	if len(have) == 0 {
		// A file does not say its split, and a folder without is an error to come.
		return []string{"test"}
	}
	return have
}
