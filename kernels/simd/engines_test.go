package simd

import "testing"

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
		if err := Use(name); err != nil {
			t.Fatal(err)
		}
		t.Run(name, test)
	}
}

// benchEngines is eachEngine for benchmarks.
func benchEngines(b *testing.B, name string, bench func(b *testing.B)) {
	b.Helper()
	best := Engine()
	for _, engine := range Engines() {
		b.Run(name+"/"+engine, func(b *testing.B) {
			if err := Use(engine); err != nil {
				b.Fatal(err)
			}
			bench(b)
		})
	}
	if err := Use(best); err != nil {
		b.Fatal(err)
	}
}
