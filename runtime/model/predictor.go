package model

import (
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// Predictor is a trained link predictor with scores ⟨r⊗E_h, E_t⟩. Rows are complex numbers, the real half first, and ⊗
// multiplies them.
type Predictor struct {
	// Rank is d, half the width of a row.
	Rank int
	// EntityTable is E, n × 2d.
	EntityTable table.Table
	// EntityNorms holds ‖E_e‖ for each entity, n numbers.
	EntityNorms []float32
	// RelationTable is W, 2|R| × 2d, indexed by RelationID.
	RelationTable []float32
}

// Relation returns the row of r, a view into the table.
func (p *Predictor) Relation(r graph.RelationID) []float32 {
	w := 2 * p.Rank
	return p.RelationTable[int(r)*w : (int(r)+1)*w : (int(r)+1)*w]
}

// validateNumbers checks the tables of a predictor: all numbers are finite, no row is longer than MaxLength, and the
// norms match the rows.
func (p *Predictor) validateNumbers(leave *mapfile.File) error {
	// Decoding rows requires checked codes.
	if err := p.EntityTable.CheckCodes(p.EntityNorms); err != nil {
		return err
	}
	if err := p.EntityTable.CheckRows(table.TensorRows, p.EntityNorms, leave); err != nil {
		return err
	}
	relations := table.Of(table.Parts{Type: table.Float32, Width: 2 * p.Rank, Float32s: p.RelationTable})
	return relations.CheckRows(tensorRelations, nil, nil)
}

// CodeError is the relative error of codes, ‖x − x̂‖/‖x‖: the largest and the mean over the
// rows that are not zero. By Cauchy and Schwarz it bounds the error of a score ⟨q, x̂⟩ relative
// to ‖q‖·‖x‖.
type CodeError struct {
	Largest float64 `json:"largest"`
	Mean    float64 `json:"mean"`
}

// CodeError returns the error of the codes of the entity table.
func (p *Predictor) CodeError() (e CodeError) {
	rows := 0
	for i, r := range p.EntityTable.Codes().Residuals {
		if norm := p.EntityNorms[i]; norm > 0 {
			rel := float64(r) / float64(norm)
			e.Largest, e.Mean, rows = max(e.Largest, rel), e.Mean+rel, rows+1
		}
	}
	e.Mean /= float64(max(1, rows))
	return e
}
