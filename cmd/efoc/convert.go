package main

import (
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/atomicfile"
)

type convertCmd struct {
	In  string `arg:"" in:"" predictor:"file" help:"Queries: a BetaE or FIT folder, a qaa.json or a .jsonl file."`
	Out string `arg:"" out:"*" predictor:"file" help:"File to write: JSON Lines, one query per line, if the name ends in .jsonl, .jsonl.gz or .jsonl.zst. Any other name is a new folder for FIT's files, one per formula."`

	Split string   `placeholder:"SPLIT" help:"train, valid or test. By default, a file gets the test queries, and a folder those of all splits."`
	Shape []string `placeholder:"SHAPES" predictor:"shape" help:"Shapes to convert, such as 2p,3p; by default all."`
	Limit int      `least:"1" placeholder:"N" help:"Number of queries of each shape; by default all."`
}

func (c *convertCmd) Run(a *app) error {
	if queryset.IsJSONLines(c.Out) {
		return c.convertSplit(a, c.Out, c.Split)
	}
	return atomicfile.WriteFolder(c.Out, func(folder string) error {
		for _, split := range c.splits() {
			if err := c.convertSplit(a, folder, split); err != nil {
				return err
			}
		}
		return nil
	})
}

// convertSplit converts the queries of a split, and says what was written.
func (c *convertCmd) convertSplit(a *app, path string, split string) error {
	set, err := a.openQueries(c.In, queryset.Options{Split: split, Shapes: c.Shape, Limit: c.Limit})
	if err != nil {
		return err
	}
	if err := queryset.Write(a.ctx, path, set, queryset.WriteOptions{Split: split, Progress: a.bar.show}); err != nil {
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
