package train

import "github.com/efoc/efoc/kernels/simd"

// next keeps the best model of the current member, and begins the next one.
func (r *Run) next() {
	r.members = append(r.members, r.current())
	r.best = nil
	r.Curve = nil
	r.end = 0
	r.earlier = r.seconds
	r.Trainer.restart()
}

// current returns the best model of the current member, or, without validation, a copy of the last one.
func (r *Run) current() snapshot {
	if r.best != nil {
		return *r.best
	}
	return *r.Trainer.snapshot(nil)
}

// model returns the best tables, or the current ones without validation. Those of several members are joined, which
// ends the run: only its history remains usable.
func (r *Run) model() (entities, relations *matrix) {
	if len(r.members) > 0 && r.joined == 0 {
		r.join()
	}
	if r.best != nil {
		return &r.best.entities, &r.best.relations
	}
	return &r.Trainer.entities.values, &r.Trainer.relations.values
}

// join replaces the models of the members by one whose scores are the means of theirs.
func (r *Run) join() {
	joint := &snapshot{epoch: r.Best()}
	list := append(r.members, r.current())
	r.Trainer = r.Trainer.history()
	r.members = make([]snapshot, len(r.members))
	r.joined = len(list)
	var entities, relations []*matrix
	for i := range list {
		entities = append(entities, &list[i].entities)
		relations = append(relations, &list[i].relations)
	}
	rank := r.Trainer.options.Rank
	joint.entities = sideBySide(entities, rank, 1)
	joint.relations = sideBySide(relations, rank, 1/float32(len(list)))
	r.best = joint
}

// rank returns the rank of the model.
func (r *Run) rank() int { return r.Trainer.options.Rank * max(1, r.joined) }

// sideBySide returns a table of the rows of several tables side by side, times a factor: all real parts, then all
// imaginary ones.
func sideBySide(list []*matrix, rank int, factor float32) matrix {
	out := newMatrix(list[0].rows, 2*roundUp(rank*len(list)))
	for i := range out.rows {
		real := out.row(i)
		imaginary := real[out.width/2:]
		for k, m := range list {
			row := m.row(i)
			simd.Scale(real[k*rank:(k+1)*rank], row[:rank], factor)
			simd.Scale(imaginary[k*rank:(k+1)*rank], row[m.width/2:m.width/2+rank], factor)
		}
	}
	return out
}
