package print

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Reply is a reply with what else its text says.
type Reply struct {
	*runtime.Reply
	Show    []string // variables whose values stand beside the answers
	Offset  int      // better answers that were left out
	Degrees model.Degrees
	Layers  []int             // of each disjunct
	Why     []runtime.Witness // of the first answers of one variable
	Explain int               // how many rows of several to explain
	Foot    []string          // how it was found, in parts
	Seconds float64
}

// Printer keeps its first error, so that printing needs no error branches.
type Printer struct {
	W   io.Writer
	Err error
}

// Printf prints.
func (p *Printer) Printf(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format, args...)
	}
}

// Table prints aligned columns, as tables.Text lays them out.
func (p *Printer) Table(header []string, rows []table.Row) {
	p.Printf("%s\n", tables.Text(header, rows))
}
