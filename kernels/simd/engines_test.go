package simd

import (
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// eachEngine runs a test on every engine of this machine.
func eachEngine(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	best := Engine()
	t.Cleanup(func() {
		if err := Use(best); err != nil {
			t.Error(err)
		}
	})
	for _, name := range Engines() {
		require.NoError(t, Use(name))
		t.Run(name, test)
	}
}

// benchEngines is eachEngine for benchmarks.
func benchEngines(b *testing.B, name string, bench func(b *testing.B)) {
	b.Helper()
	best := Engine()
	for _, engine := range Engines() {
		b.Run(name+"/"+engine, func(b *testing.B) {
			require.NoError(b, Use(engine))
			bench(b)
		})
	}
	require.NoError(b, Use(best))
}
