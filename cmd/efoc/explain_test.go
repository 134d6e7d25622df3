package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "roads.efo"), askTemplates)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{`exists x. road("ash", x) & road(x, y)`}, "shape  2p: r1(s1,e1) & r2(e1,f)\n"},
		{[]string{`exists x. road("ash", x) & road(x, y)`, "--semantics", "nsmp"}, "cost: 12 -> 2 passes over the entity table for the best answers, 3 for a whole ranking\n"},
		{[]string{`exists x. road("ash", x) & road(x, y)`, "--plan"}, "\nplan after FuseSweeps\n  plan \"r1(s1,e1) & r2(e1,f)\"\n"},
		{[]string{"--shape", "3c"}, "shape  3c: "},
		{[]string{"--shape", "1p", "--with", "layers=3"}, "L = 3 layers (as asked for; D+1 is 2)"},
		{[]string{"--benchmark", "r1(s1,e1)&!r2(e1,f)&r3(s2,f)"}, "shape  pni: "},
		{[]string{"--file", file, "--query", "TwoRoads"}, "$way($town, x)"},
		{[]string{`road("ash", y)`, "--format", "dot"}, "digraph"},
		{[]string{"--shape", "2p", "--semantics", "fit"}, "cost: 2 -> 2 passes over the entity table\n"},
		{[]string{"--shape", "2nm", "--semantics", "fit"}, "     2  rows       r2(e1,f), !r3(e1,f)\n"},
		{[]string{"--shape", "2p", "--semantics", "mixed"}, "  9 messages: 2 sent, 3 shared, 3 pruned, 1 dead\n"},
		{[]string{"--shape", "2p", "--semantics", "mixed", "--plan"}, "; mixture\n"},
		{[]string{"--shape", "2p", "--semantics", "fit", "--plan"}, "plan after FuseSweeps\n  plan \"r1(s1,e1) & r2(e1,f)\"\n"},
		{[]string{"--shape", "2p", "--semantics", "fit", "--format", "dot"}, "truth degrees"},
	} {
		efoc(t, append([]string{"explain"}, c.args...)...).want(t, statusOK, c.want, "")
	}
	if r := efoc(t, "explain", "--shape", "2p"); strings.Contains(r.stdout, "plan after") {
		t.Errorf("plans are shown without being asked for:\n%s", r.stdout)
	}
}

func TestExplainJSON(t *testing.T) {
	r := efoc(t, "explain", "--shape", "2p", "--semantics", "nsmp", "--format", "json", "--plan")
	r.want(t, statusOK, "", "")
	var got struct {
		ShapeName string `json:"shape_name"`
		Disjuncts []struct {
			D, L   int
			Layers []struct {
				Messages []struct{ From, To, State string }
			}
		}
		Cost struct {
			Before int `json:"table_passes_before"`
			After  int `json:"table_passes_after"`
			Whole  int `json:"table_passes_whole"`
		}
		Plans []struct{ After, Text string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v:\n%s", err, r.stdout)
	}
	if got.ShapeName != "2p" || len(got.Disjuncts) != 1 || got.Disjuncts[0].D != 2 || got.Disjuncts[0].L != 3 ||
		len(got.Disjuncts[0].Layers) != 3 || got.Disjuncts[0].Layers[2].Messages[2].State != "dead" ||
		got.Cost.Before != 12 || got.Cost.After != 2 || got.Cost.Whole != 3 || len(got.Plans) < 2 || got.Plans[0].After != "lowering" {
		t.Errorf("read %+v", got)
	}
}

// TestExplainDegreesJSON reads the steps of truth degrees and, of a mixture, the layers.
func TestExplainDegreesJSON(t *testing.T) {
	for semantics, layers := range map[string]int{"fit": 0, "mixed": 3} {
		r := efoc(t, "explain", "--shape", "2p", "--semantics", semantics, "--format", "json")
		r.want(t, statusOK, "", "")
		var got struct {
			Semantics string
			Disjuncts []struct{ L int }
			Degrees   []struct {
				Op   string
				Pass int
				What string
			}
		}
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%v:\n%s", err, r.stdout)
		}
		var rows []string
		for _, s := range got.Degrees {
			if s.Op == "rows" && s.Pass > 0 {
				rows = append(rows, s.What)
			}
		}
		if got.Semantics != semantics || len(got.Disjuncts) != 1 || got.Disjuncts[0].L != layers || strings.Join(rows, " ") != "r1(s1,e1) r2(e1,f)" {
			t.Errorf("%s: read %+v", semantics, got)
		}
	}
}

// TestExplainTable asks what a pass over a model's table reads: for each of five entities
// 8 codes of a byte, padded to 64, and a scale of 4.
func TestExplainTable(t *testing.T) {
	towns := towns(t)
	r := efoc(t, "explain", `road("ash", y)`, "--model", towns, "--semantics", "nsmp")
	r.want(t, statusOK, "\na pass over the model's entity table reads 340 B\n  it is so small that the best answers take the pass of a whole ranking too\n", "")
	r = efoc(t, "explain", `road("ash", y)`, "--model", towns, "--semantics", "fit")
	if r.want(t, statusOK, "entity table reads 340 B\n", ""); strings.Contains(r.stdout, "so small") {
		t.Errorf("truth degrees have a readout:\n%s", r.stdout)
	}
	r = efoc(t, "explain", `road("ash", y)`, "--model", towns, "--semantics", "nsmp", "--format", "json")
	r.want(t, statusOK, "\"table\": {\n      \"pass_bytes\": 340,\n      \"readout_pass\": true,\n", "")
	if r := efoc(t, "explain", "--shape", "2p"); strings.Contains(r.stdout, "entity table reads") {
		t.Errorf("a table is described without a model:\n%s", r.stdout)
	}
	world := filepath.Join("..", "..", "testdata", "world", "world.efoc") // not small
	if r := efoc(t, "explain", `borders("France", y)`, "--model", world, "--semantics", "nsmp"); !strings.Contains(r.stdout, "entity table reads") || strings.Contains(r.stdout, "so small") {
		t.Errorf("printed\n%s", r.stdout)
	}
}

func TestExplainErrors(t *testing.T) {
	efoc(t, "explain", "--shape", "2p", "--model", "missing.efoc").want(t, statusFailure, "", "missing.efoc")
	efoc(t, "explain", "--shape", "2p", "--with", "candidates=5").want(t, statusUsage, "", "--with candidates changes what shards exchange")
	efoc(t, "explain", "--shape", "2p", "--semantics", "fit", "--with", "layers=3").want(t, statusUsage, "", "--with layers: add --semantics nsmp or mixed")
	efoc(t, "explain", `exists x. road("ash", y)`).want(t, statusUsage, "", "^")
	efoc(t, "explain", `road("ash" y)`).want(t, statusUsage, "", "\n\troad(\"ash\" y)\n\t           ^\n")
	efoc(t, "explain", "--file", "missing.efo").want(t, statusFailure, "", "efoc: open missing.efo")
	efoc(t, "explain", `road("ash", y) | twin("ash", y) & !twin("ash", y)`).want(t, statusOK, "shape  1p", "warning: ")
}
