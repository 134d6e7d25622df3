package runtime

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// TestAttributesJSON reads attributes of both kinds from JSON written by hand, and writes the same JSON.
func TestAttributesJSON(t *testing.T) {
	const text = `{"population":[-2.5,83500000],"born":["1970-01-02","1970-01-02T00:00:30Z"],"a \"b\"":[]}`
	const day = 24 * 60 * 60
	want := Attributes{
		{Name: "population", Kind: values.NumberKind, Values: []float64{-2.5, 83_500_000}},
		{Name: "born", Kind: values.DateKind, Values: []float64{day, day + 30}},
		{Name: `a "b"`, Kind: values.NumberKind},
	}
	var got Attributes
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is read as %+v, want %+v", text, got, want)
	}
	written, err := json.Marshal(got)
	if err != nil || string(written) != text {
		t.Errorf("%+v is written as %s, want %s (%v)", got, written, text, err)
	}
	for _, wrong := range []string{`{"born":["yesterday"]}`, `{"born":[true]}`, `{"born":1}`, `[]`} {
		if err := json.Unmarshal([]byte(wrong), &got); err == nil {
			t.Errorf("%s is read as %+v", wrong, got)
		}
	}
}
