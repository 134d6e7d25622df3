package print

import (
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// view is the printer for replies of a kind. Formats know only views.
type view struct {
	columns func(r *Reply) []string   // names of the fields for programs
	rows    func(r *Reply) [][]string // these fields
	say     func(p *Printer, r *Reply)
	brief   func(r *Reply) []string
	members func(r *Reply) []any // of the command's JSON object, after its head
}

var views = map[plan.Kind]view{
	plan.Answers: {listColumns, listRows, sayList, briefList, listMembers},
	plan.Rows:    {listColumns, listRows, sayList, briefList, listMembers},
	plan.Verdict: {verdictColumns, verdictRows, sayVerdict, briefVerdict, verdictMembers},
	plan.Count:   {countColumns, countRows, sayCount, briefCount, countMembers},
}

// TSV returns the fields for programs, with their names.
func (r *Reply) TSV() [][]string {
	v := views[r.Kind]
	return append([][]string{v.columns(r)}, v.rows(r)...)
}

// Text prints the reply for people.
func (r *Reply) Text(p *Printer) {
	p.abbreviate = r.Short
	views[r.Kind].say(p, r)
	p.compared(r)
	p.Printf("\n%s, in %s\n", strings.Join(r.Foot, ", "), tables.Seconds(r.Seconds))
}

// Brief formats the reply for an assistant, by lines.
func (r *Reply) Brief() []string {
	return append(views[r.Kind].brief(r), briefChanges(r)...)
}

// Members returns the members of the command's JSON object after its head: see Object.
func (r *Reply) Members() []any {
	members := views[r.Kind].members(r)
	if r.Before == nil {
		return members
	}
	return append(members, struct {
		Before *runtime.Reply `json:"before"`
	}{r.Before})
}
