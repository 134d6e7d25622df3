package print

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
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

// view says how the replies of a kind are printed. Formats know no kinds: they know views.
type view struct {
	columns func(r *Reply) []string   // names of the fields for programs
	rows    func(r *Reply) [][]string // these fields
	say     func(p *Printer, r *Reply)
	brief   func(r *Reply, warnings []string) []string
	members func(r *Reply) []any // of the command's JSON object, behind its head
}

var views = map[plan.Kind]view{
	plan.Answers: {listColumns, listRows, sayAnswers, briefList, answersMembers},
	plan.Rows:    {listColumns, listRows, sayRows, briefList, replyMembers},
	plan.Verdict: {verdictColumns, verdictRows, sayVerdict, briefVerdict, verdictMembers},
	plan.Count:   {countColumns, countRows, sayCount, briefCount, countMembers},
}

// TSV returns the fields for programs, with their names.
func (r *Reply) TSV() [][]string {
	v := views[r.Kind]
	return append([][]string{v.columns(r)}, v.rows(r)...)
}

// Text says it to people.
func (r *Reply) Text(p *Printer) {
	views[r.Kind].say(p, r)
	p.Printf("\n%s, in %s\n", strings.Join(r.Foot, ", "), tables.Seconds(r.Seconds))
}

// Brief says it to an assistant, a line each, with warnings of the question.
func (r *Reply) Brief(warnings []string) []string { return views[r.Kind].brief(r, warnings) }

// Members returns what the command's JSON object has behind its head: see Object.
func (r *Reply) Members() []any { return views[r.Kind].members(r) }

func replyMembers(r *Reply) []any { return []any{r.Reply} }

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
