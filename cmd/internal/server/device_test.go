package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/emulate"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// driver is an emulated GPU, which can fail for good.
type driver struct {
	*emulate.Driver
	lost atomic.Bool
}

var errIllegal = errors.New("cuMemGetInfo: CUDA_ERROR_ILLEGAL_ADDRESS")

func (d *driver) Memory() (int64, error) {
	if d.lost.Load() {
		return 0, errIllegal
	}
	return d.Driver.Memory()
}

// openTiny opens a model that an emulated device has time for.
func openTiny(context.Context) (*runtime.Model, error) {
	m, err := plantest.NewModel(1, 60, 3, 4, model.DefaultSettings())
	if err != nil {
		return nil, err
	}
	m.Bundle().Manifest.ScoreTerms = model.ScoreTerms{} // devices leave them out, and then confidence, too
	claims := model.Claims{
		Applies: 1, Evidence: 1, Margin: 0.5, Offsets: make([]float64, m.NumRelations()), Unlinked: -1,
		Curve: model.Curve{X: []float64{-20, 1}, Y: []float64{0, 0.9}},
	}
	m.Bundle().Manifest.Confidence = model.Confidence{}
	for _, s := range model.AllSemantics {
		m.Bundle().Manifest.Confidence[s.String()] = &model.Calibration{Ordinary: claims, HeldOut: claims, Lacking: claims}
	}
	return m, nil
}

// onDevice is the configuration of a server whose questions an emulated device answers.
func onDevice(t *testing.T) (Config, *driver) {
	t.Helper()
	emulated := &driver{Driver: emulate.New(t)}
	d, err := device.Open(func() (cuda.Driver, error) { return emulated, nil }, device.Tuning{MapThreads: 32, TopThreads: 32, Splits: 2})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() }) // after that of the server
	return Config{Options: host.Options{Open: openTiny, Device: d, Kernels: gpu.ReadyKernels}}, emulated
}

// sameAnswers compares what the device found with what the processor did.
func sameAnswers(t *testing.T, got, want answersOf) {
	t.Helper()
	if len(got.Answers) == 0 || len(got.Answers) != len(want.Answers) {
		t.Errorf("%s: %d answers, want %d", got.Query, len(got.Answers), len(want.Answers))
		return
	}
	for i, a := range want.Answers {
		if g := got.Answers[i]; g.Name != a.Name || g.Status != a.Status || math.Abs(g.Score-a.Score) > 1e-4*a.Score {
			t.Errorf("%s: answer %d is %+v, want %+v", got.Query, i, g, a)
		}
	}
}

// TestDevice checks that questions are answered on the device as on the processor, alone and
// together; that the processor answers those of shapes without kernels; that witnesses are
// found; and that a model that takes the other's place leaves nothing there.
func TestDevice(t *testing.T) {
	c, emulated := onDevice(t)
	s, hs := start(t, c)
	blocks := emulated.Allocated // before there are plans
	_, processor := start(t, Config{Options: host.Options{Open: openTiny}})
	three := 3
	ask := func(formula, semantics string) AskRequest {
		return AskRequest{Question: Question{Formula: formula, Semantics: semantics}, Answers: wanted.Answers{K: three}}
	}
	for _, x := range []struct {
		req    AskRequest
		engine string
	}{
		{ask(`"0"("3", y)`, "nsmp"), "cuda"}, {ask(`"0"("3", y)`, "fit"), "cuda"}, {ask(`"0"("3", y)`, "mixed"), "cuda"},
		{ask(`exists a, b. "0"("3", a) & "1"(a, b) & "2"("4", b) & "1"(b, y)`, "nsmp"), "interpreted"},
	} {
		got := mustAsk(t, hs, x.req)
		if got.Engine != x.engine {
			t.Errorf("%s by %s is answered by engine %q, want %q", x.req.Formula, x.req.Semantics, got.Engine, x.engine)
		}
		sameAnswers(t, got, mustAsk(t, processor, x.req))
	}
	goOn := s.stall(t, `"0"("3", y)`)
	defer goOn()
	requests := []AskRequest{ask(`"0"("3", y)`, "nsmp"), ask(`"1"("7", y)`, "nsmp"), ask(`"2"("9", y)`, "nsmp")}
	var wg sync.WaitGroup
	for _, req := range requests {
		wg.Go(func() {
			got := mustAsk(t, hs, req)
			if got.Batch < 2 {
				t.Errorf("%s ran alone", got.Query)
			}
			sameAnswers(t, got, mustAsk(t, processor, req))
		})
	}
	until(t, "all run", func() bool { return s.jobs() == stalled+len(requests) })
	goOn()
	wg.Wait()
	for _, semantics := range model.AllSemantics {
		confidences := func(hs *httptest.Server) (list []float64) {
			_, text := call(t, hs, "POST", "/v1/ask", fmt.Sprintf(`{"formula": "\"0\"(\"3\", y)", "semantics": %q, "k": 40, "min_confidence": 1e-9}`, semantics))
			for _, a := range unmarshal[struct {
				Answers []struct{ Confidence float64 }
			}](t, text).Answers {
				list = append(list, a.Confidence)
			}
			return list
		}
		got, want := confidences(hs), confidences(processor)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*b }
		if len(want) == 0 || !slices.EqualFunc(got, want, near) {
			t.Errorf("by %s the confidence is %v, want %v", semantics, got, want)
		}
	}
	why := jsonText(t, api.WitnessRequest{Question: Question{Formula: `"0"("3", y)`}, Entities: []string{"5"}})
	status, text := call(t, hs, "POST", "/v1/witness", why)
	if wantStatus, want := call(t, processor, "POST", "/v1/witness", why); status != wantStatus || text != want {
		t.Errorf("witness: status %d: %s\nwant %d: %s", status, text, wantStatus, want)
	}
	_, closed := s.inUse()
	require.NoError(t, s.Reload(t.Context()))
	<-closed
	if emulated.Allocated != blocks {
		t.Errorf("%d blocks of the device's memory are taken, want %d, those of the next model", emulated.Allocated, blocks)
	}
	sameAnswers(t, mustAsk(t, hs, requests[0]), mustAsk(t, processor, requests[0]))
	s.Close()
	if err := c.Device.Close(); err != nil {
		t.Error(err)
	}
	if emulated.Allocated != 0 {
		t.Errorf("%d blocks of the device's memory are left", emulated.Allocated)
	}
}

// TestDeviceErrors checks that the processor answers what does not fit; that a model that does not
// fit is refused; that a device that is lost is reported; and that facts cannot be changed.
func TestDeviceErrors(t *testing.T) {
	long.Need(t, "it compiles kernels with g++")
	c, emulated := onDevice(t)
	changing := c
	changing.FactsToken, changing.File = "token", filepath.Join(t.TempDir(), "model.efoc")
	if _, err := New(t.Context(), changing); err == nil || !strings.Contains(err.Error(), "because a device has a copy of them") {
		t.Errorf("a server whose clients may change facts: %v", err)
	}
	s, hs := start(t, c)
	problemOf := func(want int, code, part string) {
		t.Helper()
		status, text := call(t, hs, "POST", "/v1/ask", `{"formula": "\"0\"(\"3\", y)", "semantics": "fit"}`) // wants another recording
		if got := unmarshal[struct{ Error problem.Problem }](t, text).Error; status != want || got.Code != code || !strings.Contains(got.Message, part) {
			t.Errorf("status %d: %s, want %d %s %q", status, text, want, code, part)
		}
	}
	large := AskRequest{Question: Question{Formula: `"0"("3", y)`, Settings: Settings{"epsilon": 0.01}}}
	if got := mustAsk(t, hs, large); got.Engine != "compiled" {
		t.Errorf("with an epsilon that is too large for a device, engine %q answers", got.Engine)
	}
	had := emulated.FreeBytes
	emulated.FreeBytes = 100
	if got := mustAsk(t, hs, AskRequest{Question: Question{Formula: `"0"("3", y)`}}); got.Engine != "compiled" {
		t.Errorf("what does not fit is answered by engine %q", got.Engine)
	}
	if err := s.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "the model takes 1 MiB on the device") {
		t.Errorf("a model that does not fit: %v", err)
	}
	emulated.FreeBytes = had
	if got := mustAsk(t, hs, AskRequest{Question: Question{Formula: `"0"("3", y)`}}); got.Engine != "cuda" {
		t.Errorf("once there is room, the engine is %q", got.Engine)
	}
	emulated.lost.Store(true)
	problemOf(http.StatusServiceUnavailable, "device_lost", "start the program anew")
	for _, path := range []string{"/readyz", "/healthz"} {
		if status, text := call(t, hs, "GET", path, ""); status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}
}

// TestDeviceJournal checks that facts which others put into the journal are the device's once
// the server has looked at it.
func TestDeviceJournal(t *testing.T) {
	long.Need(t, "it compiles kernels with g++")
	c, _ := onDevice(t)
	path := filepath.Join(t.TempDir(), "model.efoc")
	tiny, err := openTiny(t.Context())
	require.NoError(t, err)
	require.NoError(t, errors.Join(model.Save(t.Context(), path, tiny.Bundle(), nil), tiny.Close()))
	c.Open, c.File = func(context.Context) (*runtime.Model, error) { return runtime.Open(path) }, path
	c.Log = slog.New(slog.DiscardHandler)
	s, hs := start(t, c)
	go s.Watch(t.Context(), 2*time.Millisecond)
	all := 60
	known := func() bool {
		for _, a := range mustAsk(t, hs, AskRequest{Question: Question{Formula: `"0"("3", y)`, Semantics: "fit"}, Answers: wanted.Answers{K: all}}).Answers {
			if a.Name == "33" && a.Status == "known" && a.Score == 1 {
				return true
			}
		}
		return false
	}
	if known() {
		t.Fatal("the fact to add is there already")
	}
	changed, err := runtime.Open(path)
	require.NoError(t, err)
	store, err := facts.Open(path, changed)
	require.NoError(t, err)
	if _, err := store.Apply(t.Context(), facts.Change{Add: []facts.Fact{{"3", "0", "33"}}}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, errors.Join(store.Close(), changed.Close()))
	until(t, "the fact is known", known)
}
