package runtime

import (
	"encoding/json"
	"testing"

	"github.com/efoc/efoc/runtime/model/values"
)

// TestAttributesJSON compares attributes of both kinds, as JSON, with JSON written by hand.
func TestAttributesJSON(t *testing.T) {
	const text = `{"population":[-2.5,83500000],"born":["1970-01-02","1970-01-02T00:00:30Z"],"a \"b\"":[]}`
	const day = 24 * 60 * 60
	list := Attributes{
		{Name: "population", Kind: values.NumberKind, Values: []float64{-2.5, 83_500_000}},
		{Name: "born", Kind: values.DateKind, Values: []float64{day, day + 30}},
		{Name: `a "b"`, Kind: values.NumberKind},
	}
	written, err := json.Marshal(list)
	if err != nil || string(written) != text {
		t.Errorf("%+v is written as %s, want %s (%v)", list, written, text, err)
	}
}
