package benchmark

import (
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

const kernels = "github.com/efoc/efoc/kernels"

// TestInnermost reads a profile: six samples in kernels, one of them inlined into another function, and two in functions
// that call kernels or have a similar name.
func TestInnermost(t *testing.T) {
	number := func(b []byte, field protowire.Number, n uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
	}
	message := func(b []byte, field protowire.Number, m []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
	}
	var profile []byte
	for i, text := range []string{"", kernels + "/simd.Dot", "github.com/efoc/efoc/runtime.Best", "kernels.Dot"} {
		profile = message(profile, 6, []byte(text))
		if i > 0 {
			function := number(number(nil, 1, uint64(10+i)), 2, uint64(i))
			profile = message(profile, 5, function)
			location := message(number(nil, 1, uint64(20+i)), 4, number(nil, 1, uint64(10+i)))
			profile = message(profile, 4, location)
		}
	}
	inlined := number(nil, 1, 30)
	inlined = message(inlined, 4, number(nil, 1, 11))
	inlined = message(inlined, 4, number(nil, 1, 12))
	profile = message(profile, 4, inlined)
	// Numbers of a field may be packed.
	var packed []byte
	for _, at := range []uint64{21, 22, 23} {
		packed = protowire.AppendVarint(packed, at)
	}
	profile = message(profile, 2, number(number(message(nil, 1, packed), 2, 5), 2, 50_000))
	for _, at := range []uint64{22, 23, 30} {
		profile = message(profile, 2, number(number(number(nil, 1, at), 1, 21), 2, 1))
	}

	if got := innermost(profile, kernels); got != 0.75 {
		t.Errorf("the share of kernels is %g, want 0.75", got)
	}
	if got := innermost(nil, kernels); got != 0 {
		t.Errorf("without samples, the share is %g", got)
	}
}

// TestProfile profiles a real question, which cannot do without kernels.
func TestProfile(t *testing.T) {
	host, err := plantest.NewModel(1, 500, 2, 64, model.DefaultSettings())
	require.NoError(t, err)
	q, err := lang.ParseBenchmark("r1(s1,e1)&r2(e1,f)")
	require.NoError(t, err)
	p, err := compiler.Prepare(host, q, compiler.Options{Engine: compiler.EngineLayers})
	require.NoError(t, err)
	c := Cell{question: p.Question, batches: [][]runtime.Args{{p.Spec().Args(3, 1, 0)}}}.inBatches(1)
	require.NoError(t, c.profile(t.Context(), 300*time.Millisecond, processor))
	if c.Kernels <= 0 || c.Kernels > 1 {
		t.Errorf("the share of kernels is %g", c.Kernels)
	}
}
