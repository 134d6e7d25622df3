package anycq

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/regularfile"
)

// Task is the kind of question that a benchmark asks.
type Task string

// The tasks.
const (
	Classification Task = "qac"
	Retrieval      Task = "qar"
)

// Set holds the questions of a file or folder.
type Set struct {
	Task Task
	// Groups are in the order of the files and of the formulas in them.
	Groups []*Group
}

// Group are the questions of one formula.
type Group struct {
	// Kind names the row of a report: the benchmark's name of the formula, such as 2p, or
	// what the name of the file says, such as 3hub.
	Kind string
	// Template is the formula; its answer variables are f1, f2 and f3.
	Template *lang.Query
	// Ground are the atoms between two constants, as slots, which Template lacks.
	Ground []Ground
	// Refused says why no question of the formula can be asked; it is empty if they can. Refused questions are only
	// counted.
	Refused string
	// Questions fill the template.
	Questions []Question
}

// Ground is an atom without variables: names of slots of a formula.
type Ground struct{ Head, Relation, Tail string }

// Link is a ground atom of a question.
type Link struct{ Head, Relation, Tail int32 }

// Question is a filled formula with answers to classify or to retrieve.
type Question struct {
	// Args holds the value of each parameter of the template, in order.
	Args []int32
	// Links fill the ground atoms of the group.
	Links []Link
	// Positive and Negative are the answers to classify.
	Positive, Negative []int32
	// Answers are the right answers to retrieve, a value for each free variable.
	Answers [][]int32
	Label   Label
}

// Label says what answers a question of retrieval has.
type Label string

// The labels.
const (
	Easy Label = "e" // observed facts give one
	Hard Label = "h" // there are some, but observed facts give none
	None Label = "n" // there is none
)

// The bounds of a file.
const (
	maxBytes     = 1 << 28
	maxQuestions = 1 << 20
)

// filePattern matches the names of the benchmark's files.
var filePattern = regexp.MustCompile(`^(qac|qar)_(train|valid|test)_([A-Za-z0-9_]+)\.json$`)

// list returns the file, or the files of a split in a folder that belong to the task of the
// first of them, sorted.
func list(path, split string) (files []string, task Task) {
	folder, name := filepath.Split(path)
	names := []string{name}
	if found, _ := fs.Glob(os.DirFS(path), "qa[cr]_"+split+"_*.json"); len(found) > 0 {
		folder = path
		names = found
	}
	for _, name := range names {
		m := filePattern.FindStringSubmatch(name)
		if m == nil || task != "" && task != Task(m[1]) {
			continue
		}
		task = Task(m[1])
		files = append(files, filepath.Join(folder, name))
	}
	return files, task
}

// Open reads the questions of a file, or of the files of a split in a folder: the first limit questions of each file,
// or all if limit is 0.
func Open(ctx context.Context, path, split string, limit int) (*Set, error) {
	files, task := list(path, split)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no questions of AnyCQ's %s split: looked for qac_%[2]s_*.json and qar_%[2]s_*.json", path, split)
	}
	s := &Set{Task: task}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, _, err := regularfile.Open(file)
		if err != nil {
			return nil, err
		}
		label := filePattern.FindStringSubmatch(filepath.Base(file))[3]
		err = s.read(io.LimitReader(f, maxBytes), label, limit)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(s.Groups) == 0 {
		return nil, fmt.Errorf("%s has no questions", path)
	}
	if !slices.ContainsFunc(s.Groups, func(g *Group) bool { return g.Refused == "" }) {
		return nil, fmt.Errorf("%s has no question that can be asked: %s", path, s.Groups[0].Refused)
	}
	return s, nil
}

// read adds the questions of a file.
func (s *Set) read(text io.Reader, label string, limit int) error {
	d := json.NewDecoder(text)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("want an object {formula: questions} (%v)", err)
	}
	kept := 0
	for d.More() {
		if limit > 0 && kept >= limit {
			return nil // the rest of the file is not looked at
		}
		key, err := d.Token()
		if err != nil {
			return err
		}
		var entries [][]json.RawMessage
		if err := d.Decode(&entries); err != nil {
			return fmt.Errorf("byte %d: %w", d.InputOffset(), err)
		}
		g, err := newGroup(fmt.Sprint(key), label)
		if err != nil {
			return err
		}
		if s.Task == Classification {
			g.Kind = shapeName(g)
		}
		for i, entry := range entries {
			if limit > 0 && kept >= limit {
				break
			}
			kept++
			if kept > maxQuestions {
				return fmt.Errorf("more than %d questions", maxQuestions)
			}
			q, err := s.question(g, entry)
			if err != nil {
				return fmt.Errorf("formula %.60s…, question %d: %w", key, i, err)
			}
			g.Questions = append(g.Questions, q)
		}
		if len(g.Questions) > 0 {
			s.Groups = append(s.Groups, g)
		}
	}
	_, err := d.Token()
	return err
}

// groundAtom matches an atom between two constants in a list of them, with what follows.
var groundAtom = regexp.MustCompile(`\((r[0-9]+)\((s[0-9]+),(s[0-9]+)\)\)(?:&|$)`)

// newGroup reads a formula.
func newGroup(formula, label string) (*Group, error) {
	if len(formula) > limits.FormulaBytes {
		return nil, fmt.Errorf("a formula is longer than %d bytes", limits.FormulaBytes)
	}
	g := &Group{Kind: label}
	text := formula
	// A conjunction without one of its atoms is a conjunction.
	if !strings.ContainsAny(text, "|!") {
		for _, m := range groundAtom.FindAllStringSubmatch(text, -1) {
			g.Ground = append(g.Ground, Ground{m[2], m[1], m[3]})
		}
		text = strings.TrimSuffix(groundAtom.ReplaceAllString(text, ""), "&")
	}
	var err error
	g.Template, err = lang.ParseBenchmark(text)
	if err != nil {
		g.Refused = reason(err)
		return g, nil
	}
	return g, nil
}

// longestShape bounds the text of a formula that may be a benchmark shape: to analyse those
// of hubs takes a while.
const longestShape = 256

// shapeName returns the benchmark's name of a group's formula, or its kind.
func shapeName(g *Group) string {
	if g.Refused != "" || len(g.Template.String()) > longestShape {
		return g.Kind
	}
	return cmp.Or(stages.ShapeName(stages.Analyze(g.Template).Shape().Key), g.Kind)
}

// question reads one question.
func (s *Set) question(g *Group, entry []json.RawMessage) (q Question, err error) {
	if len(entry) != 3 {
		return q, fmt.Errorf("%d parts, want three", len(entry))
	}
	if s.Task == Retrieval {
		if err := json.Unmarshal(entry[2], &q.Label); err != nil || q.Label != Easy && q.Label != Hard && q.Label != None {
			return q, fmt.Errorf("the third part is %.20s, want \"e\", \"h\" or \"n\"", entry[2])
		}
	}
	if g.Refused != "" {
		return q, nil
	}
	var slots map[string]int32
	if err := json.Unmarshal(entry[0], &slots); err != nil {
		return q, fmt.Errorf("slots: %w", err)
	}
	value := func(name string) int32 {
		id, ok := slots[name]
		if !ok || id < 0 {
			err = cmp.Or(err, fmt.Errorf("slot %s is %d, want an id", name, id))
		}
		return id
	}
	for _, p := range g.Template.Params {
		q.Args = append(q.Args, value(p.Name))
	}
	for _, a := range g.Ground {
		q.Links = append(q.Links, Link{value(a.Head), value(a.Relation), value(a.Tail)})
	}
	if err != nil {
		return q, err
	}
	if s.Task == Retrieval {
		q.Answers, err = tuples(entry[1], len(g.Template.Variables()))
		return q, err
	}
	for i, list := range []*[]int32{&q.Positive, &q.Negative} {
		all, err := tuples(entry[1+i], 1)
		if err != nil {
			return q, err
		}
		for _, t := range all {
			*list = append(*list, t[0])
		}
	}
	return q, nil
}

// tuples reads {"f1&f2": [[1, 2], …]} and requires width values in each tuple.
func tuples(text json.RawMessage, width int) ([][]int32, error) {
	var by map[string][][]int32
	if err := json.Unmarshal(text, &by); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	if len(by) != 1 {
		return nil, fmt.Errorf("answers of %d kinds, want one", len(by))
	}
	for _, list := range by {
		for _, t := range list {
			if len(t) != width {
				return nil, fmt.Errorf("answer %.60s has %d values, want %d", fmt.Sprint(t), len(t), width)
			}
			for _, id := range t {
				if id < 0 {
					return nil, fmt.Errorf("answer %.60s: want ids", fmt.Sprint(t))
				}
			}
		}
		return list, nil
	}
	return nil, nil
}
