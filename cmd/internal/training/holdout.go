package training

const (
	// validShare is the share of facts held out for validation, and mostValid bounds their number.
	validShare = 0.1
	mostValid  = 20_000
)

// holdOut holds facts out of the observed graph if there is no validation split. The seed is fixed, so that a resumed
// job has the same facts.
func (j *Job) holdOut() {
	d := j.Data
	all := len(d.Train)
	facts := 0
	switch {
	case len(d.Valid) > 0:
	case j.Given.Valid != nil:
		facts = int(*j.Given.Valid * float64(all))
	case j.Calibration == nil:
	case all < LeastFacts:
		j.Out.Note("%d facts are too few to hold some out for validation: efoc uses the default settings, and answers have no confidence (--trainer valid=10%% holds out a tenth anyway)", all)
	default:
		facts = min(mostValid, int(validShare*float64(all)))
	}
	if facts == 0 {
		return
	}

	d.HoldOut(facts)
	j.Out.Note("hold out %d of %d facts for validation, which chooses the best epoch, settings and confidence; the model's graph has all of them (--trainer valid)", len(d.Valid), all)
	j.heldOut = len(d.Valid) > 0
}
