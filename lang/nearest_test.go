package lang

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/lang/nearest"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"genre", []string{"gnere", "Genre", "genres", "genre2x", "prequel"}, []string{"Genre", "genres", "genre2x"}},
		{"x", []string{"y", "X", "xy"}, []string{"X"}},
		{"xy", []string{"x", "xz", "ab"}, []string{"x", "xz"}},
		{"film", []string{"flim"}, []string{"flim"}},
		{"größe", []string{"grösse", "große"}, []string{"große", "grösse"}},
		{"a", nil, nil},
		{"dup", []string{"dub", "dub"}, []string{"dub"}},
	} {
		if got := nearest.Names(c.name, c.candidates, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if got := nearest.Names("genre", []string{"genre1", "genre2", "genre3"}, 2); len(got) != 2 {
		t.Errorf("got %v, want two names", got)
	}
}
