package compare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/kind"
)

// checkPython returns the version of PyTorch of an interpreter, which must have the packages that the
// program imports.
func checkPython(ctx context.Context, python string) (version string, err error) {
	const script = "import torch, scipy, numpy; assert int(torch.__version__.split('.')[0]) >= 2; print(torch.__version__)"
	out, err := exec.CommandContext(ctx, python, "-c", script).Output()
	if err != nil {
		return "", cmp.Or(ctx.Err(), fmt.Errorf("%s has not PyTorch 2, scipy and numpy (%w): make an environment with "+
			"python3 -m venv DIR && DIR/bin/pip install torch scipy numpy, and name it with --python DIR/bin/python", python, err))
	}
	return strings.TrimSpace(string(out)), nil
}

// Answered is what a program reports for a query.
type Answered struct {
	Type string `json:"type"`
	// Top holds pairs of an entity and its probability, best first.
	Top [][2]float64 `json:"top"`
}

// peer has the PyTorch program answer the groups, and returns the milliseconds a query of each
// shape, and the answers to the first query of each. Arguments say how it computes.
//
// Each of the relations is asked for once before: the peer builds the sparse
// matrix of a relation when it first needs it. Those queries have a shape of
// their own, whose time is not looked at.
func (f *field) peer(ctx context.Context, args []string) (map[string]float64, []Answered, error) {
	const warmUp, other = "1p", "2p"
	ones := slices.IndexFunc(f.groups, func(g *queryset.Group) bool { return g.Name == warmUp })
	switch {
	case ones < 0:
		return f.once(ctx, args, f.groups, warmUp)
	case len(f.groups) == 1:
		return f.once(ctx, args, f.groups, other)
	}
	measured, answers, err := f.once(ctx, args, slices.Delete(slices.Clone(f.groups), ones, ones+1), warmUp)
	if err != nil {
		return nil, nil, err
	}
	last, more, err := f.once(ctx, args, f.groups[ones:ones+1], other)
	maps.Copy(measured, last)
	return measured, append(answers, more...), err
}

// once runs the program, after queries of shape warmUp.
func (f *field) once(ctx context.Context, how []string, groups []*queryset.Group, warmUp string) (map[string]float64, []Answered, error) {
	queries := filepath.Join(f.scratch, "queries.jsonl")
	dump := filepath.Join(f.scratch, "answers.json")
	text, err := queryLines(groups, warmUp)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(queries, text, 0o600); err != nil {
		return nil, nil, err
	}
	threads := strconv.Itoa(int(f.cmd.Threads))
	path := f.cmd.program()
	args := slices.Concat([]string{path, f.cmd.dir(), f.checkpoint, queries, "--time", "--threads", threads, "--dump", dump,
		"--lam", fmt.Sprint(f.settings.Lambda), "--alpha", fmt.Sprint(f.settings.Alpha)}, how)
	cmd := exec.CommandContext(ctx, f.cmd.Python, args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "OPENBLAS_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads,
		"TORCHINDUCTOR_CACHE_DIR="+filepath.Join(f.scratch, "compiled")) // later rounds find what the first compiled
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%s: %w\n%s", path, err, strings.TrimSpace(stderr.String()))
	}
	measured, err := parse(stdout.String())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, g := range groups {
		if _, ok := measured[g.Name]; !ok {
			return nil, nil, fmt.Errorf("%s gives no time of shape %s:\n%s", path, g.Name, strings.TrimSpace(stdout.String()))
		}
	}
	delete(measured, warmUp)
	answers, err := readAnswers(dump)
	return measured, slices.DeleteFunc(answers, func(a Answered) bool { return a.Type == warmUp }), err
}

// queryLines returns a query of shape warmUp for every relation that the groups use, in both
// directions, and then the groups. A query without hard answers gets one that is made up, for the
// program ranks them all.
func queryLines(groups []*queryset.Group, warmUp string) (text []byte, err error) {
	shape, err := benchmark.Query(warmUp)
	if err != nil {
		return nil, err
	}
	first := queryset.NewGroup(warmUp, shape, false)
	for _, r := range relations(groups) {
		args := make([]int32, len(shape.Params))
		for i, p := range shape.Params {
			if p.Kind == kind.Relation {
				args[i] = r
			}
		}
		first.Queries = append(first.Queries, queryset.Case{Args: args})
	}
	for _, g := range append([]*queryset.Group{first}, groups...) {
		line := g.LineWriter()
		for _, q := range g.Queries {
			if len(q.Hard) == 0 {
				q.Hard = []int32{0}
			}
			text = line(text, q)
		}
	}
	return text, nil
}

// relations returns the relations that the groups use, in both directions.
func relations(groups []*queryset.Group) []int32 {
	used := map[int32]bool{}
	for _, g := range groups {
		for _, q := range g.Queries {
			for i, p := range g.Template.Params {
				if p.Kind == kind.Relation {
					used[q.Args[i]] = true
					used[q.Args[i]^1] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// line is a line such as "2il   n=   20 MRR  25.5    51.32 ms/query".
var line = regexp.MustCompile(`(?m)^(\S+)\s+n=\s*\d+\s+MRR\s+\S+\s+([0-9.]+) ms/query\s*$`)

// parse reads the milliseconds a query of each shape.
func parse(text string) (map[string]float64, error) {
	measured := map[string]float64{}
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		t, err := strconv.ParseFloat(m[2], 64)
		if err != nil || t <= 0 {
			return nil, fmt.Errorf("time of shape %s is %q", m[1], m[2])
		}
		measured[m[1]] = t
	}
	if len(measured) == 0 {
		return nil, errors.New("the output has no times")
	}
	return measured, nil
}

// readAnswers reads what the peer wrote with --dump.
func readAnswers(path string) ([]Answered, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var answers []Answered
	if err := json.Unmarshal(text, &answers); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return answers, nil
}
