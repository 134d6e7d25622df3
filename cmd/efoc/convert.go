package main

import (
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/atomicfile"
)

type convertCmd struct {
	In  string `arg:"" in:"" predictor:"file" help:"Queries: a BetaE or FIT folder, a qaa.json or a .jsonl file."`
	Out string `arg:"" out:"*" predictor:"file" help:"File to write for jsonl, optionally with .gz or .zst after the name; a new folder for the others."`

	To    string   `placeholder:"FORMAT" help:"jsonl (a query a line), betae (pickles of nested tuples), fit (a file a formula) or fit1 (one file, as LMPNN has it); jsonl if OUT ends so."`
	Split string   `placeholder:"SPLIT" help:"train, valid or test. If not given, a file gets the test queries, and a folder those of all splits that there are."`
	Types []string `placeholder:"SHAPES" predictor:"shape" help:"Groups of queries, such as 2p,3p; all if not given."`
	Limit int      `least:"1" placeholder:"N" help:"Number of queries of each group; all if not given."`
}

func (c *convertCmd) format() (queryset.Format, error) {
	f := queryset.Format(c.To)
	if f == "" && strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(c.Out, ".gz"), ".zst"), ".jsonl") {
		f = queryset.JSONLines
	}
	switch f {
	case queryset.JSONLines, queryset.BetaE, queryset.FIT, queryset.FIT1:
		return f, nil
	case "":
		return "", usagef("name the format of %s with --to: jsonl, betae, fit or fit1", c.Out)
	}
	return "", usagef("--to %s: unknown format, want jsonl, betae, fit or fit1", c.To)
}

func (c *convertCmd) Run(a *app) error {
	format, err := c.format()
	if err != nil {
		return err
	}
	if format == queryset.JSONLines {
		return c.convertSplit(a, c.Out, format, c.Split)
	}
	return atomicfile.WriteFolder(c.Out, func(folder string) error {
		for _, split := range c.splits() {
			if err := c.convertSplit(a, folder, format, split); err != nil {
				return err
			}
		}
		return nil
	})
}

// convertSplit converts the queries of a split, and says what was written.
func (c *convertCmd) convertSplit(a *app, path string, format queryset.Format, split string) error {
	set, err := a.openQueries(c.In, queryset.Options{Split: split, Shapes: c.Types, Limit: c.Limit})
	if err != nil {
		return err
	}
	options := queryset.WriteOptions{Format: format, Split: split, Progress: a.bar.show}
	if err := queryset.Write(a.ctx, path, set, options); err != nil {
		return err
	}
	queries := 0
	if split != "" {
		split += " "
	}
	for _, g := range set.Groups {
		queries += len(g.Queries)
	}
	return a.printf("%s: %s%d queries of %d groups\n", c.Out, split, queries, len(set.Groups))
}

// splits lists the splits of the queries to read.
func (c *convertCmd) splits() []string {
	if c.Split != "" {
		return []string{c.Split}
	}
	missing := func(split string) bool { return !queryset.HasSplit(c.In, split) }
	if have := slices.DeleteFunc(slices.Clone(queryset.Splits), missing); len(have) > 0 {
		return have
	}
	// A file does not say its split, and a folder without is an error to come.
	return []string{"test"}
}
