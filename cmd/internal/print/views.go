package print

import (
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/plan"
)

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
