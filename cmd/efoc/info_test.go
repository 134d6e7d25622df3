package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/testdata/require"
)

func TestInfo(t *testing.T) {
	model := towns(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "entities   5\n"},
		{nil, "settings   lambda 0.3, alpha 100, weight 0.5, epsilon 1e-14, layers D+1\n"},
		{nil, "facts      4 (train)\n"},
		{[]string{"--format", "tsv"}, "held back\t1\n"},
		{[]string{"--list-relations"}, "road          3          1  "},
		{[]string{"--list-relations", "--format", "tsv"}, "relation\tfacts\theld back\texample\n"},
		{[]string{"--find", "ash"}, "entity  ash   Ashford      2\n"},
		{[]string{"--find", "Cedar"}, "Cedar Hill"},
		{[]string{"--find", "roads"}, "relation  road  road"},
		{[]string{"--find", "elmsted", "--format", "tsv"}, "entity\telm\tElmstead\t0\n"},
	} {
		efoc(t, append([]string{"info", model}, c.args...)...).want(t, statusOK, c.want, "")
	}
	efoc(t, "info", "--model", model).want(t, statusOK, "towns", "")
}

func TestInfoJSON(t *testing.T) {
	model := towns(t)
	var manifest struct {
		Name     string
		Entities int
		Settings struct{ Lambda float64 }
	}
	var relations []relationInfo
	var found []server.Found
	for args, to := range map[string]any{"": &manifest, "--list-relations": &relations, "--find=ash": &found} {
		r := efoc(t, strings.Fields("info "+model+" --format json "+args)...)
		r.want(t, statusOK, "", "")
		if err := json.Unmarshal([]byte(r.stdout), to); err != nil {
			t.Errorf("%v:\n%s", err, r.stdout)
		}
	}
	if manifest.Name != "towns" || manifest.Entities != 5 || manifest.Settings.Lambda != 0.3 {
		t.Errorf("manifest is %+v", manifest)
	}
	if len(relations) != 2 || relations[0].Name != "road" || relations[0].Facts != 3 || relations[0].Heldout != 1 {
		t.Errorf("relations are %+v", relations)
	}
	if len(found) == 0 || found[0] != (server.Found{Kind: "entity", Name: "ash", Label: "Ashford", Text: "Ashford", Facts: 2}) {
		t.Errorf("found %+v", found)
	}
}

func TestInfoErrors(t *testing.T) {
	model := towns(t)
	efoc(t, "info", model, "--find", "zzzzzz").want(t, statusFailure, "", `efoc: nothing in the model has a name like "zzzzzz"`)
	efoc(t, "info", "missing.efoc").want(t, statusFailure, "", "efoc: open missing.efoc")
	bundle, err := os.ReadFile(model)
	require.NoError(t, err)
	bundle[len(bundle)/2] ^= 1
	flipped := write(t, filepath.Join(t.TempDir(), "flipped.efoc"), string(bundle))
	efoc(t, "info", flipped).want(t, statusFailure, "", "damaged")
}
