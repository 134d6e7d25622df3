package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/require"
)

// townsBy returns the towns as a model whose default is a semantics.
func townsBy(t *testing.T, s model.Semantics) string {
	t.Helper()
	m, err := query.Open(towns(t))
	require.NoError(t, err)
	defer m.Close()
	m.Manifest.Semantics = s
	path := filepath.Join(t.TempDir(), "towns.efoc")
	require.NoError(t, model.Save(context.Background(), path, m.Model, nil))
	return path
}

// TestDefaultSemantics checks that ask, explain, serve, generate and info take the semantics
// that a model names, unless a flag or a file says another.
func TestDefaultSemantics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.efo")
	write(t, file, "package q\nsemantics nsmp\n\nquery Q y = road(\"ash\", y)\n")
	plain := filepath.Join(t.TempDir(), "p.efo")
	write(t, plain, "package p\n\nquery Q y = road(\"ash\", y)\n")
	for _, standard := range []model.Semantics{model.NSMP, model.FIT} {
		path := townsBy(t, standard)
		efoc(t, "info", path).want(t, statusOK, "semantics  "+standard.String()+"\n", "")
		for _, c := range []struct {
			args []string
			want model.Semantics
		}{
			{[]string{`road("ash", y)`}, standard}, {[]string{`road("ash", y)`, "--semantics", "mixed"}, model.Mixed},
			{[]string{"--file", file}, model.NSMP}, {[]string{"--file", plain}, standard},
		} {
			r := efoc(t, append([]string{"ask", "--model", path, "--format", "json"}, c.args...)...)
			r.want(t, statusOK, "", "")
			var asked struct{ Semantics model.Semantics }
			if err := json.Unmarshal([]byte(r.stdout), &asked); err != nil || asked.Semantics != c.want {
				t.Errorf("default %s, ask %q: %s, %v, want %s", standard, c.args, asked.Semantics, err, c.want)
			}
			r = efoc(t, append([]string{"explain", "--model", path}, c.args...)...)
			if r.want(t, statusOK, "", ""); strings.Contains(r.stdout, "schedule: ") != (c.want != model.FIT) {
				t.Errorf("default %s, explain %q, want %s:\n%s", standard, c.args, c.want, r.stdout)
			}
		}
		for _, c := range []struct {
			args []string
			want model.Semantics
		}{
			{[]string{plain, "--model", path}, standard}, {[]string{plain}, model.Mixed}, {[]string{file, "--model", path}, model.NSMP},
			{[]string{plain, "--model", path, "--semantics", "mixed"}, model.Mixed},
		} {
			out := filepath.Join(t.TempDir(), "out.go")
			efoc(t, append([]string{"generate", "--output", out}, c.args...)...).want(t, statusOK, "", "wrote")
			code, err := os.ReadFile(out)
			require.NoError(t, err)
			text := strings.Join(strings.Fields(strings.ReplaceAll(string(code), "//", "")), " ")
			if !strings.Contains(text, "Answers are by semantics "+c.want.String()+".") {
				t.Errorf("default %s, generate %q: want semantics %s:\n%.1500s", standard, c.args, c.want, code)
			}
		}
		for _, c := range []struct {
			args []string
			want model.Semantics
		}{{nil, standard}, {[]string{"--semantics", "mixed"}, model.Mixed}} {
			s := serve(t, append([]string{"--model", path}, c.args...)...)
			resp, err := http.Get(s.url + "/v1/model")
			require.NoError(t, err)
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !strings.Contains(string(text), `"semantics":"`+c.want.String()+`"`) {
				t.Errorf("default %s, serve %q: %s, %v", standard, c.args, text, err)
			}
			s.stop()
		}
	}
	efoc(t, "ask", "--model", townsBy(t, model.FIT), `road("ash", y)`, "--with", "candidates=3").want(t, statusOK, "K = 3", "")
}

// TestGenerateSemantics checks that generate says where code answers by another semantics than
// the model chooses, and --check that it was generated with another.
func TestGenerateSemantics(t *testing.T) {
	towns, dir := townsBy(t, model.FIT), t.TempDir()
	file := write(t, filepath.Join(dir, "roads.efo"), "package roads\n"+askTemplates)
	efoc(t, "generate", file, "--model", towns).want(t, statusOK, "", "wrote")
	if r := efoc(t, "generate", "--check", file, "--model", towns); r.status != statusOK || strings.Contains(r.stderr, "warning") {
		t.Errorf("the code of the model's own semantics: %+v", r)
	}
	const why = "roads_efo.go is out of date: it answers by semantics fit, not mixed: pass the --model or --semantics that it was generated with"
	efoc(t, "generate", "--check", file).want(t, statusFailure, "", why)
	efoc(t, "generate", "--check", "--semantics", "fit", file).want(t, statusOK, "", "is up to date")
	write(t, file, "package roads\nsemantics nsmp\n"+askTemplates)
	efoc(t, "generate", file, "--model", towns).want(t, statusOK, "", "roads.efo: answers are by semantics nsmp, but "+towns+" chooses fit")
	efoc(t, "generate", "--check", file).want(t, statusOK, "", "is up to date")
}

// TestMeasuredSemantics checks that eval measures the semantics that ask answers by.
func TestMeasuredSemantics(t *testing.T) {
	queries := write(t, filepath.Join(t.TempDir(), "q.jsonl"), townQueries)
	for _, s := range model.AllSemantics {
		path := townsBy(t, s)
		efoc(t, "eval", queries, "--model", path).want(t, statusOK, "semantics      "+s.String()+"\n", "")
		efoc(t, "ask", "--model", path, `road("ash", y)`).want(t, statusOK, ", semantics "+s.String()+", engine ", "")
		efoc(t, "bench", "--model", path, `road("ash", y)`, "--runs", "1", "--batch", "1").want(t, statusOK, s.String()+" compiled", "")
	}
}
