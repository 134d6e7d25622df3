//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestDocumentation runs the commands of every block of Markdown and of the help's examples in a
// folder with what they need, and compares what they print with what the page shows, except for
// times; a line with … alone stands for any lines. Commands of go, and benchstat on
// their output, are not run: TestDocumentedCommands checks them. A block that cannot be run has a comment before it,
// <!-- not run: REASON -->. A command that calls a program that is not installed is skipped, and with it
// the rest of its block, which may need what it makes; a block that needs something else, such as
// modules of Python, has <!-- needs: NAMES -->, and is skipped without them. <!-- prints: TEXT | TEXT -->
// has what the last command's output contains.
func TestDocumentation(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes: left out by -short")
	}
	clientsPath(t)
	for example, reason := range helpNotRun {
		checkNames(t, example, reason)
	}
	given := given(t)
	for _, p := range tested(t) {
		for _, b := range p.Blocks {
			if !slices.Contains([]string{"sh", "console", "python"}, b.Language) || b.Mark["not run"] != "" {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", b.File, b.Line), func(t *testing.T) {
				for _, name := range strings.Fields(b.Mark["needs"]) {
					needs(t, name)
				}
				s, out := newShell(t, given), ""
				for _, c := range b.commands() {
					text := regexp.MustCompile(`go run (\./cmd/efoc|github.com/efoc/efoc/cmd/efoc@latest) `).ReplaceAllString(c.Text, "efoc ")
					if regexp.MustCompile(`^([A-Z_]+=\S+ )*(go|benchstat) `).MatchString(text) {
						continue
					}
					text = strings.Replace(text, "efoc bench ", "efoc bench --runs 1 ", 1) // not to wait
					if strings.HasPrefix(text, "efoc train ") && !strings.Contains(text, " --budget ") {
						text = strings.TrimSpace(text) + " --rank 8 --epochs 3"
					}
					if reason := notRun(b.File, text); reason != "" {
						t.Logf("not run: %s: %s", strings.TrimSpace(text), reason)
						continue
					}
					if program := absent(t, s.dir, text); program != "" {
						message := fmt.Sprintf("skipped: %s is not installed: %s", program, strings.TrimSpace(text))
						if strings.HasSuffix(b.File, ".md") {
							t.Skip(message)
						}
						t.Log(message) // each example of the help stands alone
						continue
					}
					var err error
					switch out, err = s.try(text); {
					case !c.Shown && err != nil:
						t.Errorf("%s: %v\n%s", c.Text, err, out)
					case c.Shown && !shows(out, c.Output):
						t.Errorf("%sprints:\n%s\nthe page says:\n%s", c.Text, out, c.Output)
					}
				}
				for want := range strings.SplitSeq(b.Mark["prints"], " | ") {
					if !strings.Contains(out, want) {
						t.Errorf("the last command prints, without %q:\n%s", want, out)
					}
				}
			})
		}
	}
}

// helpNotRun says why examples of the help, which have no room for marks, cannot be run.
var helpNotRun = map[string]string{
	"mpirun":           "mpirun starts a build with the tag mpi: TestMPI runs such processes",
	"new.ttl.gz":       "TestFactsFormats adds facts in every format",
	"new.csv":          "TestFactsFormats adds facts in every format",
	"--min-confidence": "a small graph has no confidence: TestBuiltInModelConfidence asks the world for it",
	"--coverage":       "a small graph has no confidence: TestEvalOwn measures the world",
	"parallel":         "it needs GNU parallel: TestParallel runs it where there is one",
	"--tls-cert":       "it needs a certificate",
	"efoc import":      "it takes checkpoints: TestScripts imports small ones",
	"efoc sample":      "it draws many queries: TestScripts draws few",
}

// notRun says why an example of the help cannot be run.
func notRun(file, command string) string {
	if strings.HasSuffix(file, ".txt") {
		for part, reason := range helpNotRun {
			if strings.Contains(command, part) {
				return reason
			}
		}
	}
	return ""
}

var times = regexp.MustCompile(`in [0-9.]+(s|ms|µs)\b`)

// shows reports whether a text is what a page shows.
func shows(text, page string) bool {
	mask := func(s string) string { return strings.TrimSpace(times.ReplaceAllString(s, "in some time")) }
	pattern := regexp.QuoteMeta(mask(page))
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, "(?s:.*)")
	return regexp.MustCompile("^" + pattern + "$").MatchString(mask(strings.ReplaceAll(text, "\r\n", "\n")))
}

// absent returns the first program that a command would call in a folder and that is not installed;
// it is empty if all are.
func absent(t *testing.T, dir, command string) string {
	t.Helper()
	for _, c := range callsOf(t, dir, command) {
		if _, err := exec.LookPath(c.Args[0]); err != nil {
			return c.Args[0]
		}
	}
	return ""
}

// TestAbsent checks that programs that are not installed are found wherever a command calls them.
func TestAbsent(t *testing.T) {
	for command, want := range map[string]string{
		"nothing-such -k 1 < rows":                      "nothing-such",
		"cat rows | nothing-such > out":                 "nothing-such",
		"cd . && A=1 nothing-such":                      "nothing-such",
		"cat rows | sort | head -n 1":                   "",
		"export A=1":                                    "",
		"printf 'nothing-such\\n' | cat - # no program": "",
	} {
		if got := absent(t, t.TempDir(), command); got != want {
			t.Errorf("%s: %q is absent, want %q", command, got, want)
		}
	}
}

// needs skips a test unless there is a program, a module of Python, or Fuseki.
func needs(t *testing.T, name string) {
	t.Helper()
	if name == "fuseki" {
		fuseki(t)
		return
	}
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if exec.Command("python3", "-c", "import "+name).Run() != nil {
		t.Skipf("it needs %s", name)
	}
}

// given returns a folder with the files that the documentation takes for granted: a small graph
// under the names of larger ones, models and queries of it, templates and rows.
func given(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.CopyFS(dir, os.DirFS("examples")))
	for _, p := range documentation(t) {
		for _, b := range p.Blocks {
			switch {
			case b.Language == "efo" && strings.HasPrefix(b.Text, "package atlas"):
				write(t, at("atlas.efo"), b.Text)
			case b.Language == "tsv":
				write(t, at("facts.tsv"), b.Text)
			}
		}
	}
	write(t, at("world.efo"), "package world\n\nquery Neighbours(country entity) y = borders($country, y)\n")
	write(t, at("queries/more.efo"), "package more\n\nquery Neighbours(country entity) y = borders($country, y)\n")
	efoc(t, "generate", at("queries/more.efo")).want(t, statusOK, "", "wrote")
	write(t, at("neighbours.rq"), "SELECT ?y { :France :borders ?y }\n")
	write(t, at("rows.jsonl"), `{"country": "France"}`+"\n")
	write(t, at("countries.csv"), "country\nFrance\nBrazil\n")
	write(t, at("new.tsv"), "Peru\tborders\tFrance\n")
	write(t, at("wrong.tsv"), "Brazil\tborders\tPeru\n")
	write(t, at("true.tsv"), "Peru\tborders\tFrance\n")
	write(t, at("untrue.tsv"), "Kenya\tborders\tFrance\n")
	write(t, at("token.txt"), strings.Repeat("secret", 8)+"\n")

	graph := smallGraph(t)
	for _, name := range []string{"fb15k-237", "FB15k-237", "nell995"} {
		for split, facts := range graph {
			write(t, at(filepath.Join(name, split+".tsv")), facts)
		}
	}
	write(t, at("my-graph/train.tsv"), graph["train"])
	efoc(t, "train", at("fb15k-237"), "-o", at("fb15k-237.efoc"), "--rank", "8", "--epochs", "3").want(t, statusOK, "", "")
	efoc(t, "train", at("my-graph"), "-o", at("my.efoc"), "--rank", "8", "--epochs", "3", "--holdout", "5%").want(t, statusOK, "", "")
	efoc(t, "remove", "--untrue", at("my.efoc"), at("untrue.tsv")).want(t, statusOK, "marked 1 fact", "")
	efoc(t, "add", "--new", at("my.efoc"), `population("Rome") = 2761632`).want(t, statusOK, "new: population", "")
	efoc(t, "compact", at("my.efoc")).want(t, statusOK, "", "")
	for _, name := range []string{"fb15k-237", "my"} {
		require.NoError(t, os.Remove(at(name+".train.json")))
	}
	write(t, at("world.efoc"), readText(t, "world/world.efoc"))
	for _, name := range []string{"nell995", "old"} {
		write(t, at(name+".efoc"), readText(t, at("fb15k-237.efoc")))
	}
	for _, split := range []string{"test", "valid"} {
		out := at(split + ".jsonl")
		efoc(t, "sample", "--graph", at("fb15k-237"), "--split", split, "--shape", "1p,2p,2in,pin,3c", "--count", "3", "-o", out).want(t, statusOK, "", "")
	}
	for _, name := range []string{"queries", "queries-dev", "betae"} {
		write(t, at(name+".jsonl"), readText(t, at("test.jsonl")))
	}
	return dir
}

// smallGraph returns the splits of a graph of some countries, and of other names that the
// documentation uses.
func smallGraph(t *testing.T) map[string]string {
	t.Helper()
	var train, valid, test bytes.Buffer
	countries := strings.Fields("France Germany Belgium Switzerland Luxembourg Italy Spain Andorra Brazil Peru Bolivia Uruguay Paraguay Argentina Venezuela Kenya Ethiopia")
	n := 0
	for line := range strings.Lines(readText(t, "world/train.tsv")) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if !slices.Contains(countries, f[0]) || !slices.Contains([]string{"borders", "official_language", "capital", "in_continent"}, f[1]) {
			continue
		}
		switch n++; {
		case n%8 == 3:
			valid.WriteString(line)
		case n%8 == 7:
			test.WriteString(line)
		default:
			train.WriteString(line)
		}
	}
	train.WriteString("ada\tworks_at\tacme\nbob\tworks_at\tacme\ncarol\tworks_at\tglobex\nacme\tbased_in\tlisbon\n" +
		"Batman\t/film/film/genre\tsuperhero film\nX-Men\t/film/film/genre\tsuperhero film\nBryan Singer\t/film/director/film\tX-Men\n")
	for i := range 120 { // ids that are large enough
		for j := range 6 {
			fmt.Fprintf(&train, "e%d\tr%d\te%d\n", 6*i+j, i, (6*i+j+1)%720)
		}
	}
	return map[string]string{"train": train.String(), "valid": valid.String(), "test": test.String()}
}
