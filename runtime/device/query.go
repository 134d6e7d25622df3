package device

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/cuda/fit"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Batch sizes and lengths of rankings are rounded up to these steps, so that few recordings serve all calls.
const mostAtOnce = 256

var (
	batchSteps = []int{1, 16, 64, mostAtOnce}
	rankSteps  = []int{16, 128}
)

// Bounds on what a model keeps: plans of truth degrees, which need no kernels of their own, and a device's
// recordings.
const (
	maxDegrees    = 256
	maxRecordings = 1024
)

// errModelClosed is the error for queries on a closed model.
var errModelClosed = errors.New("the model on the device is closed")

// Runner copies a plan to the device unless it is there.
func (m *Copy) Runner(p *Kernels) (q *Runner, err error) {
	err = m.device.do(context.Background(), func() error {
		q, err = m.query(p)
		return err
	})
	return q, err
}

// query is Runner, in a call of the device.
func (m *Copy) query(p *Kernels) (*Runner, error) {
	if m.closed {
		return nil, errModelClosed
	}
	key := fmt.Sprint(p.Semantics, " ", p.Layers, " ", p.Shape)
	if q, ok := m.queries[key]; ok {
		return q, nil
	}
	if p.Degrees != nil && m.degrees >= maxDegrees {
		for key, q := range m.queries {
			if q.plan.Degrees != nil { // such plans stay in the map, and their recordings until the room is needed
				delete(m.queries, key)
				m.degrees--
				break
			}
		}
	}
	if p.ABI != ABI {
		return nil, fmt.Errorf("shape %s: its kernels were %w (%d, this is %d): generate them again",
			p.Shape, ErrABI, p.ABI, ABI)
	}
	q := &Runner{model: m, plan: p, recordings: map[recordingKey]*recording{}}
	if err := q.load(); err != nil {
		return nil, fmt.Errorf("shape %s: %w", p.Shape, err)
	}
	m.queries[key] = q
	if p.Degrees != nil {
		m.degrees++
	}
	return q, nil
}

// load loads the kernels of the plan.
func (q *Runner) load() (err error) {
	m := q.model
	p := q.plan
	if p.Degrees == nil {
		source, err := p.Source()
		if err != nil {
			return err
		}
		q.module, err = m.memory.driver.Load(source)
		if err != nil {
			return err
		}
		_, err = m.table()
		return err
	}
	if p.Messages != nil {
		q.messages, err = m.query(p.Messages)
		if err != nil {
			return err
		}
	}
	if m.fit == nil {
		m.fit, err = m.memory.driver.Load(fit.Source())
	}
	return err
}

// step rounds up to the next step, 0 if x is larger than all.
func step(x int, steps []int) int {
	if i, _ := slices.BinarySearch(steps, x); i < len(steps) {
		return steps[i]
	}
	return 0
}

// recorded returns a recording. To make room for a new one, it frees the least recently used ones, of any plan and
// model. It runs in a call.
func (q *Runner) recorded(key recordingKey) (*recording, error) {
	d := q.model.device
	if q.model.closed {
		return nil, errModelClosed
	}
	r, ok := q.recordings[key]
	if !ok {
		if len(d.recordings) >= maxRecordings {
			if _, err := d.makeRoom(); err != nil {
				return nil, err
			}
		}
		err := d.fitting(func() (err error) {
			r, err = q.record(key)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.query = q
		r.key = key
		q.recordings[key] = r
		d.recordings[r] = true
	}
	d.clock++
	r.used = d.clock
	return r, nil
}

// inParts answers a batch in parts that fit the device's memory.
func (q *Runner) inParts(batch []scq.Bindings, answer func(part []scq.Bindings) error) error {
	most := mostAtOnce
	for len(batch) > 0 {
		part := batch[:min(most, len(batch))]
		err := answer(part)
		var room *RoomError
		if smaller := stepBelow(len(part), batchSteps); errors.As(err, &room) && smaller > 0 {
			most = smaller
			continue
		}
		if err != nil {
			return err
		}
		batch = batch[len(part):]
	}
	return nil
}

// stepBelow returns the step before the one that x is rounded up to, 0 if there is none.
func stepBelow(x int, steps []int) int {
	if i, _ := slices.BinarySearch(steps, x); i > 0 {
		return steps[i-1]
	}
	return 0
}

// ErrEpsilon is wrapped by the error for a threshold ε that is too large: kernels derive the sum of a message from
// other sums, which include the entries below ε.
var ErrEpsilon = errors.New("epsilon is too large for a device")

// mostLeftOut bounds the share of a sum in entries below ε.
const mostLeftOut = 1e-5

// checkEpsilon refuses settings under which entries below ε may be too large a share of a message.
func (q *Runner) checkEpsilon(s model.Settings) error {
	if q.plan.Degrees != nil && q.messages == nil {
		return nil
	}
	smallest := 1. // of the blended sums
	for _, weight := range []float64{2 * s.Weight, 2 * (1 - s.Weight)} {
		if weight > 0 {
			smallest = min(smallest, weight)
		}
	}
	n := q.model.model.NumEntities()
	most := mostLeftOut * smallest / float64(n)
	if s.Epsilon > most {
		return fmt.Errorf("%w: %g, of %d entities at most %.2g: lower it, or answer on the processor", ErrEpsilon, s.Epsilon, n, most)
	}
	return nil
}

// run answers up to mostAtOnce queries and calls use with the recording, in a call of the device. If the context ends
// before its turn, run answers none.
func (q *Runner) run(ctx context.Context, batch []scq.Bindings, s model.Settings, k int, sets bool, use func(r *recording) error) error {
	if err := cmp.Or(ctx.Err(), q.checkEpsilon(s)); err != nil {
		return err
	}
	err := q.model.device.do(ctx, func() error {
		filters := numberFilters(batch)
		key := recordingKey{batch: step(len(batch), batchSteps), k: k, sets: sets, filters: filters.room()}
		if q.plan.Degrees != nil {
			key.candidates = min(s.Degrees.OrDefault().Candidates, q.model.model.NumEntities())
		}
		r, err := q.recorded(key)
		if err != nil {
			return err
		}
		if err := r.fill(batch, filters, s); err != nil {
			return err
		}
		if err := r.Replay(); err != nil {
			return err
		}
		return use(r)
	})
	if err != nil {
		return fmt.Errorf("shape %s on the device: %w", q.plan.Shape, err)
	}
	return nil
}

// Top returns the best entities of the answer and of each fuzzy set, for each query of a batch.
func (q *Runner) Top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]top.Ranking, error) {
	length := min(step(max(k, setSize), rankSteps), q.model.device.tuning.TopThreads/2)
	if length < max(k, setSize) {
		return q.topOfAll(ctx, batch, s, k, setSize)
	}
	results := make([]top.Ranking, 0, len(batch))
	n := q.model.model.NumEntities()
	err := q.inParts(batch, func(part []scq.Bindings) error {
		return q.run(ctx, part, s, length, setSize > 0, func(r *recording) (err error) {
			for i := range part {
				lists := make([][]top.Ranked, len(r.vectors))
				size := k
				for number := range r.lists {
					at := (number*int(r.header.Batch) + i) * length
					lists[number], err = decode(r.Out()[8*at:], size, n)
					if err != nil {
						return err
					}
					size = setSize
				}
				results = append(results, top.Ranking{Answer: lists[0], Sets: lists[1:]})
			}
			return nil
		})
	})
	return results, err
}

// topOfAll ranks on the host, for rankings too long for the device.
func (q *Runner) topOfAll(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]top.Ranking, error) {
	results := make([]top.Ranking, len(batch))
	err := q.Scores(ctx, batch, s, func(i int, answer []float32, sets [][]float32) error {
		results[i].Answer = top.Of(answer, k)
		for _, set := range sets {
			results[i].Sets = append(results[i].Sets, top.Of(set, setSize))
		}
		return nil
	})
	return results, err
}

// decode reads k keys of a ranking of n entities: see key_of in kernels/cuda/src/top.cuh.
func decode(keys []byte, k, n int) ([]top.Ranked, error) {
	list := make([]top.Ranked, min(k, n))
	for i := range list {
		key := binary.LittleEndian.Uint64(keys[8*i:])
		bits := uint32(key >> 32)
		if bits>>31 == 1 {
			bits &^= 1 << 31
		} else {
			bits = ^bits
		}
		e := graph.EntityID(^uint32(key))
		if e < 0 || int(e) >= n {
			return nil, fmt.Errorf("the ranking has entity %d, of %d: the kernels did not run as they should: answer on the processor, and report the shape", e, n)
		}
		list[i] = top.Ranked{Entity: e, Score: math.Float32frombits(bits)}
	}
	return list, nil
}

// Scores calls use in order with the probabilities of all entities and the fuzzy sets of each query of a batch.
func (q *Runner) Scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use func(i int, answer []float32, sets [][]float32) error) error {
	n := q.model.model.NumEntities()
	length := min(rankSteps[0], q.model.device.tuning.TopThreads/2)
	done := 0
	return q.inParts(batch, func(part []scq.Bindings) error {
		vectors := make([][][]float32, len(part))
		err := q.run(ctx, part, s, length, false, func(r *recording) error {
			for i := range part {
				for _, number := range r.vectors {
					x := make([]float32, n)
					if err := r.memory.driver.Read(bytesOf(x), r.header.vector(number, i)); err != nil {
						return err
					}
					vectors[i] = append(vectors[i], x)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, v := range vectors {
			if err := use(done, v[0], v[1:]); err != nil {
				return err
			}
			done++
		}
		return nil
	})
}
