package print

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Reply is a reply with everything else that its text includes.
type Reply struct {
	*runtime.Reply
	Offset  int // number of better answers that were skipped
	Degrees model.Degrees
	Layers  []int             // of each disjunct
	Why     []runtime.Witness // of the first answers of one variable
	Explain int               // number of answers to explain
	WhyNot  *runtime.WhyNot
	Foot    []string                 // how it was found, in parts
	Short   func(name string) string // abbreviates names; nil to print them whole
	Seconds float64
}

// Printer keeps its first error, so that printing needs no error branches.
type Printer struct {
	W   io.Writer
	Err error

	abbreviate func(name string) string
}

// name abbreviates a name.
func (p *Printer) name(whole string) string {
	if p.abbreviate == nil {
		return whole
	}
	return p.abbreviate(whole)
}

// Printf prints.
func (p *Printer) Printf(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format, args...)
	}
}

// Table prints aligned columns in the layout of tables.Text.
func (p *Printer) Table(header []string, rows []table.Row) {
	p.Printf("%s\n", tables.Text(header, rows))
}
