package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/efoc/efoc/lang"
)

// fmtCmd brings .efo files into canonical form.
type fmtCmd struct {
	Files []string `arg:"" optional:"" name:"file.efo" in:"" predictor:"efo" help:"Files of query templates; standard input if none is given."`
	Write bool     `short:"w" help:"Write the result to the file instead of standard output."`
	Diff  bool     `short:"d" help:"Show what would change as a diff; the exit status is 1 if anything would."`
	List  bool     `short:"l" help:"List the files that would change."`
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
	case c.Diff && changed == 1:
		return fmt.Errorf("1 file is not formatted")
	case c.Diff && changed > 1:
		return fmt.Errorf("%d files are not formatted", changed)
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
		if _, err := fmt.Fprintln(a.stdout, name); err != nil {
			return differs, err
		}
	}
	if differs && c.Write {
		if err := writeBytes(path, []byte(formatted)); err != nil {
			return differs, err
		}
	}
	if differs && c.Diff {
		err := difflib.WriteUnifiedDiff(a.stdout, difflib.UnifiedDiff{
			A: diffLines(string(text)), FromFile: name + ".orig",
			B: diffLines(formatted), ToFile: name,
			Context: 3,
		})
		if err != nil {
			return differs, err
		}
	}
	if !c.List && !c.Write && !c.Diff {
		_, err = io.WriteString(a.stdout, formatted)
	}
	return differs, err
}

// diffLines returns the lines of a text as a diff shows them, with their ends.
func diffLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	last := len(lines) - 1
	if lines[last] == "" {
		return lines[:last]
	}
	lines[last] += "\n\\ No newline at end of file\n"
	return lines
}
