package runtime

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model"
)

// mostFiltered bounds the rows that a filtered search examines.
const mostFiltered = 4096

// rowOptions checks and completes the options of a question for rows.
func (q *Question) rowOptions(o Options) (Options, error) {
	if err := q.checkRowOptions(o); err != nil {
		return o, err
	}
	// The number of rows may exceed the number of entities, which bounds other answers.
	k := cmp.Or(o.K, DefaultK)
	offset := o.Offset
	o, err := o.withDefaults(q.Model())
	o.K = k
	o.Offset = offset
	for _, part := range q.parts {
		err = cmp.Or(err, part.checkLayers(o.Settings))
	}
	return o, err
}

// checkRowOptions reports options that a question for rows does not accept.
func (q *Question) checkRowOptions(o Options) error {
	if err := o.Check(q.Model()); err != nil {
		return err
	}
	if o.Coverage > 0 {
		return badOption("Coverage", "it is for answers of one variable: see the question for each alone")
	}
	if o.K > MaxRows || o.Offset > MaxRows {
		return badOption("K", "%d rows after the first %d are wanted: of both, %d is the limit", cmp.Or(o.K, DefaultK), o.Offset, MaxRows)
	}
	if rows := o.K + o.Offset; rows > mostFiltered {
		if err := checkRowMemory(rows, len(q.spec.Variables), memory.Available()); err != nil {
			return err
		}
	}
	return cmp.Or(q.checkRowFilter(o.Filter, o.Settings), q.checkRowShow(o.Show))
}

// valueBytes is about the memory of a value in a row of a reply, and of its text.
const valueBytes = 1 << 10

// checkRowMemory refuses more rows than the available memory holds, which is 0 if it is unknown.
func checkRowMemory(rows, variables int, available int64) error {
	if need := int64(rows) * int64(variables) * valueBytes; available > 0 && need > available {
		return badOption("K", "%d rows take about %d MB of memory, more than is available: ask for fewer", rows, need>>20)
	}
	return nil
}

// checkRowFilter reports a filter that rows do not support, or that needs missing confidences.
func (q *Question) checkRowFilter(f AnswerFilter, s *model.Settings) error {
	const alone = "rows of several answer variables are filtered by status and confidence alone"
	switch why := q.Uncalibrated(s); {
	case f.InRange:
		return badOption("InRange", alone)
	case f.Type != model.Type{}:
		return badOption("Type", "%s: state the type of a variable as an atom, as in x, y: borders(x, y) & in_continent(x, \"Europe\")", alone)
	case f.MinConfidence > 0 && why != "":
		return badOption("MinConfidence", "%s", why)
	}
	return nil
}

// checkRowShow reports variables that cannot be shown.
func (q *Question) checkRowShow(variables []string) error {
	var known [][]string
	for _, parts := range q.rows.rest {
		known = append(known, q.parts[parts[len(parts)-1]].names.variables...)
	}
	for _, name := range variables {
		if slices.Contains(q.spec.Variables, name) {
			return badOption("Show", "variable %q is an answer variable: show variables under exists", name)
		}
	}
	return checkShow(known, variables)
}
