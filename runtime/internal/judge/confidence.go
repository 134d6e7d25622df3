package judge

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// open makes ready to judge what a run of the question's plan has found, as long as its workspace lasts.
func (j *Judge) open(r *run.Result) {
	w := r.Workspace()
	if j.Plan.Semantics != model.NSMP && w != nil && w.HasLinks() {
		j.work = w
	}
	x, why := newScale(j.Model, j.Plan.Semantics, j.Settings, j.HeldOut, j.NoStatus, j.Plan.Disjuncts)
	if why == "" && j.work == nil && j.Here() {
		if d := j.Degrees(); d != nil && *d == j.Bound { // the plan itself finds links
			why = errNoEvidence.Error()
		}
	}
	j.uncalibrated = why
	if why != "" {
		return
	}
	x.memo = j.memo
	j.scale = x
	for i := range j.Plan.Disjuncts {
		j.heed(j.Model, &j.Plan.Disjuncts[i], j.Bindings.Relations)
	}
	if j.Filter.MinConfidence > 0 {
		j.bound()
	}
}

// bound makes ready to bound confidence by scores.
func (j *Judge) bound() {
	j.mostOdds = max(1, j.claims.Applies) // without facts of the question
	for _, r := range j.Bindings.Relations {
		j.mostOdds = max(j.mostOdds, j.odds(j.Model, r))
	}
	j.most = j.mostOf(j.claims)
	j.mostLacking = j.mostOf(j.lacking)
}

// mostOf bounds what a link adds to evidence.
func (j *Judge) mostOf(c *model.Claims) float64 {
	most := c.Unlinked + c.Terms[model.TermAtoms]*j.atoms
	head := graph.EntityID(-1)
	if p := j.Plan.Disjuncts; len(p) == 1 && len(p[0].Atoms) == 1 && p[0].Atoms[0].Head.Constant { // it is the link
		head = j.Bindings.Constants[0]
	}
	for _, r := range j.Bindings.Relations {
		most = max(most, c.Offset(r)+j.Model.MostTerms(&c.Terms, r, head, j.atoms))
	}
	return most
}

// look finds the links of entities that were not looked at yet.
func (j *Judge) look(entities []graph.EntityID) error {
	unseen := j.scratch.unseen[:0]
	for _, e := range entities {
		if _, seen := j.links[e]; !seen {
			unseen = append(unseen, e)
		}
	}
	j.scratch.unseen = unseen
	if len(unseen) == 0 {
		return nil
	}
	list, err := j.find(unseen)
	for i, x := range list {
		j.links[unseen[i]] = x
	}
	return err
}

// find finds the links of entities: in the workspace, or by a run of truth degrees.
func (j *Judge) find(entities []graph.EntityID) ([]plan.Link, error) {
	if j.work != nil {
		return j.work.Links(j.Plan, entities)
	}
	d := j.Degrees()
	if d == nil {
		return nil, errNoEvidence
	}
	list, err := d.Runner.Links(j.ctx, j.Bindings, *j.Settings, entities)
	return list, orNoEvidence(err)
}

// needsLinks reports whether evidence needs the link of an answer, not its score alone.
func (j *Judge) needsLinks() bool { return !j.byScore() || len(j.lettings) > 0 }

// seeks reports whether the best predicted answer is still to be found.
func (j *Judge) seeks() bool { return j.claims != nil && !j.hasBest }

// see notes the best answer that rests on a predicted link.
func (j *Judge) see(e top.Ranked, s Status) {
	if j.seeks() && j.rests(e.Entity, s) {
		j.best = e
		j.hasBest = true
	}
}

// seekSkipped looks for the best predicted answer among the entities that were skipped.
func (j *Judge) seekSkipped() error {
	for _, e := range j.skipped {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		if !j.excluded(e.Entity) && j.rests(e.Entity, j.status(e.Entity)) {
			j.best = e
			j.hasBest = true
			break
		}
	}
	return nil
}

// reference finds the evidence of the best predicted answer.
func (j *Judge) reference() {
	link := j.links[j.best.Entity] // none if the score alone gives the evidence
	j.least = j.evidence(j.best.Score, link.Degree, j.factor(j.best.Entity, link))
	j.ready = true
}

// confide sets the confidence of findings whose status has been looked at; one of them, or an entity skipped
// before, is the best predicted one, unless all are known.
func (j *Judge) confide(found []*Finding) error {
	if j.claims == nil {
		return nil
	}
	predicted := j.scratch.predicted[:0]
	entities := j.scratch.entities[:0]
	for _, a := range found {
		rests := j.rests(a.Entity, a.Status)
		if rests {
			predicted = append(predicted, a)
		}
		if rests || j.refuting > 0 && (a.Status != Known || j.work == nil) {
			entities = append(entities, a.Entity)
		}
	}
	j.scratch.predicted = predicted
	refer := len(predicted) > 0 && !j.ready
	if refer {
		if err := j.seekSkipped(); err != nil {
			return err
		}
		if j.needsLinks() && !slices.Contains(entities, j.best.Entity) {
			entities = append(entities, j.best.Entity)
		}
	}
	j.scratch.entities = entities
	if err := j.look(entities); err != nil {
		return err
	}
	for _, a := range found {
		if !j.rests(a.Entity, a.Status) {
			a.Confidence = j.ifKnown(a.Entity, a.Status)
		}
	}
	if refer {
		j.reference()
	}
	if len(predicted) == 0 {
		return nil
	}
	bases := make([]Basis, len(predicted))
	for i, a := range predicted {
		link := j.links[a.Entity]
		a.Basis = &bases[i]
		factor := j.factor(a.Entity, link)
		a.Confidence, bases[i] = j.judged(j.Model, j.evidence(a.Score, link.Degree, factor), j.least, link, factor*j.behind(a.place))
	}
	return nil
}

// behind returns the factor of the confidence of a predicted answer in a place of the ranking. Benchmark queries leave out
// easy answers that the graph does not know, so the places of others are not those among them.
func (j *Judge) behind(place int) float64 {
	if place <= model.Judged || j.heldOut > 0 {
		return 1
	}
	if !j.counted { // within the budget, so perhaps not all
		known, _ := j.following(j.facts[:1], nil)
		slices.Sort(known)
		known = slices.Clone(slices.Compact(known))
		j.follow(&j.solver, nil)
		j.countKnown(known)
	}
	return model.Behind(place, j.known, j.claims.PerKnown)
}

// countKnown counts the known answers, and those that are known if unknown values meet their filters.
func (j *Judge) countKnown(known []int32) {
	j.known = len(known)
	j.counted = true
	for e, chance := range j.chances {
		if _, is := slices.BinarySearch(known, int32(e)); chance > 0 && !is {
			j.known++
		}
	}
}

// ifKnown returns the confidence of an answer that is known, or would be if unknown values met their filters. If missing
// facts may refute it, its link has been looked at, unless the workspace tells the degree of a known answer.
func (j *Judge) ifKnown(e graph.EntityID, s Status) float64 {
	link := j.links[e]
	switch {
	case s != Known:
		return max(leastConfidence, j.ifMet(e)*j.holds(link.Degree/j.factor(e, link)))
	case j.refuting == 0:
		return 1
	case j.work != nil:
		return max(leastConfidence, j.holds(float64(j.work.Degrees().Degree(int32(e)))))
	}
	return max(leastConfidence, j.holds(link.Degree))
}

// confideAll sets the confidence of all findings, or notes why they have none.
func (j *Judge) confideAll(found []Finding) error {
	all := j.scratch.findings[:0]
	for i := range found {
		all = append(all, &found[i])
	}
	j.scratch.findings = all
	err := j.confide(all)
	if err == nil {
		return nil
	}
	none := noEvidence("")
	if !errors.As(err, &none) {
		return err
	}
	for _, a := range all {
		a.Confidence = 0
		a.Basis = nil
	}
	j.uncalibrated = string(none)
	return nil
}

// atMost bounds the confidence of an entity, if it is not known, by its score.
func (j *Judge) atMost(e top.Ranked) float64 {
	if j.seeks() {
		return 1
	}
	if chance := j.ifMet(e.Entity); chance > 0 {
		return chance
	}
	least := 1.0 // the least factor of a witness, which nobody has looked for yet
	for i := range j.lettings {
		least = min(least, j.lettings[i].chance)
	}
	u := j.evidence(e.Score, least, least)
	margin := 0.0
	if j.ready {
		margin = u - j.least
	} else if j.needsLinks() {
		return 1
	}
	confirmed := j.claims.Curve.At(j.claims.Sum(u, margin, j.most))
	lacking := j.lacking.Curve.At(j.lacking.Sum(u, margin, j.mostLacking))
	return max(leastConfidence, lacking, model.AmongMissing(confirmed, j.mostOdds), model.Shifted(confirmed, j.mostOdds))
}
