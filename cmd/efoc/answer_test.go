package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

const bulk = `package bulk

query Languages(country entity) y = exists x. borders($country, x) & official_language(x, y)
query Capitals(country entity) y show x = exists x. borders($country, x) & capital(x, y)
query Related(thing entity, how relation) y = $how($thing, y)
`

// printedAnswer is an answer of one variable in JSON.
type printedAnswer struct {
	ID         int32
	Name       string
	Label      string
	Score      float32
	Confidence float64
	Status     runtime.Status
	Values     []runtime.Value
}

// answered is a line of efoc answer.
type answered struct {
	Row     int
	Input   map[string]string
	Answers []printedAnswer
	Error   string
}

// answeredLines reads the lines of a run.
func answeredLines(t *testing.T, text string) (list []answered) {
	t.Helper()
	for line := range strings.Lines(text) {
		var x answered
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, x)
	}
	return list
}

// Each row has the answers that ask gives, in order, whatever came with it.
func TestAnswer(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "bulk.efo"), bulk)
	var rows strings.Builder
	countries := []string{"France", "Brazil", "Kenya", "Japan", "Switzerland"}
	for i := range 150 {
		if c := countries[i%len(countries)]; i%3 == 0 {
			fmt.Fprintf(&rows, `{"query": "Related", "thing": %q, "how": "borders^-1"}`+"\n", c)
		} else {
			fmt.Fprintf(&rows, `{"query": "Languages", "country": %q}`+"\n", c)
		}
	}
	r := efocInput(t, rows.String(), "answer", path, "-k", "3")
	if r.status != statusOK {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	lines := answeredLines(t, r.stdout)
	if len(lines) != 150 {
		t.Fatalf("%d lines for 150 rows", len(lines))
	}
	for i, x := range lines {
		if x.Row != i+1 || len(x.Answers) != 3 || x.Error != "" {
			t.Fatalf("line %d is of row %d, with %d answers: %s", i+1, x.Row, len(x.Answers), x.Error)
		}
		if i >= 15 { // of which there is one of each kind
			if first := lines[i%15]; fmt.Sprint(answerNames(first)) != fmt.Sprint(answerNames(x)) {
				t.Errorf("row %d has %v, the same row %d %v", i+1, answerNames(x), i%15+1, answerNames(first))
			}
			continue
		}
		args := []string{"ask", "--file", path, "--query", x.Input["query"], "-k", "3", "--format", "json"}
		for name, value := range x.Input {
			if name != "query" {
				args = append(args, "--set", name+"="+value)
			}
		}
		var want answered
		require.NoError(t, json.Unmarshal([]byte(efoc(t, args...).stdout), &want))
		if fmt.Sprint(answerNames(x)) != fmt.Sprint(answerNames(want)) {
			t.Errorf("row %d: got %v, ask gives %v", i+1, answerNames(x), answerNames(want))
		}
	}
	shown := efocInput(t, "country\nFrance\n", "answer", path, "--query", "Capitals", "-k", "3")
	for _, a := range answeredLines(t, shown.stdout)[0].Answers {
		if x := a.Values[0]; x.Variable != "x" || x.Name == "" || x.Name == a.Name {
			t.Errorf("%s is shown with x = %q", a.Name, x.Name)
		}
	}
	csv := efocInput(t, "country\nFrance\nBrazil\n", "answer", path, "--query", "Languages", "-k", "3")
	if lines := answeredLines(t, csv.stdout); len(lines) != 2 || fmt.Sprint(answerNames(lines[1])) == fmt.Sprint(answerNames(lines[0])) {
		t.Errorf("CSV: %s%s", csv.stdout, csv.stderr)
	}
}

// answerNames returns the names and statuses of the answers.
func answerNames(x answered) (list []string) {
	for _, a := range x.Answers {
		list = append(list, a.Name+" "+a.Status.String())
	}
	return list
}

// stopped answers some rows, and then has no more, as if it had been killed in the middle of a
// line.
func stopped(t *testing.T, rows string, args ...string) {
	t.Helper()
	in := io.MultiReader(strings.NewReader(rows), iotest.ErrReader(errors.New("no cable")))
	var stdout, stderr bytes.Buffer
	status := run(args, in, &stdout, &stderr)
	result{status, stdout.String(), stderr.String()}.want(t, statusFailure, "", "no cable")
	part := args[slices.Index(args, "-o")+1] + ".part"
	require.NoError(t, os.Truncate(part, int64(len(readText(t, part))-9)))
}

// A run that was stopped goes on where it was: the file is that of an undisturbed run.
func TestAnswerResume(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "bulk.efo"), bulk)
	row := "{\"country\": \"France\"}\n{\"country\":   \"Kenya\"}\n"
	rows := strings.Repeat(row, 50)
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"answer", path, "--query", "Languages", "-o", out}
	stopped(t, rows[:20*len(row)], args...)
	efocInput(t, rows, append(args, "--resume")...).want(t, statusOK, "", "")
	resumed := answeredLines(t, readText(t, out))
	if len(resumed) != 100 {
		t.Fatalf("%d rows, want 100", len(resumed))
	}
	for i, x := range resumed {
		if x.Row != i+1 || fmt.Sprint(answerNames(x)) != fmt.Sprint(answerNames(resumed[i%2])) {
			t.Errorf("line %d is of row %d: %v", i+1, x.Row, answerNames(x))
		}
	}
	if _, err := os.Stat(out + ".part"); err == nil {
		t.Error("the part is still there")
	}
	write(t, out+".part", "{\"row\":2}\n")
	efocInput(t, rows, append(args, "--resume")...).want(t, statusFailure, "", "out.jsonl.part is not a state file of this command")
	efocInput(t, rows, args...).want(t, statusOK, "", "")
}

// A run goes on only if all is the same that answers depend on.
func TestAnswerResumeErrors(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "bulk.efo"), bulk)
	model, other, out := worldCopy(t), towns(t), filepath.Join(dir, "out.jsonl")
	rows := strings.Repeat("{\"country\": \"France\"}\n{\"country\": \"Kenya\"}\n", 3)
	args := func(more ...string) []string {
		return append([]string{"answer", path, "-m", model, "-q", "Languages", "-o", out}, more...)
	}
	stopped(t, rows, args()...)
	whole := func() string { // lines of the part
		text := readText(t, out+".part")
		return text[:strings.LastIndexByte(text, '\n')+1]
	}
	kept := whole()
	rename := func(old, to string) func() {
		return func() { write(t, path, strings.Replace(bulk, old, to, 1)) }
	}
	for _, x := range []struct {
		name   string
		change func()
		rows   string
		args   []string
		want   string
	}{
		{"k", nil, rows, args("-k", "3"), "different: number of answers"},
		{"semantics", nil, rows, args("--semantics", "fit"), "different: templates"},
		{"filter", nil, rows, args("--status", "known"), "different: filter"},
		{"model", nil, rows, append(args(), "-m", other, "-q", "Roads"), "different: model, templates"},
		{"template", rename("official_language(x, y)", "official_language(x, y) & borders(x, $country)"), rows, args(), "different: templates"},
		{"layers", rename("package bulk", "package bulk\nlayers 4"), rows, args(), "different: templates"},
		{"rows", nil, strings.Replace(rows, "Kenya", "Japan", 1), args(), `row 2 is {"country":"Japan"}, but the earlier run answered row 2, {"country":"Kenya"}`},
		{"fewer rows", nil, rows[:30], args(), "row 2 is one that could not be read, but"},
		{"no rows", nil, "", args(), "the rows end before row 1"},
		{"facts", func() {
			efocInput(t, "Brazil\tborders\tKenya\n", "add", model, "-").want(t, statusOK, "added 1 fact", "")
		}, rows, args(), "different: model"},
	} {
		write(t, path, bulk)
		if x.name == "model" {
			write(t, path, "query Roads(country entity) y = road($country, y)\n")
		}
		if x.change != nil {
			x.change()
		}
		efocInput(t, x.rows, append(x.args, "--resume")...).want(t, statusFailure, "", x.want)
		if whole() != kept {
			t.Errorf("%s: the part has changed", x.name)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is an output", x.name)
		}
	}
	require.NoError(t, os.Remove(model+".journal"))
	write(t, path, bulk)
	efocInput(t, rows, args("--resume")...).want(t, statusOK, "", "")
	if n := len(answeredLines(t, readText(t, out))); n != 6 {
		t.Errorf("%d rows, want 6", n)
	}
}

// A file has all of its rows, each once, though the run was stopped on the way.
func TestAnswerResumed(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "bulk.efo"), bulk)
	text := strings.Repeat("{\"country\": \"France\"}\n{\"country\": \"Frence\"}\n", 20) + "{\"country\": \"Kenya\"}\n"
	rows := write(t, filepath.Join(dir, "rows.jsonl"), text)
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"answer", path, "--query", "Languages", "--keep-going", "-o", out}
	resume := append(slices.Clone(args), "--rows", rows, "--resume")
	efoc(t, resume...).want(t, statusOK, "", "could not be answered")
	whole := readText(t, out)
	stopped(t, text[:len(text)*2/3], args...)
	efoc(t, resume...).want(t, statusOK, "", "")
	// The last digits of scores depend on which rows ran together.
	lines := func(text string) (list []string) {
		for _, x := range answeredLines(t, text) {
			list = append(list, fmt.Sprint(x.Row, x.Input, answerNames(x), x.Error))
		}
		return list
	}
	if got, want := lines(readText(t, out)), lines(whole); !slices.Equal(got, want) {
		t.Errorf("after a stop:\n%q\nwant\n%q", got, want)
	}
	all := answeredLines(t, whole)
	for i, x := range all {
		if x.Row != i+1 || (x.Row%2 == 0) != (x.Error != "") {
			t.Errorf("line %d is row %d, %v: error %q", i+1, x.Row, x.Input, x.Error)
		}
	}
	if len(all) != 41 || all[40].Input["country"] != "Kenya" {
		t.Errorf("%d rows, the last is %v", len(all), all[len(all)-1])
	}
}

// readText returns the text of a file.
func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
