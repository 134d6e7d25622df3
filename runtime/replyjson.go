package runtime

import (
	"bytes"
	"encoding/json"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// MarshalJSON writes what a question of the reply's kind is answered with. The entity of a row of one
// variable is part of the row.
func (r *Reply) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the encoder that calls this escapes where it has to
	err := e.Encode(r.json())
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// json returns the reply as a value with JSON tags.
func (r *Reply) json() any {
	switch r.Kind {
	case plan.Rows:
		return &rowsJSON{r.Variables, r.Semantics, r.Rows, r.Uncalibrated, r.Next, r.Proved, r.Searched, r.Incomplete}
	case plan.Verdict:
		return verdictJSON{r.Verdict}
	case plan.Count:
		return countJSON{r.Count}
	}
	out := &answersJSON{r.Variables[0], r.Semantics, make([]answerJSON, len(r.Rows)), r.Uncalibrated, r.Next, r.Incomplete, nil}
	for i, x := range r.Rows {
		out.Answers[i] = answerJSON{memberOf(&r.Rows[i]), x.Confidence, x.Basis, x.Status, x.OutOfRange, x.Shown}
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
	Next         int             `json:"next,omitempty"`
	Incomplete   bool            `json:"incomplete,omitempty"`
	Sets         []setJSON       `json:"sets,omitempty"`
}

type answerJSON struct {
	memberJSON
	Confidence float64 `json:"confidence,omitempty"`
	Basis      *Basis  `json:"basis,omitempty"`
	Status     Status  `json:"status"`
	OutOfRange bool    `json:"out_of_range,omitempty"`
	Values     []Value `json:"values,omitempty"`
}

type setJSON struct {
	Disjunct int          `json:"disjunct"`
	Variable string       `json:"variable"`
	Top      []memberJSON `json:"top"`
}

type memberJSON struct {
	ID    model.EntityID `json:"id"`
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
}

type verdictJSON struct {
	Verdict *Verdict `json:"verdict"`
}

type countJSON struct {
	Count *Count `json:"count"`
}
