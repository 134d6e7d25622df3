package main

import (
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// plotFormat returns the format of a file name, empty if there is none for it.
func plotFormat(path string) string {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if format == "svg" || format == "png" {
		return format
	}
	return ""
}

// checkPlot reports the name of a plot, which a flag gives, that has no such format.
func checkPlot(flag, path string) error {
	if path != "" && plotFormat(path) == "" {
		return usagef("%s %s: want a name that ends in .svg or .png", flag, path)
	}
	return nil
}

// plotSize is the length of each side of a plot.
const plotSize = 10 * vg.Centimeter

// plotFile returns what writes a plot to a file.
func plotFile(path string, layOut func() (*plot.Plot, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		p, err := layOut()
		if err != nil {
			return err
		}
		out, err := p.WriterTo(plotSize, plotSize, plotFormat(path))
		if err != nil {
			return err
		}
		_, err = out.WriteTo(w)
		return err
	}
}
