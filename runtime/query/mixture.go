package query

import "github.com/efoc/efoc/runtime/model"

// NewMixture returns the plan of the mixture of message passing and truth degrees, made of
// the plan of a shape for message passing and of its Degrees: both run in turn, each in
// buffers of its own, and their answers are mixed. Its fuzzy sets are those of truth
// degrees. messages must not have a Bind function.
func NewMixture(messages *Plan) *Plan {
	degrees := messages.Degrees
	p := *degrees
	p.Semantics, p.Layers = model.Mixed, messages.Layers
	p.Vectors = messages.Vectors + degrees.Vectors
	p.Embeddings = max(messages.Embeddings, degrees.Embeddings)
	p.spareSets = len(messages.Sets)
	p.Run = func(w *Workspace) error {
		vectors, sets := w.vectors, w.sets
		defer func() { w.vectors, w.sets = vectors, sets }()
		w.vectors, w.sets, w.places = vectors[:messages.Vectors], sets[:len(messages.Sets)], messages.Places
		if err := messages.Run(w); err != nil {
			return err
		}
		probabilities := w.answer
		w.vectors, w.sets, w.places = vectors[messages.Vectors:], sets, degrees.Places
		if err := degrees.Run(w); err != nil {
			return err
		}
		w.Degrees().Mixture(w.answer, probabilities, w.answer)
		return w.Err()
	}
	return &p
}
