package runtime

import (
	"bytes"
	"encoding/json"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Reply is the reply to a question. Depending on Kind, it has Rows, a Verdict or a Count. The other fields
// describe rows.
type Reply struct {
	Kind plan.Kind
	// Variables are the names of the answer variables.
	Variables []string
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Rows are the K answers with the largest scores that pass Options.Filter, best first, ties in
	// the order of their entities' ids. Rows of several variables have scores above 0, and under
	// model.NSMP known rows come before all others, unless Options.NoStatus leaves out statuses.
	Rows    []Row
	Verdict *Verdict
	Count   *Count
	// Uncalibrated says why the rows have no confidence; it is empty if they have one.
	Uncalibrated string
	// Coverage describes the answers that Options.Coverage asks for; it is nil without that option.
	Coverage *Coverage
	// Next is the Offset of the next page, 0 if there is none.
	Next int
	// Incomplete says that a filtered search reached its bound, see Filter, or that the context of a search for rows
	// of several variables ended.
	Incomplete bool
	// Proved says that no omitted row ranks before one of Rows. If it is false, the search exhausted
	// Options.Prefixes: it tried Searched values of the variables before the last. Both concern rows of several
	// variables.
	Proved   bool
	Searched int
	// Sets are the fuzzy sets of the existential variables, for answers of one variable.
	Sets []FuzzySet
	// Columns are the attributes by which the question filters its answer variables: see Value.Attributes.
	Columns []Column
	// Show names the existential variables whose values the rows show: Options.Show, or else the template's.
	Show []string
	// Changes compares the rows with those of another question, and Before is the verdict or the count of that: see
	// Question.AskAgainst. Both are nil otherwise.
	Changes []AnswerChange
	Before  *Reply
}

// Coverage is a number of best answers that hold all true ones, with a calibrated chance.
type Coverage struct {
	// Level is the chance. It is for questions like the validation questions, to which the graph lacks an answer.
	Level float64 `json:"level"`
	// Size is the number of answers. The chance is smaller if the reply has fewer rows.
	Size int `json:"size"`
	// Questions is the number of validation questions that Size rests on.
	Questions int `json:"questions"`
}

// AnswerChange is an answer or a row that one reply has and another lacks, or that ranks differently in both.
type AnswerChange struct {
	Values []Value `json:"values"`
	// Change is came, went, rose or fell. An answer rises if it becomes known, or if its confidence grows by a percent
	// or more; without confidences, if its rank improves.
	Change string `json:"change"`
	// Before and After are its places; Before is nil if it came, After if it went.
	Before *Standing `json:"before,omitempty"`
	After  *Standing `json:"after,omitempty"`
}

// Standing is the place of an answer in a reply.
type Standing struct {
	Rank       int     `json:"rank"` // from 1
	Confidence float64 `json:"confidence,omitempty"`
	Score      float32 `json:"score"`
	Status     Status  `json:"status"`
}

// Count is the number of entities that answer a query: the known ones, and how many more to expect.
type Count struct {
	// Variable is the name of the free variable.
	Variable string `json:"variable"`
	// Known counts the answers that follow from the observed graph.
	Known int `json:"known"`
	// Missing is the expected number of other answers: the sum of the confidences of all other
	// entities.
	Missing float64 `json:"missing"`
	// Low and High are estimated bounds on the number of all answers, including known ones. They hold for nine of ten
	// validation queries.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Uncalibrated says why Missing is not estimated; it is empty if there is an estimate. Without one,
	// Missing is 0, and Low and High equal Known.
	Uncalibrated string          `json:"uncalibrated,omitempty"`
	Semantics    model.Semantics `json:"semantics"`
}

// Total is the expected number of answers.
func (c *Count) Total() float64 { return float64(c.Known) + c.Missing }

// Likely is the least confidence at which a predicted sentence holds: see Verdict.Holds.
const Likely = 0.5

// Verdict is the answer to a sentence, which asks yes or no.
type Verdict struct {
	// Holds says that the sentence is known, or predicted with a confidence of at least Likely.
	Holds bool `json:"holds"`
	// Status is the status of the whole sentence: Known if it follows from the observed graph, otherwise Confirmed if
	// it follows once the held-back facts are added, which may also refute it.
	Status Status `json:"status"`
	// Confidence is the probability that the best witness is right, calibrated as for a Row: the product over the
	// claims of its disjunct. It is a lower bound, since other witnesses may be right instead. It is 0 if there is
	// none; Uncalibrated then says why.
	Confidence   float64 `json:"confidence,omitempty"`
	Uncalibrated string  `json:"uncalibrated,omitempty"`
	// Degree is the truth degree of the sentence, as package compiler defines it.
	Degree    float64         `json:"degree"`
	Semantics model.Semantics `json:"semantics"`
	// Witnesses has a witness for each claim of the best disjunct: a known one, otherwise the one with the greatest
	// confidence, or with the greatest degree if there are no confidences.
	Witnesses []Witness `json:"witnesses"`
}

// MarshalJSON writes the reply in the form for its kind. A row of one variable contains its entity's fields.
func (r *Reply) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the calling encoder escapes where it has to
	err := e.Encode(r.json())
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// json returns the reply as a value with JSON tags.
func (r *Reply) json() any {
	switch r.Kind {
	case plan.Rows:
		return &rowsJSON{r.Variables, r.Semantics, r.Rows, r.Uncalibrated, r.Next, r.Proved, r.Searched, r.Incomplete, r.Changes}
	case plan.Verdict:
		return verdictJSON{r.Verdict, r.Before}
	case plan.Count:
		return countJSON{r.Count, r.Before}
	}
	out := &answersJSON{r.Variables[0], r.Semantics, make([]answerJSON, len(r.Rows)), r.Uncalibrated, r.Coverage, r.Next, r.Incomplete, nil, r.Changes}
	for i, x := range r.Rows {
		out.Answers[i] = answerJSON{memberOf(&r.Rows[i]), x.Confidence, x.Basis, x.Status, x.OutOfRange, x.Values[0].Attributes, x.Shown}
	}
	for _, s := range r.Sets {
		set := setJSON{s.Disjunct, s.Variable, nil}
		for i := range s.Top {
			set.Top = append(set.Top, memberOf(&s.Top[i]))
		}
		out.Sets = append(out.Sets, set)
	}
	return out
}

type answersJSON struct {
	Variable     string          `json:"variable"`
	Semantics    model.Semantics `json:"semantics"`
	Answers      []answerJSON    `json:"answers"`
	Uncalibrated string          `json:"uncalibrated,omitempty"`
	Coverage     *Coverage       `json:"coverage,omitempty"`
	Next         int             `json:"next,omitempty"`
	Incomplete   bool            `json:"incomplete,omitempty"`
	Sets         []setJSON       `json:"sets,omitempty"`
	Changes      []AnswerChange  `json:"changes,omitzero"`
}

type answerJSON struct {
	memberJSON
	Confidence float64    `json:"confidence,omitempty"`
	Basis      *Basis     `json:"basis,omitempty"`
	Status     Status     `json:"status"`
	OutOfRange bool       `json:"out_of_range,omitempty"`
	Attributes Attributes `json:"attributes,omitempty"`
	Values     []Value    `json:"values,omitempty"`
}

type setJSON struct {
	Disjunct int          `json:"disjunct"`
	Variable string       `json:"variable"`
	Top      []memberJSON `json:"top"`
}

type memberJSON struct {
	ID    graph.EntityID `json:"id"`
	Name  string         `json:"name"`
	Label string         `json:"label"`
	Score float32        `json:"score"`
}

// memberOf returns the entity of a row of one variable, with its score.
func memberOf(r *Row) memberJSON {
	v := &r.Values[0]
	return memberJSON{v.ID, v.Name, v.Label, r.Score}
}

type rowsJSON struct {
	Variables    []string        `json:"variables"`
	Semantics    model.Semantics `json:"semantics"`
	Rows         []Row           `json:"rows"`
	Uncalibrated string          `json:"uncalibrated,omitempty"`
	Next         int             `json:"next,omitempty"`
	Proved       bool            `json:"proved"`
	Searched     int             `json:"searched"`
	Incomplete   bool            `json:"incomplete,omitempty"`
	Changes      []AnswerChange  `json:"changes,omitzero"`
}

type verdictJSON struct {
	Verdict *Verdict `json:"verdict"`
	Before  *Reply   `json:"before,omitempty"`
}

type countJSON struct {
	Count  *Count `json:"count"`
	Before *Reply `json:"before,omitempty"`
}
