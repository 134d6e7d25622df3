package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
	"github.com/jedib0t/go-pretty/v6/text"
)

// layersPerTable is the number of layers per table.
const layersPerTable = 8

// meanings describe answers under semantics other than message passing.
var meanings = map[model.Semantics]string{
	model.FIT:   "truth degrees: the best witness counts (fit)",
	model.Mixed: "a mixture of message passing and truth degrees (mixed)",
}

// stepWidth is the wrapping width for a step of truth degrees.
const stepWidth = 90

// docWidth is the wrapping width for descriptions of passes.
const docWidth = 50

// Text writes the report for people: the query graph, the schedule, the cost and, with plans, the plan after each
// step.
func (r *Report) Text(w io.Writer, plans bool) error {
	t := &textWriter{}
	t.printf("query  %s\n", strings.ReplaceAll(strings.TrimPrefix(r.Query, "query "), "\n", "\n       "))
	if r.Parts != nil {
		t.parts(r, plans)
		_, err := io.WriteString(w, t.String())
		return err
	}
	shape := r.Shape
	if r.ShapeName != "" {
		shape = r.ShapeName + ": " + shape
	}
	t.printf("shape  %s\n", shape)
	if meaning := meanings[r.Semantics]; meaning != "" {
		t.printf("means  %s\n", meaning)
	}
	for i := range r.Disjuncts {
		heading := ""
		if len(r.Disjuncts) > 1 {
			heading = fmt.Sprintf(" of disjunct %d of %d", i+1, len(r.Disjuncts))
		}
		t.graph(&r.Disjuncts[i], heading)
		if r.Disjuncts[i].L > 0 {
			t.schedule(&r.Disjuncts[i], i, heading)
		}
	}
	if r.Semantics != model.FIT {
		t.legend(r)
	}
	t.degrees(r.Degrees)
	t.cost(r)
	if x := r.Cost.Table; x != nil {
		t.entityTable(x, &r.Cost)
	}
	if plans {
		t.plans(r)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// parts writes the parts of a query with several answer variables.
func (t *textWriter) parts(r *Report, plans bool) {
	if meaning := meanings[r.Semantics]; meaning != "" {
		t.printf("means  %s\n", meaning)
	}
	t.printf("\nThe best rows are found best first: for each of the most promising values, the next variable is asked for.\n\n")
	var rows []tables.Row
	for _, p := range r.Parts {
		rows = append(rows, tables.Row{p.Asks, p.Semantics, p.Cost.SweepsAfter, text.WrapSoft(p.Query, stepWidth)})
	}
	t.table([]string{"asks for", "by", ">sweeps", "query"}, rows)
	for _, p := range r.Parts {
		if plans {
			t.printf("\n%s\n", p.Asks)
			t.plans(p.Report)
		}
	}
}

// textWriter holds the text so far.
type textWriter struct{ strings.Builder }

func (t *textWriter) printf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

// table writes rows below a header in aligned columns: see tables.Text.
func (t *textWriter) table(header []string, rows []tables.Row) {
	for line := range strings.SplitSeq(tables.Text(header, rows), "\n") {
		t.printf("  %s\n", line)
	}
}

// graph writes the terms and the edges of a disjunct.
func (t *textWriter) graph(d *Disjunct, heading string) {
	t.printf("\nquery graph%s\n", heading)
	var rows []tables.Row
	for _, n := range d.Terms {
		kind := map[TermKind]string{Free: "free variable", Existential: "existential variable", Constant: "constant"}[n.Kind]
		if n.Kind == Constant && strings.HasPrefix(n.Name, "$") {
			kind = "parameter"
		}
		rows = append(rows, tables.Row{n.ID, n.Name, kind})
	}
	t.table([]string{"term", "in the query", "kind"}, rows)
	rows = nil
	header := []string{"edge", "in the query"}
	if slices.ContainsFunc(d.Edges, func(e Edge) bool { return e.ReadAs != "" }) {
		header = append(header, "read as")
	}
	for _, e := range d.Edges {
		rows = append(rows, tables.Row{e.Text, e.Atom, e.ReadAs}[:len(header)])
	}
	for _, f := range d.Filters {
		rows = append(rows, tables.Row{f.Text, f.Condition, ""}[:len(header)])
	}
	t.printf("\n")
	t.table(header, rows)
}

// schedule writes a row per message and a column per layer.
func (t *textWriter) schedule(d *Disjunct, index int, heading string) {
	why := "D+1"
	if d.L != d.D+1 {
		why = fmt.Sprintf("as asked for; D+1 is %d", d.D+1)
	}
	t.printf("\nschedule%s: D = %s, L = %s (%s)\n", heading, tables.Number(d.D, "variable"), tables.Number(d.L, "layer"), why)
	for _, s := range d.Starts {
		var atoms []string
		for _, e := range s.Edges {
			atoms = append(atoms, d.Edges[e].Atom)
		}
		t.printf("  %s, which no entity anchors, starts from the observed facts of %s\n", s.Term, strings.Join(atoms, " and "))
	}
	for start := 0; start < d.L; start += layersPerTable {
		layers := d.Layers[start:min(start+layersPerTable, d.L)]
		header := []string{"from", "to", "along"}
		for _, l := range layers {
			header = append(header, fmt.Sprintf("layer %d", l.Layer))
		}
		var rows []tables.Row
		for i, m := range layers[0].Messages {
			row := tables.Row{m.From, m.To, d.Edges[m.Edge].Atom}
			for _, l := range layers {
				row = append(row, cell(l.Messages[i], index))
			}
			rows = append(rows, row)
		}
		if start > 0 {
			t.printf("\n")
		}
		t.table(header, rows)
	}
}

// degrees writes the steps of truth degrees.
func (t *textWriter) degrees(steps []DegreeStep) {
	if len(steps) == 0 {
		return
	}
	t.printf("\ntruth degrees\n")
	var rows []tables.Row
	for _, s := range steps {
		sweep := ""
		if s.Sweep > 0 {
			sweep = fmt.Sprint(s.Sweep)
		}
		rows = append(rows, tables.Row{sweep, s.Op, text.WrapSoft(s.What, stepWidth)})
	}
	t.table([]string{">sweep", "operation", "of"}, rows)
}

// cell returns the state of a message in a few characters.
func cell(m Message, disjunct int) string {
	switch o := m.SharedWith; {
	case o == nil:
		return string(m.State)
	case o.Disjunct == disjunct:
		return fmt.Sprintf("= layer %d", o.Layer)
	default:
		return fmt.Sprintf("= layer %d of %d", o.Layer, o.Disjunct+1)
	}
}

// legend explains the states in use.
func (t *textWriter) legend(r *Report) {
	t.printf("\n")
	n := r.Cost.Messages
	across := false
	for i, d := range r.Disjuncts {
		for _, l := range d.Layers {
			for _, m := range l.Messages {
				across = across || m.SharedWith != nil && m.SharedWith.Disjunct != i
			}
		}
	}
	for _, line := range []struct {
		show       bool
		word, text string
	}{
		{n.Sent > 0, "sent", "computed in this layer"},
		{n.Shared > 0, "= layer n", "shared: equal to the message of layer n, computed once"},
		{across, "= layer n of d", "shared with layer n of disjunct d"},
		{n.Pruned > 0, "pruned", "not sent: the sender is uninitialised"},
		{n.Dead > 0, "dead", "not computed: it never reaches the free variable"},
	} {
		if line.show {
			t.printf("  %-14s  %s\n", line.word, line.text)
		}
	}
}

// cost writes the savings of the passes.
func (t *textWriter) cost(r *Report) {
	c := &r.Cost
	whole := ""
	if c.SweepsWhole != c.SweepsAfter {
		whole = fmt.Sprintf(" for the best answers, %d for a whole ranking", c.SweepsWhole)
	}
	t.printf("\ncost: %d -> %d sweeps of the entity table%s\n", c.SweepsBefore, c.SweepsAfter, whole)
	if n := c.Messages; n.total() > 0 {
		t.printf("  %d messages: %d sent, %d shared, %d pruned, %d dead\n", n.total(), n.Sent, n.Shared, n.Pruned, n.Dead)
	}
	if len(r.Degrees) > 0 {
		t.printf("  rows of truth degrees that are kept from earlier queries need no sweep\n")
	}
	t.printf("\n")
	var rows []tables.Row
	for _, s := range c.Steps {
		doc := s.Doc
		if !s.Changed {
			doc = "changed nothing"
		}
		rows = append(rows, tables.Row{s.Name, s.Values, s.Sweeps, text.WrapSoft(doc, docWidth)})
	}
	t.table([]string{"after", ">values", ">table sweeps", "what it does"}, rows)
	t.printf("\n")
	rows = nil
	for _, o := range c.Ops {
		each := "-"
		if o.Sweeps > 0 {
			each = fmt.Sprint(o.Sweeps)
		}
		rows = append(rows, tables.Row{o.Name, o.Before, o.After, each, o.Formula})
	}
	t.table([]string{"operation", ">before", ">after", ">table sweeps each", "formula"}, rows)
}

// Summary describes, in Markdown, the cost of the best answers on a model with entity table x: in a sentence or, for
// a query with several answer variables, in a list of the parts.
func (r *Report) Summary(x *Table) string {
	if r.Parts != nil {
		lines := []string{fmt.Sprintf("rows, semantics %s; the search for them asks for", r.Semantics), ""}
		for _, p := range r.Parts {
			lines = append(lines, "- "+p.Asks+": "+p.Summary(x))
		}
		return strings.Join(lines, "\n")
	}

	sweeps := r.Cost.sweeps(x.Access)
	return fmt.Sprintf("shape %s, semantics %s: %s of the entity table of %s, which read %s",
		cmp.Or(r.ShapeName, r.Shape), r.Semantics, tables.Number(sweeps, "sweep"), size(float64(x.SweepBytes)), size(float64(sweeps*x.SweepBytes)))
}

// entityTable writes how plans read a model's entity table, and why.
func (t *textWriter) entityTable(x *Table, c *Cost) {
	compared := "fits in"
	switch {
	case x.Access.Estimates:
		compared = "takes more than twice"
	case x.SweepBytes > x.CacheBytes:
		compared = "takes less than twice"
	}
	sweeps := c.sweeps(x.Access)
	t.printf("\nthe model's entity table, %d × %d, %s the second-level cache of %s: %s\n", x.Rows, x.Width, compared, size(float64(x.CacheBytes)), x.Access)
	t.printf("  a sweep reads %s, and the best answers take %s\n", size(float64(x.SweepBytes)), tables.Number(sweeps, "sweep"))
	codes := x.Codes
	if codes == nil {
		return
	}
	t.printf("  its %s codes miss a score by at most %.2f%% of the lengths of its row and query (%.2f%% on average);\n",
		codes.Table, 100*codes.Error.Largest, 100*codes.Error.Mean)
	if codes.Exact == "" {
		t.printf("  there are no exact rows beside them\n")
		return
	}
	t.printf("  the rows that carry a state, and those that may be among the best, are read again as %s\n", codes.Exact)
}

// plans writes the plan after each step.
func (t *textWriter) plans(r *Report) {
	for _, p := range r.Plans {
		if !p.Changed {
			t.printf("\nplan after %s: unchanged\n", p.After)
			continue
		}
		t.printf("\nplan after %s\n", p.After)
		for line := range strings.SplitSeq(strings.TrimSuffix(p.Text, "\n"), "\n") {
			t.printf("  %s\n", line)
		}
	}
}

// size formats a number of bytes with a prefix: 29.7 MB.
func size(bytes float64) string {
	for _, p := range []struct {
		size   float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if bytes >= 0.9995*p.size {
			return fmt.Sprintf("%.3g %sB", bytes/p.size, p.prefix)
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}
