package main

import (
	"fmt"
	"io"
	"os"

	"github.com/efoc/efoc/lang"
)

// fmtCmd brings .efo files into canonical form.
type fmtCmd struct {
	Files []string `arg:"" optional:"" name:"file.efo" in:"" predictor:"efo" help:"Files of query templates; standard input if none is given."`
	Write bool     `short:"w" help:"Write the result to the file instead of standard output."`
	List  bool     `short:"l" help:"List the files that would change; the exit status is 1 if there are any. With --write, list those that change."`
}

// Run formats the files.
func (c *fmtCmd) Run(a *app) error {
	files := c.Files
	if len(files) == 0 {
		if c.Write {
			return usagef("--write needs a file: standard input cannot be written")
		}
		files = []string{""}
	}
	var errs errorSet
	changed := 0
	for _, path := range files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		differs, err := c.format(a, path)
		if err != nil {
			errs = append(errs, usageError{err})
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

// format formats one file, standard input where the path is empty, and reports whether
// that changes it.
func (c *fmtCmd) format(a *app, path string) (differs bool, err error) {
	name := path
	var text []byte
	if path == "" {
		name = "<standard input>"
		text, err = await(a.ctx, func() ([]byte, error) {
			// One byte over the limit is enough to see that it is exceeded.
			return io.ReadAll(io.LimitReader(a.stdin, lang.MaxFileBytes+1))
		})
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return false, err
	}
	f, err := lang.ParseFile(name, text)
	if err != nil {
		return false, err
	}
	formatted := lang.Format(f)
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
