package model_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// valued returns a model of five entities with values.
func valued(t *testing.T) *model.Model {
	t.Helper()
	m := modeltest.New(t, modeltest.Spec{Entities: 5, Relations: 1, Facts: []graph.Triple{{Head: 0, Tail: 1}}})
	m, err := m.WithValues([]values.AttributeValues{
		{Name: "http://x.org/size", Kind: values.NumberKind, Values: []values.EntityValue{{Entity: 4, Number: 0.5}, {Entity: 1, Number: 7}, {Entity: 1, Number: -2}, {Entity: 1, Number: 7}}},
		{Name: "born", Kind: values.DateKind, Values: []values.EntityValue{{Entity: 1, Number: 86_400}}},
	})
	require.NoError(t, err)
	return m
}

// TestValues writes and reads a bundle with values, and refuses values that are damaged.
func TestValues(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, model.Write(&file, valued(t)))
	m, err := model.OpenBytes("values", file.Bytes())
	require.NoError(t, err)
	want := []values.Value{{Attribute: "born", Kind: values.DateKind, Value: "1970-01-02"}, {Attribute: "http://x.org/size", Kind: values.NumberKind, Value: "-2"},
		{Attribute: "http://x.org/size", Kind: values.NumberKind, Value: "7"}}
	if got := m.Values(1); !slices.Equal(got, want) {
		t.Errorf("values are %v, want %v", got, want)
	}
	if got := m.Values(0); got != nil {
		t.Errorf("an entity without values has %v", got)
	}
	if a, err := m.Attribute("size"); err != nil || a.Values != 3 {
		t.Errorf("attribute size is %+v, %v", a, err)
	}
	if _, err := m.Attribute("sizes"); err == nil || !strings.Contains(err.Error(), `unknown attribute "sizes"; did you mean "size"`) {
		t.Errorf("the error is %v", err)
	}
	var again bytes.Buffer
	require.NoError(t, model.Write(&again, m))
	if !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Error("the same values make other bytes")
	}

	for text, list := range map[string][]values.AttributeValues{
		"index 0: entity 5, want 0 to 4": {{Name: "a", Kind: values.NumberKind, Values: []values.EntityValue{{Entity: 5}}}},
		"index 0: the number is NaN":     {{Name: "a", Kind: values.NumberKind, Values: []values.EntityValue{{Number: math.NaN()}}}},
		"index 0: the number is 1e+300":  {{Name: "a", Kind: values.DateKind, Values: []values.EntityValue{{Number: 1e300}}}},
		`kind is "colour"`:               {{Name: "a", Kind: "colour", Values: []values.EntityValue{{}}}},
		`"a" follows "a"`:                {{Name: "a", Kind: values.NumberKind, Values: []values.EntityValue{{}}}, {Name: "a", Kind: values.NumberKind, Values: []values.EntityValue{{}}}},
	} {
		if _, err := m.WithValues(list); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v, want %s", err, text)
		}
	}
}
