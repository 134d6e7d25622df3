package importer

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/shared"
)

func TestQuick(t *testing.T) {
	for _, o := range []Options{
		{Graph: shared.Dir(t, "data", "fb15k-237"), Checkpoint: shared.Dir(t, "data", "fb15k-237", "complex256.pt"), Output: filepath.Join("/tmp/ef", "fb.efoc")},
		{Graph: shared.Dir(t, "data", "nell995"), Checkpoint: shared.Dir(t, "data", "nell995", "complex256.safetensors"), Output: filepath.Join("/tmp/ef", "nell.efoc")},
	} {
		start := time.Now()
		m, err := Import(context.Background(), o)
		t.Logf("%v %+v %v", time.Since(start), m, err)
		for range 5 {
			start = time.Now()
			model, err := runtime.Open(o.Output)
			d := time.Since(start)
			t.Log(d, err)
			if model != nil {
				model.Close()
			}
		}
	}
}
