package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// Options configure an import.
type Options struct {
	// Graph is a folder in one of the known layouts, or a file of triples.
	Graph string
	// Separator separates the fields of a line of triples, by default a tab. In the folders of BetaE and FIT, which
	// contain only ids, the default also allows blanks. Tables of ids have tabs.
	Separator Separator
	// Columns are the names of the columns of heads, relations and tails in CSV and
	// text with a header line. By default, CSV has columns with the usual names,
	// such as subject, predicate and object.
	Columns []string
	// Edges make facts from two columns each of CSV and text with a header line, instead of Columns.
	Edges []Edge
	// Literals selects the treatment of RDF literals: skip (the default), keep or values.
	Literals Literals
	// Language is the preferred language of RDF labels, such as de. By default literals without a language come
	// first, then English ones.
	Language string
	// MaxEntities and MaxRelations, if not 0, bound the ids of a graph that has only ids.
	MaxEntities, MaxRelations int
	// Entities and Relations are tables "id TAB name [TAB label]". By default they are searched for in the folder of
	// the graph.
	Entities, Relations string
	// Heldout is a file of further facts, in the format of the graph. They are stored for checking answers and are
	// never visible to queries. The default is heldout.tsv in the graph's folder, if it exists.
	Heldout string
	// Checkpoints are safetensors or PyTorch files with embeddings, or output folders of PyKEEN or LibKGE. The score of a link is the mean of their scores, weighted by Weights, which
	// are equal if nil.
	Checkpoints []string
	Weights     []float64
	// EntityRows and RelationRows are tables "id TAB name" that assign rows of all checkpoints to names, if the rows
	// are not in the order of the graph's ids. By default they are searched for beside each checkpoint; none means the
	// graph's order.
	EntityRows, RelationRows string
	// EntityTensor and RelationTensor name the tensors, unless a known trainer names them.
	EntityTensor, RelationTensor string
	// Table is the type of the numbers in the entity table of the bundle; the zero value means table.Default. Exact
	// is the type of the rows besides Int8 codes; its zero value means Float32, and NoExact means codes only.
	Table, Exact table.Type
	// Layout describes all checkpoints. Empty fields are detected for each.
	Layout Layout
	// SkipCheck skips the check of the embeddings against the graph.
	SkipCheck bool
	// Output is the bundle to write.
	Output string
	// Name and Description go into the manifest. The default name is the name of the graph's folder or
	// file.
	Name, Description string
	// TypeRelation goes into the manifest; it must be a relation of the graph, or empty.
	TypeRelation string
	// Settings go into the manifest; the zero value means DefaultSettings.
	Settings model.Settings
	// Calibrate, if not nil, may change the manifest before the bundle is written. It receives the validation facts
	// beside the graph, and is not called without any.
	Calibrate func(ctx context.Context, m *model.Model, valid []graph.Triple) error
	// Progress, if not nil, receives the progress of each stage. total is 0 if unknown.
	Progress func(stage string, done, total int64)
	// Note, if not nil, receives a sentence about each detected property, such as the layout.
	Note func(text string)
}

// NoExact is the value of Exact for codes only.
const NoExact = table.Type("drop")

// noRows is the value of EntityRows and RelationRows for the graph's order.
const noRows = "none"

// The stages reported to Options.Progress.
const (
	stageGraph      = "read graph"      // lines
	stageCheckpoint = "read checkpoint" // rows
	stageCheck      = "check layout"    // triples
	stageWrite      = "write bundle"    // bytes
)

// complete sets the defaults and reports missing options.
func (o *Options) complete() error {
	switch {
	case len(o.Checkpoints) == 0:
		return errors.New("no checkpoint given: a bundle needs trained embeddings")
	case o.Weights != nil && len(o.Weights) != len(o.Checkpoints):
		return fmt.Errorf("%d weights for %d checkpoints", len(o.Weights), len(o.Checkpoints))
	case slices.ContainsFunc(o.Weights, func(w float64) bool { return !(w > 0) || math.IsInf(w, 0) }):
		return fmt.Errorf("weights are %v, want numbers above 0", o.Weights)
	case o.Output == "":
		return errors.New("no output file given")
	case (o.EntityTensor == "") != (o.RelationTensor == ""):
		return errors.New("name both the entity and the relation tensor, or neither")
	}
	o.Table = cmp.Or(o.Table, table.Default)
	if err := o.Table.Check(); err != nil {
		return err
	}
	switch {
	case o.Table.IsFloat() && o.Exact != "":
		return fmt.Errorf("rows of %s beside a table of %s: they stand beside int8", o.Exact, o.Table)
	case !o.Table.IsFloat() && o.Exact == "":
		o.Exact = table.Float32
	case o.Exact != "" && o.Exact != NoExact && o.Exact != table.Float32:
		return fmt.Errorf("rows of %s beside %s, want float32 or %s", o.Exact, o.Table, NoExact)
	}
	if err := o.Layout.check(); err != nil {
		return err
	}
	o.Settings = cmp.Or(o.Settings, model.DefaultSettings())
	if err := o.Settings.Validate(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	// Check the output first: reading the rest takes a while.
	if err := atomicfile.Check(o.Output); err != nil {
		return err
	}
	return o.completeGraph()
}

func (o *Options) completeGraph() error {
	if o.Graph == "" {
		return errors.New("no graph given")
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	return cmp.Or(o.Separator.Check(), columns(o.Columns).check())
}

// name returns the name of the model.
func (o *Options) name() string {
	graph := o.Graph
	if full, err := filepath.Abs(graph); err == nil {
		graph = full
	}
	name, _, _ := strings.Cut(filepath.Base(graph), ".")
	return cmp.Or(o.Name, name)
}

// lines reports how many lines of a graph were read.
func (o *Options) lines(n int64) { o.Progress(stageGraph, n, 0) }
