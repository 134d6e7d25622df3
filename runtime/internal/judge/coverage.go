package judge

import (
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// cover returns the number of best entities that hold all true answers, with the chance that is wanted.
func (j *Judge) cover(r *run.Result) (size int, err error) {
	ratio, _ := j.claims.Coverage[scq.Form(j.Plan.Disjuncts)].At(j.Coverage)
	for e := range r.Descending(j.ctx) {
		if err := j.ctx.Err(); err != nil {
			return 0, err
		}
		if j.excluded(e.Entity) || !j.ofTypes(e.Entity) {
			continue
		}
		if j.seeks() {
			j.see(e, j.status(e.Entity))
		}
		if j.hasBest && model.Ratio(j.semantics, e.Score, j.best.Score) < ratio {
			break
		}
		size++
	}
	return size, r.Err()
}
