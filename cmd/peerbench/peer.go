package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
)

// needs are the Python packages that the peer imports.
var needs = []string{"torch", "scipy", "numpy"}

// findPython returns an interpreter that has what the peer needs: the one asked
// for, or the first that fits.
func findPython(ctx context.Context, asked string) (string, error) {
	candidates := []string{asked}
	if asked == "" {
		candidates = []string{"python3", "/usr/bin/python3"}
	}
	for _, c := range candidates {
		path, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		if exec.CommandContext(ctx, path, "-c", "import "+strings.Join(needs, ", ")).Run() == nil {
			return path, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return "", fmt.Errorf("no Python with %s was found as %s: install it, on Debian with "+
		"apt-get install python3-torch python3-scipy libopenblas0-pthread, or name it with --python",
		strings.Join(needs, ", "), strings.Join(candidates, " or "))
}

// peer runs the PyTorch program.
type peer struct {
	python, program, dir, checkpoint string
	lambda, alpha                    float64
	threads                          int
	// scratch is a folder for query files.
	scratch string
}

// answered is what the peer says of a query.
type answered struct {
	Type string `json:"type"`
	// Top holds pairs of an entity and its probability, best first.
	Top [][2]float64 `json:"top"`
	Sum float64      `json:"sum"`
}

// run answers the groups and returns milliseconds a query, by shape, and the
// answers of the first query of each.
//
// Each of the relations is asked for once before: the peer builds the sparse
// matrix of a relation when it first needs it. Those queries have a shape of
// their own, whose time is not looked at.
func (p *peer) run(ctx context.Context, groups []*queryset.Group) (times map[string]float64, answers []answered, err error) {
	times = map[string]float64{}
	const warmUp, other = "1p", "2p"
	ones := slices.IndexFunc(groups, func(g *queryset.Group) bool { return g.Name == warmUp })
	parts := map[string][]*queryset.Group{warmUp: groups}
	if ones >= 0 {
		parts[warmUp] = slices.Delete(slices.Clone(groups), ones, ones+1)
		parts[other] = groups[ones : ones+1]
	}
	for _, warm := range slices.Sorted(maps.Keys(parts)) {
		if len(parts[warm]) == 0 {
			continue
		}
		t, a, err := p.once(ctx, parts[warm], warm)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(times, t)
		answers = append(answers, a...)
	}
	return times, answers, nil
}

// once runs the program.
func (p *peer) once(ctx context.Context, groups []*queryset.Group, warmUp string) (map[string]float64, []answered, error) {
	queries, dump := filepath.Join(p.scratch, "queries.jsonl"), filepath.Join(p.scratch, "answers.json")
	var text bytes.Buffer
	if err := writeQueries(&text, groups, warmUp); err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(queries, text.Bytes(), 0o600); err != nil {
		return nil, nil, err
	}
	threads := strconv.Itoa(p.threads)
	cmd := exec.CommandContext(ctx, p.python, p.program, p.dir, p.checkpoint, queries, "--time", "--threads", threads,
		"--lam", fmt.Sprint(p.lambda), "--alpha", fmt.Sprint(p.alpha), "--dump", dump)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "OPENBLAS_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%s: %w\n%s", p.program, err, strings.TrimSpace(stderr.String()))
	}
	times, err := parseTimes(stdout.String())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.program, err)
	}
	for _, g := range groups {
		if _, ok := times[g.Name]; !ok {
			return nil, nil, fmt.Errorf("%s gives no time of shape %s:\n%s", p.program, g.Name, strings.TrimSpace(stdout.String()))
		}
	}
	delete(times, warmUp)
	answers, err := readAnswers(dump)
	return times, slices.DeleteFunc(answers, func(a answered) bool { return a.Type == warmUp }), err
}

// writeQueries writes a query for every relation that the groups use, in both
// directions, and then the groups. The answers that the peer ranks are made up:
// its ranks are not looked at.
func writeQueries(w io.Writer, groups []*queryset.Group, warmUp string) error {
	relations := map[int32]bool{}
	for _, g := range groups {
		for _, q := range g.Queries {
			for i, p := range g.Template.Params {
				if p.Kind == lang.RelationKind {
					r := q.Args[i]
					relations[r], relations[r^1] = true, true
				}
			}
		}
	}
	shape, err := lang.ShapeQuery(warmUp)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	write := func(typ string, params []lang.Param, args []int32) error {
		line := map[string]any{"type": typ, "easy": []int{}, "hard": []int{0}}
		for i, p := range params {
			line[p.Name] = args[i]
		}
		return e.Encode(line)
	}
	for _, r := range slices.Sorted(maps.Keys(relations)) {
		args := make([]int32, len(shape.Params))
		for i, p := range shape.Params {
			if p.Kind == lang.RelationKind {
				args[i] = r
			}
		}
		if err := write(warmUp, shape.Params, args); err != nil {
			return err
		}
	}
	for _, g := range groups {
		for _, q := range g.Queries {
			if err := write(g.Name, g.Template.Params, q.Args); err != nil {
				return err
			}
		}
	}
	return nil
}

// timeLine is a line such as "2il   n=   20 MRR  25.5    51.32 ms/query".
var timeLine = regexp.MustCompile(`(?m)^(\S+)\s+n=\s*\d+\s.*\s([0-9.]+) ms/query\s*$`)

// parseTimes reads the milliseconds a query of each shape.
func parseTimes(text string) (map[string]float64, error) {
	times := map[string]float64{}
	for _, m := range timeLine.FindAllStringSubmatch(text, -1) {
		t, err := strconv.ParseFloat(m[2], 64)
		if err != nil || t <= 0 {
			return nil, fmt.Errorf("time of shape %s is %q", m[1], m[2])
		}
		times[m[1]] = t
	}
	if len(times) == 0 {
		return nil, errors.New("the output has no times")
	}
	return times, nil
}

// readAnswers reads what the peer wrote with --dump.
func readAnswers(path string) ([]answered, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var answers []answered
	if err := json.Unmarshal(text, &answers); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return answers, nil
}
