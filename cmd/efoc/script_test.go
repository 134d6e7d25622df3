package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/efoc/efoc/testdata/long"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

var update = flag.Bool("update", false, "rewrite the files that scripts in testdata/script compare outputs with; read the diff")

// TestScripts runs the sessions of testdata/script, each in a folder of its own that has the files at its end. A session has
// the commands of testscript and these, which run the program in this process:
//
//	efoc ARGS => TEXT...    it succeeds, and its standard output has the texts
//	usage ARGS => TEXT...   its arguments are wrong: it prints nothing, and its standard error has the texts
//	fails ARGS => TEXT...   it fails, likewise
//	exits N ARGS => TEXT... its status is N, and either output has the texts
//
// Behind ~> it does not matter how many blanks and ends of lines are between words, and behind 2=> follow texts of the standard
// error. \n and \t are a line's end and a tab. < FILE is its standard input.
//
//	model NAME              copies the graph towns or likes into a folder of that name, with a model, which is asked from now on
//	graph NAME              copies a graph alone; there is also clock
//	semantics NAME          makes that the default of the model
//
// $WORLD is the folder of the built-in model.
func TestScripts(t *testing.T) {
	world, err := filepath.Abs(worldSource)
	if err != nil {
		t.Fatal(err)
	}
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir: "testdata/script", ContinueOnError: true, UpdateScripts: *update, RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return long.Tests(), nil
		},
		Setup: func(env *testscript.Env) error {
			t := env.T().(inTurn).T
			env.Values["t"] = t
			for _, name := range programVariables { // sessions set them
				t.Setenv(name, "")
			}
			env.Setenv("WORLD", world)
			t.Chdir(env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"efoc": session(statusOK), "usage": session(statusUsage), "fails": session(statusFailure), "exits": session(-1),
			"model": graphs(true), "graph": graphs(false), "semantics": chooseSemantics,
		},
	})
}

// programVariables are those of the environment that a session may set.
var programVariables = []string{"EFOC_MODEL", "EFOC_TOKEN", "GOPACKAGE"}

// inTurn runs scripts one after the other, because the program in this process has one working folder.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }
func (s inTurn) Run(name string, run func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { run(inTurn{t}) })
}

// session returns a command of scripts that runs the program, which ends with a status, or with that of the first argument.
func session(status int) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		want, strict := status, status != statusOK
		if status < 0 {
			want, strict = int(args[0][0]-'0'), false
			args = args[1:]
		}
		end := slices.IndexFunc(args, func(arg string) bool { return slices.Contains([]string{"<", "=>", "~>", "2=>"}, arg) })
		if end < 0 {
			end = len(args)
		}
		args, rest := args[:end], args[end:]
		stdin := ""
		if len(rest) > 0 && rest[0] == "<" {
			stdin, rest = ts.ReadFile(rest[1]), rest[2:]
		}
		for _, name := range programVariables {
			os.Setenv(name, ts.Getenv(name))
		}
		r := efocInput(ts.Value("t").(*testing.T), stdin, args...)
		ts.Stdout().Write([]byte(r.stdout))
		ts.Stderr().Write([]byte(r.stderr))
		if r.status != want || strict && r.stdout != "" {
			ts.Fatalf("status %d, want %d; it prints\n%s%s", r.status, want, r.stdout, r.stderr)
		}
		in, mask := r.stdout, func(text string) string { return text }
		switch status {
		case statusUsage, statusFailure:
			in = r.stderr
		case -1:
			in += r.stderr
		}
		for _, arg := range rest {
			switch arg {
			case "=>":
			case "~>":
				mask = func(text string) string { return strings.Join(strings.Fields(text), " ") }
			case "2=>":
				in = r.stderr
			default:
				if text := escapes.Replace(arg); !strings.Contains(mask(in), text) {
					ts.Fatalf("without %q it prints\n%.4000s%s", text, r.stdout, r.stderr)
				}
			}
		}
	}
}

var escapes = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t")

// graphs returns a command of scripts that copies a graph, with or without a model.
func graphs(withModel bool) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		t, name := ts.Value("t").(*testing.T), args[0]
		folders := map[string]func(*testing.T) string{"towns": townFolder, "likes": likesFolder, "clock": clockFolder}
		folder := folders[name](t)
		if withModel {
			bundle := filepath.Join(folder, name+".efoc")
			efoc(t, "import", folder, "-c", filepath.Join(folder, "model.safetensors"), "-o", bundle, "--skip-check").want(t, statusOK, "wrote", "")
			ts.Setenv("EFOC_MODEL", filepath.Join(name, name+".efoc"))
		}
		ts.Check(os.CopyFS(ts.MkAbs(name), os.DirFS(folder)))
	}
}

// chooseSemantics is a command of scripts that changes the default of the model that is asked.
func chooseSemantics(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.Getenv("EFOC_MODEL")
	m, err := runtime.Open(path)
	ts.Check(err)
	defer m.Close()
	m.Bundle().Manifest.Semantics, err = model.ParseSemantics(args[0])
	ts.Check(errors.Join(err, model.Save(context.Background(), path, m.Bundle(), nil)))
}
