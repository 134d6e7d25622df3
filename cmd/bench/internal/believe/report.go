package believe

import (
	"fmt"
	"io"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// report is the printed report.
type report struct {
	model     *runtime.Model
	command   *Command
	graph     *graph
	semantics model.Semantics
	rows      []tables.Row
	inRange   float64
}

// header names the columns: Sums of confidences, and answers that are true.
var header = []string{
	"questions", ">asked", ">expected", ">true", ">claimed >= .5", ">true", ">second values", ">loops", ">AUC", ">skill", ">ECE",
}

// add adds a row for the claims of some number of questions.
func (r *report) add(k kind, questions int, claims []claim) {
	var expected, second, loops float64
	var right, likely, likelyRight int
	list := make([]eval.Claim, len(claims))
	for i, c := range claims {
		list[i] = c.Claim
		expected += c.Confidence
		if c.second && !c.True {
			second += c.Confidence
		}
		if c.loop && !c.True {
			loops += c.Confidence
		}
		if c.True {
			right++
		}
		if c.Confidence >= runtime.Likely {
			likely++
			if c.True {
				likelyRight++
			}
		}
	}
	x := eval.NewReliability(list)
	if x == nil {
		x = &eval.Reliability{}
	}
	r.rows = append(r.rows, tables.Row{
		k.name, questions, decimals(expected, 1), right, likely, likelyRight, decimals(second, 1), decimals(loops, 2),
		decimals(x.AUC, 3), decimals(x.Skill, 3), decimals(x.ECE, 3),
	})
}

func decimals(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

// write prints the report.
func (r *report) write(to io.Writer) error {
	m := &r.model.Manifest
	facts := []tables.Row{
		{"graph", fmt.Sprintf("%s: %d entities, %d relations, %d facts and %d put aside", r.command.Graph, m.Entities, m.Relations, m.Triples, len(r.graph.aside))},
		{"semantics", r.semantics},
		{"assumed to be missing", fmt.Sprintf("%.1f%% of the facts, %.1f%% for questions of held-out facts", 100*m.Missing.Assumed, 100*m.Missing.HeldOut)},
		{"held-out facts against tails in range", "AUC of confidence " + decimals(r.inRange, 3)},
	}
	_, err := fmt.Fprintf(to, "%s\n\n%s\n", tables.Text(nil, facts), tables.Text(header, r.rows))
	return err
}
