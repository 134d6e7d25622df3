package compare

import (
	"slices"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/lang"
)

// Flags are the flags of every comparison.
type Flags struct {
	Limit   cli.Count `default:"20" help:"Number of queries of each shape."`
	Threads cli.Count `default:"1" help:"Number of threads of each."`
	Rounds  cli.Count `default:"3" help:"Number of rounds."`

	Shared string `env:"EFOC_SHARED" default:"../shared" placeholder:"DIR" help:"Folder of real inputs."`
	Python string `placeholder:"FILE" help:"Python interpreter; the first python3 that has torch if not given."`
}

// Shapes are names of benchmark shapes; none, and "all", mean all of them.
type Shapes []string

// Validate reports a name that no shape has.
func (s Shapes) Validate() error {
	for _, name := range s.Names() {
		if _, err := lang.ShapeQuery(name); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names, nil for all shapes.
func (s Shapes) Names() []string {
	if slices.Equal(s, Shapes{"all"}) {
		return nil
	}
	return s
}
