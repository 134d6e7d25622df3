package scq

import "testing"

// TestFamily has the families of the benchmark shapes, and of others.
func TestFamily(t *testing.T) {
	for shape, want := range map[string]string{
		"r1(s1,f)":                         "link",
		"r1(f,s1)":                         "link",
		"r1(s1,e1) & r2(e1,f)":             "path",
		"r1(s1,e1) & r2(e1,e2) & r3(e2,f)": "path",
		"r1(s1,f) & r2(s2,f)":              "intersection",
		"r1(s1,f) & r2(s2,f) & r3(f,s3)":   "intersection",
		"r1(s1,e1) & r2(e1,f) & r3(s2,f)":  "tree",
		"r1(s1,e1) & r2(s2,e1) & r3(e1,f)": "tree",
		"r1(s1,f) & !r2(s2,f)":             "negation",
		"r1(s1,f) | !r2(s2,f) & r3(s1,f)":  "negation",
		"r1(s1,f) | r2(s2,f)":              "union",
		"r1(s1,f) & r2(e1,f)":              "open",
		"r1(e1,f)":                         "open",
		"r1(s1,e1) & r2(e1,f) & r3(e1,f)":  "cycle",
		"r1(s1,e1) & r2(e1,f) & r3(s2,e2) & r4(e2,f) & r5(e1,e2)": "cycle",
		"r1(s1,f) & r2(f,f)": "cycle",
	} {
		graphs, err := Parse(shape)
		if err != nil {
			t.Fatal(err)
		}
		if got := Family(graphs); got != want {
			t.Errorf("%s is of family %s, want %s", shape, got, want)
		}
	}
}
