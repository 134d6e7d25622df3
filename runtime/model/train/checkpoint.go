package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/internal/jsonfile"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/regularfile"
)

const checkpointVersion = 2

// maxCheckpoint bounds the bytes of a checkpoint.
const maxCheckpoint = 1 << 40

// Names in a checkpoint. Tensors have their rows' layout in memory: halves rounded up to a multiple of 16 numbers,
// and padded.
const (
	metaState    = "efoc.train"
	metaChecksum = "efoc.train.checksum"
)

// state is everything in a checkpoint except the tables.
type state struct {
	Version  int      `json:"version"`
	Options  Options  `json:"options"`
	Schedule Schedule `json:"schedule"`
	// Graph is the digest of the facts.
	Graph string `json:"graph"`
	// Valid is the digest of the validation facts, empty without validation.
	Valid string `json:"valid"`
	// Begun and Step are the position of the training: epochs begun, and steps done of the last one, 0 if it is
	// complete.
	Begun   int     `json:"begun"`
	Step    int     `json:"step"`
	Loss    Loss    `json:"loss"`
	Curve   []Point `json:"curve"`
	Seconds float64 `json:"seconds"`
	// End is the last epoch of a member whose rate falls early, otherwise 0.
	End int `json:"end"`
	// Best is the epoch of the best model, 0 if there is none yet.
	Best int `json:"best"`
	// Members is the number of completed members, which took Earlier seconds.
	Members int     `json:"members"`
	Earlier float64 `json:"earlier"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func digestOf(g *graph.Graph) string {
	h := crc32.New(castagnoli)
	for r := range graph.RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		_ = binary.Write(h, binary.LittleEndian, int64(len(heads)))
		_ = binary.Write(h, binary.LittleEndian, heads)
		_ = binary.Write(h, binary.LittleEndian, tails)
	}
	return fmt.Sprintf("%d entities, %d relations, %d facts, crc32c:%08x", g.NumEntities(), g.NumRelations()/2, g.NumTriples(), h.Sum32())
}

// digest identifies a test; it is empty for nil.
func (s *Test) digest() string {
	if s == nil {
		return ""
	}
	h := crc32.New(castagnoli)
	for _, x := range s.examples {
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	return fmt.Sprintf("%d facts, crc32c:%08x", s.Facts(), h.Sum32())
}

// named is a matrix in a checkpoint.
type named struct {
	name string
	m    *matrix
}

func (t *Trainer) matrices() []named {
	return []named{
		{"entities", &t.entities.values}, {"entities.squares", &t.entities.squares},
		{"relations", &t.relations.values}, {"relations.squares", &t.relations.squares},
	}
}

func (s *snapshot) matrices(prefix string) []named {
	return []named{{prefix + ".entities", &s.entities}, {prefix + ".relations", &s.relations}}
}

// memberName returns the prefix of the tables of a completed member.
func memberName(i int) string { return fmt.Sprintf("member%d", i+1) }

// save writes the run to a file atomically.
func (r *Run) save(path string) error {
	t := r.Trainer
	s := state{
		Version: checkpointVersion, Options: t.options, Schedule: r.Schedule, Graph: r.digest, Valid: r.valid.digest(),
		Begun: t.number, Step: t.step, Loss: t.loss, Curve: r.Curve, Seconds: r.seconds, End: r.end,
		Members: len(r.members), Earlier: r.earlier,
	}
	list := t.matrices()
	if r.best != nil {
		s.Best = r.best.epoch
		if !r.bestIsLast() {
			list = append(list, r.best.matrices("best")...)
		}
	}
	for i := range r.members {
		list = append(list, r.members[i].matrices(memberName(i))...)
	}
	var tensors []safetensors.Tensor
	for _, n := range list {
		tensors = append(tensors, safetensors.From(n.name, n.m.data, n.m.rows, n.m.stride))
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	metadata := map[string]string{metaState: string(text), metaChecksum: checksum(tensors, string(text))}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Write(w, metadata, tensors) })
}

// checksum returns the checksum of the tensors and the state of a checkpoint.
func checksum(tensors []safetensors.Tensor, state string) string {
	sum := crc32.New(castagnoli)
	for _, t := range tensors {
		_, _ = sum.Write(t.Data)
	}
	_, _ = io.WriteString(sum, state)
	return fmt.Sprintf("%08x", sum.Sum32())
}

func (r *Run) bestIsLast() bool { return r.Trainer.order == nil && r.best.epoch == r.Trainer.Epoch() }

// Resume reads a run that Save wrote, to continue it on the same graph with the same results as without a stop.
func Resume(path string, g *graph.Graph, valid *Test, threads int) (*Run, error) {
	data, err := regularfile.Read(path, maxCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("resume: %w", err)
	}
	r, err := load(data, g, valid, threads)
	if err != nil {
		return nil, fmt.Errorf("resume from %s: %w", path, err)
	}
	return r, nil
}

func load(data []byte, g *graph.Graph, valid *Test, threads int) (*Run, error) {
	f, err := safetensors.Parse(data)
	if err != nil {
		return nil, damaged(err)
	}
	s, err := readState(f)
	if err != nil {
		return nil, err
	}
	if err := s.check(g, valid); err != nil {
		return nil, err
	}
	// Compare the tables with the settings before allocating memory for them.
	want := []int{g.NumEntities(), newMatrix(0, s.Options.width()).stride}
	if t, ok := f.Tensor("entities"); !ok || !slices.Equal(t.Shape, want) {
		return nil, fmt.Errorf("no table of %d entities at rank %d", g.NumEntities(), s.Options.Rank)
	}
	r, err := NewRun(g, s.Options, s.Schedule, valid, threads)
	if err != nil {
		return nil, err
	}
	r.Curve = s.Curve
	r.end = s.End
	r.seconds = s.Seconds
	r.earlier = s.Earlier
	t := r.Trainer
	if err := fill(f, t.matrices()); err != nil {
		return nil, err
	}
	t.number, t.step, t.loss = s.Begun, s.Step, s.Loss
	if t.step > 0 {
		t.order = t.queries.epoch(&t.options, t.number-1, nil)
		if t.step >= len(t.order.steps)-1 {
			return nil, fmt.Errorf("step %d of an epoch of %d", t.step, len(t.order.steps)-1)
		}
	}
	if done := t.Epoch(); len(s.Curve) != done && len(s.Curve) != done-1 {
		return nil, fmt.Errorf("a curve of %d epochs, but %d are done", len(s.Curve), done)
	}
	for i := range s.Members {
		r.members = append(r.members, *t.snapshot(nil))
		if err := fill(f, r.members[i].matrices(memberName(i))); err != nil {
			return nil, err
		}
	}
	if s.Best == 0 {
		return r, nil
	}
	if s.Best > len(s.Curve) || s.Curve[s.Best-1].Valid == nil {
		return nil, fmt.Errorf("the best epoch is %d, which was not validated", s.Best)
	}
	r.best = t.snapshot(nil)
	r.best.epoch = s.Best
	if r.bestIsLast() {
		return r, nil
	}
	return r, fill(f, r.best.matrices("best"))
}

// check refuses a run on other facts.
func (s *state) check(g *graph.Graph, valid *Test) error {
	if digest := digestOf(g); s.Graph != digest {
		return fmt.Errorf("it belongs to another graph: %s, not %s", s.Graph, digest)
	}
	if digest := valid.digest(); s.Valid != digest {
		return fmt.Errorf("it was validated by other facts: %q, not %q", s.Valid, digest)
	}
	return nil
}

// damaged adds advice to the error for a damaged checkpoint.
func damaged(err error) error {
	return fmt.Errorf("%w: the checkpoint is damaged: start the training again", err)
}

func readState(f *safetensors.File) (state, error) {
	var s state
	text, ok := f.Metadata[metaState]
	if !ok {
		return s, errors.New("not a checkpoint of a training")
	}
	got := checksum(f.Tensors, text)
	want := f.Metadata[metaChecksum]
	if got != want {
		return s, damaged(fmt.Errorf("checksum is %s, want %s", got, want))
	}
	if err := jsonfile.Read([]byte(text), &s, json.RejectUnknownMembers(false)); err != nil {
		return s, damaged(fmt.Errorf("metadata: %w", err))
	}
	if s.Version != checkpointVersion {
		return s, fmt.Errorf("checkpoint format %d, want %d", s.Version, checkpointVersion)
	}
	if s.Begun < 0 || s.Step < 0 || s.Best < 0 || s.End < 0 || s.Step > 0 && s.Begun == 0 {
		return s, fmt.Errorf("epochs begun %d, step %d, best %d, end %d", s.Begun, s.Step, s.Best, s.End)
	}
	if s.Members < 0 || s.Members >= max(1, s.Options.Members) {
		return s, fmt.Errorf("%d of %d members are complete", s.Members, s.Options.Members)
	}
	return s, s.Options.Validate()
}

// fill copies tensors into matrices of the same shape.
func fill(f *safetensors.File, list []named) error {
	for _, n := range list {
		t, ok := f.Tensor(n.name)
		if !ok || !slices.Equal(t.Shape, []int{n.m.rows, n.m.stride}) {
			return fmt.Errorf("no tensor %q of %d×%d numbers", n.name, n.m.rows, n.m.stride)
		}
		values, err := safetensors.Elements[float32](t)
		if err != nil {
			return err
		}
		for i, v := range values {
			if v-v != 0 {
				return fmt.Errorf("tensor %q: row %d column %d is %v, want a finite number", n.name, i/n.m.stride, i%n.m.stride, v)
			}
		}
		copy(n.m.data, values)
	}
	return nil
}
