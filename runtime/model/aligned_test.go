package model

import (
	"context"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// TestTableAligned checks that a table lies at a multiple of 64 bytes of a bundle
// that was opened as a file.
func TestTableAligned(t *testing.T) {
	for _, dtype := range []table.Type{table.Float32, table.Int8} {
		path := filepath.Join(t.TempDir(), "small.efoc")
		require.NoError(t, Save(context.Background(), path, smallModelOf(t, dtype), nil))
		m, err := Open(path)
		require.NoError(t, err)
		entities := &m.Predictor.EntityTable
		at := uintptr(unsafe.Pointer(unsafe.SliceData(entities.Float32s())))
		if dtype == table.Int8 {
			at = uintptr(unsafe.Pointer(unsafe.SliceData(entities.Codes().Codes)))
		}
		if at%64 != 0 || m.Manifest.Table != dtype {
			t.Errorf("%s: table of %s is at %#x", dtype, m.Manifest.Table, at)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
