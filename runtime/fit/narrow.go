package fit

// narrowBlock is the number of branches that workers share between calls of goesOn.
const narrowBlock = 8 * someBranches

// narrowAll evaluates the branches of a push for which narrowed is less work than pushed, and leaves the others nil.
// Workers share the branches, and no result depends on another one. The first worker uses the memory of the run.
func (w *work) narrowAll() {
	if w.narrow == nil {
		w.narrow = w.narrowSome
	}
	for len(w.helpers) < w.run.Workers.Size() {
		w.helpers = append(w.helpers, &work{})
	}
	p := &w.pushing
	branches := len(p.set.each)
	for p.next = 0; p.next < branches && w.goesOn(); p.next += narrowBlock {
		block := min(narrowBlock, branches-p.next)
		w.run.Workers.Each((block+someBranches-1)/someBranches, w.narrow)
	}
	for _, h := range w.helpers {
		*h = work{room: h.room}
	}
}

// narrowSome narrows some branches of a block.
func (w *work) narrowSome(worker, i int) {
	on := w
	if worker > 0 {
		on = w.helpers[worker]
		on.help(w)
	}
	first := w.pushing.next + i*someBranches
	end := min(first+someBranches, len(w.pushing.set.each))
	for b := first; b < end && w.run.Err() == nil; b++ {
		on.narrowBranch(b)
	}
}

// help prepares a helper for a push of a run, unless it is prepared.
func (w *work) help(run *work) {
	if w.model != nil {
		return
	}
	if w.room == nil {
		w.room = &room{}
		w.arena.N = run.arena.N
	}
	w.arena.Norm = run.arena.Norm
	w.model = run.model
	w.pushing = pusher{sharedPush: run.pushing.sharedPush, degrees: w.arena.Floats.Take(len(run.pushing.top.ids))}
}

// narrowBranch is narrowAll for a branch.
func (w *work) narrowBranch(b int) {
	p := &w.pushing
	y := p.known.branch(b)
	u := p.set.made.of.branch(b)
	if y.Wide() || y.Empty() || u.Empty() {
		return
	}
	p.rowsAlone = p.addsRows(b)
	w.weigh(p, u)
	if p.few(y) {
		w.setBranch(p, b, w.narrowed(p, y, u))
	}
}
