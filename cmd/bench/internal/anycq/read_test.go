package anycq

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// open writes a file of a name and opens it.
func open(t *testing.T, name, text string, limit int) (*Set, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return Open(context.Background(), path, "test", limit)
}

func TestOpen(t *testing.T) {
	s, err := open(t, "qac_test_type0001.json", `{"(r1(s1,e1))&(r2(e1,f1))": [
		[{"s1": 7, "r1": 2, "r2": 4}, {"f1": [[5], [3]]}, {"f1": [[6], [1]]}],
		[{"s1": 8, "r1": 2, "r2": 4}, {"f1": [[5]]}, {"f1": [[6]]}]]}`, 1)
	if err != nil || len(s.Groups) != 1 || s.Task != Classification {
		t.Fatalf("%+v, %v", s, err)
	}
	if g := s.Groups[0]; g.Kind != "2p" || !reflect.DeepEqual(g.Questions, []Question{{Args: []int32{7, 2, 4}, Positive: []int32{5, 3}, Negative: []int32{6, 1}}}) {
		t.Errorf("group is %+v", g)
	}
	// Two free variables, one of which becomes existential, and an atom without variables.
	s, err = open(t, "qar_test_3hub_efo2.json", `{"(r1(s1,f2))&(r2(f2,f1))&(r1(s0,s1))": [[{"s0": 9, "s1": 7, "r1": 2, "r2": 4}, {"f1&f2": [[5, 3]]}, "h"]]}`, 0)
	require.NoError(t, err)
	g := s.Groups[0]
	want := Question{Args: []int32{7, 2, 4}, Links: []Link{{9, 2, 7}}, Answers: [][]int32{{5, 3}}, Label: Hard}
	if g.Kind != "3hub_efo2" || len(g.Template.Others) != 1 || g.Template.Free != "f1" || !reflect.DeepEqual(g.Questions, []Question{want}) {
		t.Errorf("group is %+v", g)
	}
	// A formula that cannot be asked does not refuse the file.
	s, err = open(t, "qac_test_3hub.json", `{"(r1(e1,f1))&(r1(f1,e1))": [[{"r1": 2}, {"f1": [[5]]}, {"f1": [[6]]}]],
		"r1(s1,f1": [[{}, {}, {}]], "r1(s1,f1)": [[{"s1": 1, "r1": 2}, {"f1": [[5]]}, {"f1": [[6]]}]]}`, 0)
	if err != nil || len(s.Groups) != 3 || s.Groups[1].Refused == "" || len(s.Groups[1].Questions) != 1 || s.Groups[2].Refused != "" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOpenErrors(t *testing.T) {
	const formula = `"(r1(s1,f1))"`
	for _, c := range []struct{ name, text, want string }{
		{"test-qaa.json", `{}`, "looked for qac_test_*.json"},
		{"qac_test_x.json", `[]`, "want an object"},
		{"qac_test_x.json", `{}`, "has no questions"},
		{"qac_test_x.json", `{` + formula + `: {}}`, "byte"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1": [[5]]}]]}`, "2 parts, want three"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1}, {"f1": [[5]]}, {"f1": [[6]]}]]}`, "slot r1 is 0, want an id"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": -1, "r1": 2}, {"f1": [[5]]}, {"f1": [[6]]}]]}`, "slot s1 is -1"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1": [[5, 6]]}, {"f1": [[6]]}]]}`, "has 2 values, want 1"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1": [[-5]]}, {"f1": [[6]]}]]}`, "want ids"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1": [], "f2": []}, {"f1": [[6]]}]]}`, "answers of 2 kinds"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1": [["x"]]}, {"f1": [[6]]}]]}`, "answers: json"},
		{"qac_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2`, "unexpected"},
		{"qac_test_x.json", `{"nonsense": [[{}, {}, {}]]}`, "has no question that can be asked"},
		{"qar_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1": [[5]]}, {"f1": [[6]]}]]}`, `want "e", "h" or "n"`},
		{"qar_test_x.json", `{` + formula + `: [[{"s1": 1, "r1": 2}, {"f1&f2": [[5, 6]]}, "e"]]}`, "has 2 values, want 1"},
	} {
		if _, err := open(t, c.name, c.text, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error is %v, want %q", c.name, c.text, err, c.want)
		}
	}
}

// FuzzRead reads any text as a file of either task: it fails or gives questions that fit
// their formulas.
func FuzzRead(f *testing.F) {
	f.Add(`{"(r1(s1,e1))&(r2(e1,f1))": [[{"s1": 7, "r1": 2, "r2": 4}, {"f1": [[5]]}, {"f1": [[6]]}]]}`, false)
	f.Add(`{"(r1(s1,f2))&(r2(f2,f1))&(r1(s0,s1))": [[{"s0": 9, "s1": 7, "r1": 2, "r2": 4}, {"f1&f2": [[5, 3]]}, "h"]]}`, true)
	f.Add(`{"(!(r1(s1,f1)))|(r1(f1,f3))": [[{}, {}, {}]]}`, true)
	f.Fuzz(func(t *testing.T, text string, retrieval bool) {
		s := &Set{Task: Classification}
		if retrieval {
			s.Task = Retrieval
		}
		if s.read(strings.NewReader(text), "x", 0) != nil {
			return
		}
		for _, g := range s.Groups {
			for _, q := range g.Questions {
				if g.Refused == "" && (len(q.Args) != len(g.Template.Params) || len(q.Links) != len(g.Ground) || (q.Label != "") != retrieval) {
					t.Fatalf("%+v of %+v", q, g)
				}
				for _, a := range q.Answers {
					if len(a) != len(g.Template.Variables()) {
						t.Fatalf("answer %v of %+v", a, g)
					}
				}
			}
		}
	})
}

// TestOpenReal opens every file that AnyCQ has published, and reads all of it if tests are long.
func TestOpenReal(t *testing.T) {
	limit := long.Or(0, 40)
	dir := shared.Dir(t, "data", "anycq")
	for _, kg := range []string{"FB15k-237", "NELL"} {
		for _, c := range []struct {
			task  Task
			split string
			kinds int
		}{{Classification, "test", 7}, {Classification, "valid", 7}, {Retrieval, "test", 3}, {Retrieval, "valid", 3}} {
			folder := filepath.Join(dir, kg+"-"+strings.ToUpper(string(c.task)))
			s, err := Open(context.Background(), folder, c.split, limit)
			if err != nil || s.Task != c.task {
				t.Errorf("%s: %+v, %v", folder, s, err)
				continue
			}
			questions, refused, seen := 0, 0, map[string]bool{}
			for _, g := range s.Groups {
				seen[g.Kind] = true
				questions += len(g.Questions)
				if g.Refused != "" {
					refused += len(g.Questions)
				}
			}
			if len(seen) != c.kinds || refused*10 > questions {
				t.Errorf("%s, %s: %d of %d questions cannot be asked, kinds are %v", folder, c.split, refused, questions, seen)
			}
		}
	}
}
