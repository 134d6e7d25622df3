package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/damage"
	"github.com/efoc/efoc/testdata/require"
)

// ring is a graph whose relation k leads k+1 places on, with a tenth of the
// facts kept apart.
func ring(t testing.TB) (g *graph.Graph, valid *Test) {
	t.Helper()
	const n, relations = 60, 5
	var train, rest []graph.Triple
	rng := rand.New(rand.NewPCG(1, 1))
	for r := range int32(relations) {
		for i := range n {
			f := graph.Triple{Head: graph.EntityID(i), Relation: r, Tail: graph.EntityID((i + int(r) + 1) % n)}
			if rng.IntN(10) == 0 {
				rest = append(rest, f)
			} else {
				train = append(train, f)
			}
		}
	}
	g, err := graph.New(n, relations, train)
	require.NoError(t, err)
	all, err := graph.New(n, relations, append(rest, train...))
	require.NoError(t, err)
	return g, NewTest(rest, all)
}

func ringRun(t testing.TB, epochs int) *Run {
	t.Helper()
	g, valid := ring(t)
	o := Options{Rank: 16, Batch: 50, Group: 4, Rate: 0.1, Decay: 0.2, N3: 0.01, Relations: 0.2, Init: 1e-3, Seed: 3}
	r, err := NewRun(g, o, Schedule{Epochs: epochs, Every: 2, Patience: 20}, valid, 2)
	require.NoError(t, err)
	return r
}

// TestLearns expects facts that a rotation explains to be found.
func TestLearns(t *testing.T) {
	for _, negatives := range []int{0, 30} {
		r := ringRun(t, 60)
		o := r.Trainer.Options()
		o.Negatives = negatives
		g, valid := ring(t)
		r, err := NewRun(g, o, r.Schedule, valid, 2)
		require.NoError(t, err)
		require.NoError(t, r.Do(t.Context(), Checkpoints{}, Hooks{}))
		m, err := r.Evaluate(t.Context(), valid, nil)
		require.NoError(t, err)
		t.Logf("negatives %d: best after %d of %d epochs, %+v", negatives, r.Best(), len(r.Curve), m)
		if m.MRR < 0.9 || m.MRR != r.Curve[r.Best()-1].Valid.MRR {
			t.Errorf("MRR is %v, want 0.9 and that of the curve", m.MRR)
		}
		for _, p := range r.Curve {
			if due := p.Epoch%2 == 0 || p.Epoch == len(r.Curve); due != (p.Valid != nil) {
				t.Errorf("epoch %d: validation %v", p.Epoch, p.Valid)
			}
		}
	}
}

// TestStops expects an end when validation stops improving, and the best model.
func TestStops(t *testing.T) {
	r := ringRun(t, 1000)
	r.Schedule.Patience = 3
	require.NoError(t, r.Do(t.Context(), Checkpoints{}, Hooks{}))
	if got, want := len(r.Curve), r.Best()+2*3; got != want {
		t.Errorf("%d epochs, want %d: the best and three validations", got, want)
	}
}

// TestExtend expects a training that goes on to more epochs to have its rate back, and to lose it at the new end.
func TestExtend(t *testing.T) {
	r := ringRun(t, 20)
	r.Schedule.Patience = 0
	rates := []float64{}
	step := Hooks{Step: func() { rates = append(rates, float64(r.Trainer.updater.rate)) }}
	require.NoError(t, r.Do(t.Context(), Checkpoints{}, step))
	first := len(rates)
	r.Extend(40)
	require.NoError(t, r.Do(t.Context(), Checkpoints{}, step))
	for _, c := range []struct {
		at          int
		least, most float64
	}{{0, 0.1, 0.1}, {first * 3 / 4, 0.1, 0.1}, {first - 1, 0, 0.003}, {first, 0.1, 0.1}, {first * 3 / 2, 0.1, 0.1}, {len(rates) - 1, 0, 0.003}} {
		if rate := rates[c.at]; rate < c.least-1e-6 || rate > c.most+1e-6 {
			t.Errorf("step %d of %d and %d more has the rate %v, want %v to %v", c.at+1, first, len(rates)-first, rate, c.least, c.most)
		}
	}
}

// timed gives a run a clock and a time. Steps take the seconds that cost returns, given the time so far.
func timed(r *Run, seconds float64, cost func(now float64) float64) (hooks Hooks, now *float64) {
	now = new(float64)
	r.now = func() time.Time { return time.Unix(0, int64(*now*1e9)) }
	r.Schedule.Seconds = seconds
	return Hooks{Step: func() { *now += cost(*now) }}, now
}

// TestPace expects a run to end with its time, at a rate that has fallen by then, whatever the pace and wherever it
// changes, with its last state validated.
func TestPace(t *testing.T) {
	const seconds = 1000.0
	for name, cost := range map[string]func(now float64) float64{
		"steady":        func(float64) float64 { return 1 },
		"half midway":   func(now float64) float64 { return 1 + math.Floor(2*now/seconds) },
		"half late":     func(now float64) float64 { return 1 + math.Floor(now/(0.9*seconds)) },
		"twice midway":  func(now float64) float64 { return 2 - math.Floor(2*now/seconds) },
		"slow":          func(float64) float64 { return 300 },
		"much too slow": func(float64) float64 { return 3000 },
	} {
		r := ringRun(t, 1<<20)
		r.Schedule.Patience = 0
		hooks, now := timed(r, seconds, cost)
		charge := hooks.Step
		before := 0.0
		var rates []float64
		hooks.Step = func() {
			share := *now / seconds
			rates = append(rates, float64(r.Trainer.updater.rate)/r.Trainer.options.Rate)
			if want := min(1, max(leastRate, 5*(1-share))); math.Abs(rates[len(rates)-1]-want) > 1e-5 {
				t.Fatalf("%s: after %v s the rate is %v of the first, want %v", name, *now, rates[len(rates)-1], want)
			}
			before = *now
			charge()
		}
		require.NoError(t, r.Do(t.Context(), Checkpoints{}, hooks))
		if *now < seconds || before >= seconds {
			t.Errorf("%s: the last step begins after %v s and ends after %v s, want %v", name, before, *now, seconds)
		}
		if r.Curve[len(r.Curve)-1].Valid == nil {
			t.Errorf("%s: the last state is not validated", name)
		}
	}
}

// TestPaceMembers expects members to share the time equally, and a later one to get what an earlier one leaves.
func TestPaceMembers(t *testing.T) {
	r := memberRun(t, 3, 7)
	r.Schedule.Epochs = 1 << 20
	r.Schedule.Patience = 0
	hooks, now := timed(r, 300, func(float64) float64 { return 1 })
	var ends []float64
	hooks.Member = func() {
		ends = append(ends, *now)
		if len(ends) == 1 { // the second stops at once
			r.Schedule.Epochs = 1
		} else {
			r.Schedule.Epochs = 1 << 20
		}
	}
	require.NoError(t, r.Do(t.Context(), Checkpoints{}, hooks))
	if ends[0] != 100 || ends[1] >= 150 || *now != 300 {
		t.Errorf("members end after %v and %v s, want 100, less than 150 and 300", ends, *now)
	}
}

// TestFalls expects the rate to fall once validation stops improving.
func TestFalls(t *testing.T) {
	r := ringRun(t, 1000)
	r.Trainer.options.Rate = 1e-9 // which learns nothing
	r.Schedule.Every = 1
	r.Schedule.Patience = 10
	rate := 1.0
	require.NoError(t, r.Do(t.Context(), Checkpoints{}, Hooks{Step: func() { rate = float64(r.Trainer.updater.rate) / 1e-9 }}))
	if got := len(r.Curve); got != r.Best()+8 || rate > 0.2 {
		t.Errorf("%d epochs, the best is %d; the last rate is %v of the first", got, r.Best(), rate)
	}
}

// state returns what tells runs apart, times left out.
func (r *Run) state() string {
	text := digest(r.Trainer)
	if r.best != nil {
		text += " best " + digest(&Trainer{number: r.best.epoch, entities: weights{values: r.best.entities}, relations: weights{values: r.best.relations}})
	}
	for _, p := range r.Curve {
		text += " " + time.Duration(p.Loss.Entities*1e9).String()
		if p.Valid != nil {
			text += "/" + time.Duration(p.Valid.MRR*1e9).String()
		}
	}
	return text
}

// TestResume interrupts a run at every step, and expects it to end as one that
// was left alone.
func TestResume(t *testing.T) {
	whole := ringRun(t, 6)
	require.NoError(t, whole.Do(t.Context(), Checkpoints{}, Hooks{}))
	path := filepath.Join(t.TempDir(), "run.ckpt")
	g, valid := ring(t)
	r := ringRun(t, 6)
	interrupts := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		err := r.Do(ctx, Checkpoints{Path: path}, Hooks{Step: cancel})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		interrupts++
		r, err = Resume(path, g, valid, 1+interrupts%3)
		require.NoError(t, err)
	}
	if got, want := r.state(), whole.state(); got != want || interrupts < 60 {
		t.Errorf("after %d interrupts the run is\n%s, want\n%s", interrupts, got, want)
	}
}

// TestKill kills a training process again and again, at moments of its own
// choosing, and expects every checkpoint to open and the last run to end as one
// that was left alone.
func TestKill(t *testing.T) {
	if path := os.Getenv("EFOC_TEST_TRAIN"); path != "" {
		trainUntilKilled(t, path)
		return
	}
	const epochs = 40
	path := filepath.Join(t.TempDir(), "run.ckpt")
	g, valid := ring(t)
	for round := range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), "EFOC_TEST_TRAIN="+path)
		require.NoError(t, cmd.Start())
		var old time.Time
		if info, err := os.Stat(path); err == nil {
			old = info.ModTime()
		}
		// Wait for a checkpoint of this process, and some time more.
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if info, err := os.Stat(path); err == nil && info.ModTime().After(old) {
				break
			}
		}
		time.Sleep(time.Duration(round) * 1500 * time.Microsecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		if _, err := Resume(path, g, valid, 1); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Resume(path, g, valid, 1)
	require.NoError(t, err)
	r.Schedule.Epochs = epochs
	require.NoError(t, r.Do(t.Context(), Checkpoints{Path: path}, Hooks{}))
	whole := ringRun(t, 1<<20)
	whole.Schedule.Patience, whole.Schedule.Epochs = 0, max(epochs, len(r.Curve))
	require.NoError(t, whole.Do(t.Context(), Checkpoints{}, Hooks{}))
	if got, want := r.state(), whole.state(); got != want {
		t.Errorf("after kills the run is\n%s, want\n%s", got, want)
	}
}

// trainUntilKilled goes on from the checkpoint, saving after every step.
func trainUntilKilled(t *testing.T, path string) {
	r := ringRun(t, 1<<20)
	r.Schedule.Patience = 0
	if _, err := os.Stat(path); err == nil {
		g, valid := ring(t)
		r, err = Resume(path, g, valid, 1)
		require.NoError(t, err)
	}
	require.NoError(t, r.Do(t.Context(), Checkpoints{Path: path, Interval: 1}, Hooks{}))
}

// TestUnsaved expects a checkpoint after each interval and at the end, however many epochs there are, and a run to go on
// without its checkpoints, and to say so.
func TestUnsaved(t *testing.T) {
	r := ringRun(t, 1<<20)
	r.Schedule.Patience = 0
	hooks, _ := timed(r, 1000, func(float64) float64 { return 1 })
	var warnings []error
	hooks.Unsaved = func(err error) { warnings = append(warnings, err) }
	err := r.Do(t.Context(), Checkpoints{Path: filepath.Join(t.TempDir(), "none", "run.ckpt"), Interval: 300 * time.Second}, hooks)
	if err != nil || len(warnings) != 4 || len(r.Curve) < 50 {
		t.Errorf("error %v, warnings %v, %d epochs; want 4 warnings and 50 epochs", err, warnings, len(r.Curve))
	}
}

// TestDamaged expects clear refusals of files that are not a checkpoint of the
// graph.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.ckpt")
	r := ringRun(t, 3)
	require.NoError(t, r.Do(t.Context(), Checkpoints{Path: path}, Hooks{}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	g, valid := ring(t)
	flipped := append([]byte(nil), data...)
	flipped[len(flipped)-100] ^= 1
	spoilt := resealed(t, data, stateText(t, data), func(list []safetensors.Tensor) {
		binary.LittleEndian.PutUint32(list[0].Data[8:], math.Float32bits(float32(math.NaN())))
	})
	text := stateText(t, data)
	twice := resealed(t, data, `{"step":0,`+text[1:], func([]safetensors.Tensor) {})
	longer := resealed(t, data, text+"{}", func([]safetensors.Tensor) {})
	for _, c := range []struct {
		name, want string
		data       []byte
		graph      *graph.Graph
	}{
		{"field twice", `field "step" stands there twice: the checkpoint is damaged: start the training again`, twice, g},
		{"text behind", "metadata: ", longer, g},
		{"not a number", `tensor "entities": row 0 column 2 is NaN`, spoilt, g},
		{"cut", "truncated", data[:len(data)-1], g},
		{"flipped", "damaged", flipped, g},
		{"other file", "not a safetensors file", []byte("none of the sort"), g},
		{"other graph", "another graph", data, randomGraph(t, 60, 6, 100)},
	} {
		if _, err := load(c.data, c.graph, valid, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := load(data, g, valid.Sample(3, 1), 1); err == nil || !strings.Contains(err.Error(), "validated by other facts") {
		t.Errorf("error is %v, want that the facts are others", err)
	}
	if _, err := Resume(path+"x", g, valid, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want one that says the file does not exist", err)
	}
}

// FuzzResume checks that no file makes a resumption panic, and that a run which
// was accepted can take a step.
func FuzzResume(f *testing.F) {
	path := filepath.Join(f.TempDir(), "run.ckpt")
	r := ringRun(f, 1)
	require.NoError(f, r.Do(f.Context(), Checkpoints{Path: path}, Hooks{}))
	data, err := os.ReadFile(path)
	require.NoError(f, err)
	g, valid := ring(f)
	text := stateText(f, data)
	f.Add([]byte{}, []byte{})
	f.Add([]byte{0, 30, 0, '9', 0, 0}, []byte{2, 200, 0, 0xff, 0x7f, 0})
	f.Fuzz(func(t *testing.T, state, tables []byte) {
		if len(state) > damage.MaxScript || len(tables) > damage.MaxScript {
			return
		}
		damaged := resealed(t, data, string(damage.Apply([]byte(text), state)), func(list []safetensors.Tensor) {
			for i := range list {
				at := min(i*6, len(tables))
				copy(list[i].Data, damage.Apply(list[i].Data, tables[at:min(at+6, len(tables))]))
			}
		})
		r, err := load(damaged, g, valid, 1)
		if err != nil {
			return
		}
		if _, err := r.Trainer.Step(0); err != nil && !errors.Is(err, ErrDiverged) {
			t.Fatal(err)
		}
	})
}

// stateText returns the metadata of a checkpoint.
func stateText(t testing.TB, data []byte) string {
	t.Helper()
	f, err := safetensors.Parse(data)
	require.NoError(t, err)
	return f.Metadata[metaState]
}

// resealed returns a checkpoint with other metadata and tables, and its right checksum.
func resealed(t testing.TB, data []byte, text string, alter func(list []safetensors.Tensor)) []byte {
	t.Helper()
	f, err := safetensors.Parse(bytes.Clone(data))
	require.NoError(t, err)
	alter(f.Tensors)
	sum := crc32.New(castagnoli)
	for _, x := range f.Tensors {
		_, _ = sum.Write(x.Data)
	}
	_, _ = sum.Write([]byte(text))
	var out bytes.Buffer
	meta := map[string]string{metaState: text, metaChecksum: fmt.Sprintf("%08x", sum.Sum32())}
	if err := safetensors.Write(&out, meta, f.Tensors); err != nil {
		return nil // a text that is not UTF-8
	}
	return out.Bytes()
}
