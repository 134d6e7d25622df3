package runtime

import "context"

// Runner answers in place of a plan's Run function: on another device. It is safe
// for concurrent use, and comparable, such as a pointer: queries with the same Runner are
// answered in one batch. Bindings and settings have been checked.
type Runner interface {
	// Top returns the k best entities of the answer, and the setSize best of each
	// fuzzy set, for each query of the batch, in order.
	Top(ctx context.Context, batch []Bindings, s Settings, k, setSize int) ([]Ranking, error)
	// Scores hands the probability of every entity, and the fuzzy sets, of each query
	// of the batch to use.
	Scores(ctx context.Context, batch []Bindings, s Settings, use func(i int, answer Vector, sets []Vector) error) error
}

// AnyModel is what a query can be bound to: a *Model, for which the processor
// answers, or a model on a device, such as a *device.Model, where the device does.
type AnyModel interface {
	// Host returns the model in main memory.
	Host() *Model
	// Runner makes a plan ready where the model is; nil means that its Run does.
	Runner(p *Plan) (Runner, error)
}

// Host returns the model itself.
func (m *Model) Host() *Model { return m }

// Runner returns nil: the processor runs plans.
func (m *Model) Runner(*Plan) (Runner, error) { return nil, nil }

// Ranking is what is found for a query, before anything is named.
type Ranking struct {
	Answer []Ranked
	Sets   [][]Ranked
}

// Ranked is an entity with its probability, or its degree of membership in a set.
type Ranked struct {
	Entity      EntityID
	Probability float32
}

// Rank returns the k entities of largest x, best first; ties stand in order of id.
func Rank(x Vector, k int) []Ranked {
	list := []Ranked{}
	for _, e := range topK(x, k) {
		list = append(list, Ranked{e, x[e]})
	}
	return list
}
