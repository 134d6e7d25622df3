package importer

import (
	"cmp"
	"errors"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

// readRDF returns a reader of Turtle or another format of RDF, with its options, which may name graphs: it merges all.
func readRDF(o turtle.Options) func(r *factFile) error {
	return func(r *factFile) error {
		o := o
		o.Anonymous = &r.anonymous
		o.Prefix = r.prefixes.declare
		if o.Graphs != nil {
			o.Graphs = &r.file.inGraphs
		}
		n := 0
		err := turtle.Read(r.text, o, func(line int, s, p, o turtle.Term) error {
			n++
			if err := r.pause(n, line); err != nil {
				return err
			}
			if err := r.add(line, s, p, o); err != nil {
				return &lineError{r.path, line, err}
			}
			return nil
		})
		if mistake, ok := errors.AsType[*turtle.Error](err); ok {
			return &lineError{r.path, mistake.Line, mistake.Err}
		}
		return cmp.Or(err, r.ctx.Err())
	}
}
