package print

import (
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

func TestObject(t *testing.T) {
	type a struct {
		A string `json:"a,omitempty"`
	}
	type b struct {
		B []int `json:"b"`
	}
	for _, c := range []struct {
		want  string
		parts []any
	}{
		{`{}`, nil},
		{`{"a":"<&>","b":[1]}`, []any{a{"<&>"}, &b{[]int{1}}}},
		{`{"b":null,"a":"x"}`, []any{a{}, b{}, a{}, a{"x"}}},
	} {
		got, err := Object(c.parts...)
		require.NoError(t, err)
		if string(got) != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if _, err := Object(func() {}); err == nil {
		t.Error("a function is no object")
	}
}
