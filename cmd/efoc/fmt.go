package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/limits"
)

// fmtCmd formats .efo files canonically.
type fmtCmd struct {
	Files []string `arg:"" optional:"" name:"file.efo" in:"" help:"Files of query templates; standard input if none is given."`
	Write bool     `short:"w" help:"Write the result to the file instead of standard output."`
	List  bool     `short:"l" help:"List the files that would change; the exit status is 1 if there are any. With --write, list those that change."`
}

// Run formats the files.
func (c *fmtCmd) Run(a *app) error {
	files := c.Files
	if len(files) == 0 {
		files = []string{"-"}
	}
	if c.Write && slices.Contains(files, "-") {
		return usagef("--write needs a file: standard input cannot be written")
	}
	var errs errorSet
	changed := 0
	for _, path := range files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		differs, err := c.format(a, path)
		if err != nil {
			errs = append(errs, cli.UsageError{Err: err})
		}
		if differs {
			changed++
		}
	}
	switch {
	case len(errs) > 0:
		return errs
	case c.List && !c.Write && changed > 0:
		return fmt.Errorf("not formatted: %d of %d files", changed, len(files))
	}
	return nil
}

// format formats one file, or standard input, and reports whether the text changed.
func (c *fmtCmd) format(a *app, path string) (differs bool, err error) {
	text, err := a.read(path, limits.FileBytes)
	if err != nil {
		return false, err
	}
	name := path
	if path == "-" {
		name = "<standard input>"
	}
	f, err := lang.ParseFile(name, text)
	if err != nil {
		return false, err
	}
	formatted := f.String()
	differs = formatted != string(text)
	if differs && c.List {
		_, err = fmt.Fprintln(a.stdout, name)
	}
	if differs && c.Write && err == nil {
		err = writeBytes(path, []byte(formatted))
	}
	if !c.List && !c.Write {
		_, err = io.WriteString(a.stdout, formatted)
	}
	return differs, err
}
