package compare

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
	"github.com/efoc/efoc/runtime/model"
)

// Program is a PyTorch program that answers queries of one graph.
type Program struct {
	// Python is the interpreter, Path the program.
	Python, Path string
	// Dir is the folder of the graph.
	Dir, Checkpoint string
	// Args are its settings.
	Args    []string
	Threads int
	// Scratch is a folder for query files.
	Scratch string
	// Once says that it needs no warming up, takes no --threads and dumps no answers,
	// as peer/fit_topk.py.
	Once bool
}

// NSMP returns peer/nsmp_torch.py, or the program at path if that is not empty.
func (in Input) NSMP(path string, lambda, alpha float64) Program {
	if path == "" {
		path = filepath.Join(in.Shared, "peer", "nsmp_torch.py")
	}
	return Program{Path: path, Dir: in.Dir(), Args: []string{"--lam", fmt.Sprint(lambda), "--alpha", fmt.Sprint(alpha)}}
}

// FIT returns peer/fit_topk.py for the given number of candidates. It knows neither the
// temperature nor the degree of a leaf.
func (in Input) FIT(candidates int, d model.Degrees) Program {
	d = d.OrDefault()
	return Program{
		Path: filepath.Join(in.Shared, "peer", "fit_topk.py"), Dir: in.Dir(), Once: true,
		Args: []string{"--k", strconv.Itoa(candidates), "--thr", fmt.Sprint(d.Threshold), "--neg", fmt.Sprint(d.Negation)},
	}
}

// Measured is what a program reports for the queries of a shape.
type Measured struct {
	// Milliseconds are of a query.
	Milliseconds float64
	// MRR is in percent, to one place.
	MRR float64
}

// Answered is what a program reports for a query.
type Answered struct {
	Type string `json:"type"`
	// Top holds pairs of an entity and its probability, best first.
	Top [][2]float64 `json:"top"`
	Sum float64      `json:"sum"`
}

// Run answers the groups and returns the figures of each shape, and the answers of
// the first query of each.
//
// Each of the relations is asked for once before: the peer builds the sparse
// matrix of a relation when it first needs it. Those queries have a shape of
// their own, whose time is not looked at.
func (p *Program) Run(ctx context.Context, groups []*queryset.Group) (measured map[string]Measured, answers []Answered, err error) {
	if p.Once {
		return p.once(ctx, groups, "")
	}
	measured = map[string]Measured{}
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
		maps.Copy(measured, t)
		answers = append(answers, a...)
	}
	return measured, answers, nil
}

// once runs the program, after queries of shape warmUp if that is not empty.
func (p *Program) once(ctx context.Context, groups []*queryset.Group, warmUp string) (map[string]Measured, []Answered, error) {
	queries, dump := filepath.Join(p.Scratch, "queries.jsonl"), filepath.Join(p.Scratch, "answers.json")
	var text bytes.Buffer
	if err := writeQueries(&text, groups, warmUp); err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(queries, text.Bytes(), 0o600); err != nil {
		return nil, nil, err
	}
	threads := strconv.Itoa(p.Threads)
	args := append([]string{p.Path, p.Dir, p.Checkpoint, queries, "--time"}, p.Args...)
	if !p.Once {
		args = append(args, "--threads", threads, "--dump", dump)
	}
	cmd := exec.CommandContext(ctx, p.Python, args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "OPENBLAS_NUM_THREADS="+threads, "MKL_NUM_THREADS="+threads)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%s: %w\n%s", p.Path, err, strings.TrimSpace(stderr.String()))
	}
	measured, err := parse(stdout.String())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	for _, g := range groups {
		if _, ok := measured[g.Name]; !ok {
			return nil, nil, fmt.Errorf("%s gives no time of shape %s:\n%s", p.Path, g.Name, strings.TrimSpace(stdout.String()))
		}
	}
	if p.Once {
		return measured, nil, nil
	}
	delete(measured, warmUp)
	answers, err := readAnswers(dump)
	return measured, slices.DeleteFunc(answers, func(a Answered) bool { return a.Type == warmUp }), err
}

// writeQueries writes a query for every relation that the groups use, in both
// directions, if there is a shape to warm up with, and then the groups. A query without
// hard answers gets one that is made up, for the programs rank them all.
func writeQueries(w io.Writer, groups []*queryset.Group, warmUp string) error {
	e := json.NewEncoder(w)
	if warmUp != "" {
		if err := writeRelations(e, groups, warmUp); err != nil {
			return err
		}
	}
	for _, g := range groups {
		for _, q := range g.Queries {
			if err := writeQuery(e, g.Name, g.Template.Params, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeQuery writes a query of a type.
func writeQuery(e *json.Encoder, typ string, params []lang.Param, q queryset.Query) error {
	line := map[string]any{"type": typ, "easy": append([]int32{}, q.Easy...), "hard": q.Hard}
	if len(q.Hard) == 0 {
		line["hard"] = []int32{0}
	}
	for i, p := range params {
		line[p.Name] = q.Args[i]
	}
	return e.Encode(line)
}

// writeRelations writes a query of the shape warmUp for every relation.
func writeRelations(e *json.Encoder, groups []*queryset.Group, warmUp string) error {
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
	for _, r := range slices.Sorted(maps.Keys(relations)) {
		args := make([]int32, len(shape.Params))
		for i, p := range shape.Params {
			if p.Kind == lang.RelationKind {
				args[i] = r
			}
		}
		if err := writeQuery(e, warmUp, shape.Params, queryset.Query{Args: args}); err != nil {
			return err
		}
	}
	return nil
}

// line is a line such as "2il   n=   20 MRR  25.5    51.32 ms/query".
var line = regexp.MustCompile(`(?m)^(\S+)\s+n=\s*\d+\s+MRR\s+(\S+)\s+([0-9.]+) ms/query\s*$`)

// parse reads the figures of each shape.
func parse(text string) (map[string]Measured, error) {
	measured := map[string]Measured{}
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		mrr, err := strconv.ParseFloat(m[2], 64)
		if err != nil || !(mrr >= 0 && mrr <= 100) {
			return nil, fmt.Errorf("MRR of shape %s is %q", m[1], m[2])
		}
		t, err := strconv.ParseFloat(m[3], 64)
		if err != nil || t <= 0 {
			return nil, fmt.Errorf("time of shape %s is %q", m[1], m[3])
		}
		measured[m[1]] = Measured{Milliseconds: t, MRR: mrr}
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
