package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
)

type graphData struct {
	entities, relations vocabulary
	triples, heldout    []graph.Triple
	// folder is the graph's folder, empty if it is a file. file is the file of the triples, visible the name of their
	// split.
	folder, file, visible string
	// form is the format of the files; sink is a new sink for one of them.
	form *form
	sink graphSink
}

func (g *graphData) both() []*vocabulary { return []*vocabulary{&g.entities, &g.relations} }

// sibling returns the file of another split in the graph's folder, compressed or not, or nothing.
func (g *graphData) sibling(split string) string {
	return firstFile(g.folder, []string{split + strings.TrimPrefix(plainName(g.file), "train")})
}

// raise raises the largest ids to those in a file.
func (g *graphData) raise(s *graphSink, path string) {
	if s.both {
		s.relations.top.id /= 2
	}
	g.entities.top.raise(s.entities.top, path)
	g.relations.top.raise(s.relations.top, path)
}

func (im *importer) readGraph(ctx context.Context) (*graphData, error) {
	o := &im.options
	info, err := os.Stat(o.Graph)
	if err != nil {
		return nil, err
	}
	g := &graphData{
		entities: vocabulary{
			kind: "entity", plural: "entities", stated: o.Entities, statedRows: o.EntityRows, files: entityFiles,
		},
		relations: vocabulary{
			kind: "relation", plural: "relations", stated: o.Relations, statedRows: o.RelationRows, files: relationFiles,
		},
		form: newForm(o),
		sink: graphSink{
			entities: idField{kind: "entity"}, relations: idField{kind: "relation"},
			values: &statedValues{by: map[string]*statedAttribute{}}, typed: o.Literals == literalValues,
		},
	}
	if info.IsDir() {
		g.folder = o.Graph
		err = im.readFolder(ctx, g, g.folder)
	} else {
		g.file = o.Graph
		err = im.readNamed(ctx, g, filepath.Dir(o.Graph))
	}
	if err != nil {
		return nil, err
	}
	g.visible, _, _ = strings.Cut(filepath.Base(g.file), ".")
	s, err := im.readTriples(ctx, g, g.file, "graph")
	if err != nil {
		return nil, err
	}
	g.triples = s.triples
	if g.relations.count == 0 && g.relations.ids == nil {
		// The numbering of relations is unknown, but the triples may reveal it: only directed ids have an exact
		// inverse for each relation.
		if folded, err := fold(slices.Clone(g.triples)); err == nil {
			g.triples, g.sink.both, s.both = folded, true, true
		}
	}
	g.raise(s, g.file)
	heldout := cmp.Or(o.Heldout, firstFile(g.folder, factFiles("heldout")))
	if heldout == "" {
		return g, nil
	}
	s, err = im.readTriples(ctx, g, heldout, "heldout")
	if err != nil {
		return nil, err
	}
	g.raise(s, heldout)
	g.heldout = without(s.triples, g.triples)
	return g, nil
}

// readFolder detects the layout of the graph in a folder, and reads everything except the triples.
func (im *importer) readFolder(ctx context.Context, g *graphData, folder string) error {
	if index := firstFile(folder, []string{"kgindex.json"}); index != "" {
		return im.readFIT(ctx, g, folder, index)
	}
	if stats := firstFile(folder, []string{"stats.txt"}); stats != "" {
		return im.readBetaE(ctx, g, folder, stats)
	}
	g.file = firstFile(folder, append(factFiles("train"), "numeric_triples.tsv"))
	if g.file == "" {
		return fmt.Errorf("%s: no graph that efoc knows: want train.tsv, train.nt, train.ttl or the like with entities.tsv and relations.tsv, "+
			"train.txt with stats.txt (BetaE), or train_kg.tsv with kgindex.json (FIT)", folder)
	}
	return im.readNamed(ctx, g, folder)
}

// readNamed reads the layout of a file of triples with optional id tables.
func (im *importer) readNamed(ctx context.Context, g *graphData, folder string) error {
	for _, v := range g.both() {
		v.findTable(folder)
	}
	named := g.entities.file == "" && g.relations.file == "" && im.namedTriples(ctx, g.file)
	checkpoints := im.options.Checkpoints
	if named && len(checkpoints) > 0 {
		// The first checkpoint's row numbers serve as ids.
		for _, v := range g.both() {
			v.file = v.rowFile(checkpoints[0])
		}
	}
	if (g.entities.file == "") != (g.relations.file == "") {
		return fmt.Errorf("%s: only one of the two id tables: %w", folder, errNeedTables)
	}
	if err := im.readTables(ctx, g); err != nil {
		return err
	}
	debug.FreeOSMemory() // reading tables leaves as much garbage as their size
	for _, v := range g.both() {
		switch {
		case named && len(checkpoints) == 0:
			v.ids = &idTable{kind: v.kind, ids: map[string]int32{}, open: true}
		case v.ids != nil:
			v.count = len(v.ids.names)
		}
	}
	s := &g.sink
	if g.entities.file != "" && numericTriples(g.file) {
		s.entities.limit, s.relations.limit = g.entities.count, g.relations.count
		return nil
	}
	s.entities.names, s.relations.names = g.entities.ids, g.relations.ids
	// A relation may include its inverse.
	s.entities.limit, s.relations.limit = im.options.MaxEntities, 2*im.options.MaxRelations
	return nil
}

func (im *importer) readTables(ctx context.Context, g *graphData) (err error) {
	for _, v := range g.both() {
		if v.file == "" {
			continue
		}
		v.ids, err = im.readIDs(ctx, v.file, v.kind)
		if err != nil {
			return err
		}
	}
	return nil
}

// readBetaE reads the layout of BetaE: stats.txt, and train.txt with integers and both directions, with optional
// tables of names.
func (im *importer) readBetaE(ctx context.Context, g *graphData, folder, stats string) error {
	g.file = firstFile(folder, []string{"train.txt"})
	if g.file == "" {
		return fmt.Errorf("%s: a BetaE folder without train.txt", folder)
	}
	counts := map[string]int{}
	err := im.readLines(ctx, stats, "stats", func(_ int, line []byte) error {
		key, value, _ := strings.Cut(string(line), ":")
		count, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a count", strings.TrimSpace(value))
		}
		counts[strings.TrimSpace(key)] = int(count)
		return nil
	})
	if err != nil {
		return err
	}
	n := counts["numentity"]
	directed := counts["numrelations"]
	if n == 0 || directed == 0 || directed%2 != 0 {
		return fmt.Errorf("%s: want numentity above 0 and an even numrelations, as inverses are counted", stats)
	}
	g.entities.count, g.relations.count = n, directed/2
	for _, v := range g.both() {
		v.findTable(folder)
	}
	if err := im.readTables(ctx, g); err != nil {
		return err
	}
	for _, v := range g.both() {
		if v.file == "" {
			v.ids, err = im.readPickledNames(ctx, filepath.Join(folder, "id2"+v.kind[:3]+".pkl"), v.kind, v.count)
			if err != nil {
				return err
			}
		}
	}
	return g.directedIDs()
}

// readFIT reads the layout of FIT and LMPNN: kgindex.json, and train_kg.tsv with integers and both directions.
func (im *importer) readFIT(ctx context.Context, g *graphData, folder, index string) error {
	entities, relations, err := im.readIndex(ctx, index)
	if err != nil {
		return err
	}
	// Tables in the options have better names and labels.
	g.entities.ids, g.relations.ids = entities, relations
	g.entities.file, g.relations.file = g.entities.stated, g.relations.stated
	if err := im.readTables(ctx, g); err != nil {
		return err
	}
	if err := errors.Join(g.entities.ids.agree(entities), g.relations.ids.agree(relations)); err != nil {
		return fmt.Errorf("%s: %w", index, err)
	}
	g.entities.count, g.relations.count = len(entities.names), len(relations.names)
	// valid_kg.tsv and test_kg.tsv repeat the facts of train_kg.tsv and do not belong to the graph.
	g.file = firstFile(folder, []string{"train_kg.tsv"})
	if g.file == "" {
		return fmt.Errorf("%s: a FIT folder without train_kg.tsv", folder)
	}
	return g.directedIDs()
}

// directedIDs sets the sink to read directed ids, after checking the lengths of the id tables.
func (g *graphData) directedIDs() error {
	for _, v := range g.both() {
		if v.ids != nil && len(v.ids.names) != v.count {
			return fmt.Errorf("%s: %d %s, but the graph has %d", v.file, len(v.ids.names), v.plural, v.count)
		}
	}
	g.sink.entities.limit, g.sink.relations.limit, g.sink.both = g.entities.count, 2*g.relations.count, true
	g.form.numbers, g.form.columns = true, nil
	return nil
}

// The roles of files that may be empty: splits without facts.
const (
	roleValid = "valid"
	roleTest  = "test"
)

// readTriples reads a file of facts into a new sink.
func (im *importer) readTriples(ctx context.Context, g *graphData, path, role string) (*graphSink, error) {
	o := &im.options
	s := g.sink
	r := factFile{form: g.form, ctx: ctx, path: path, progress: o.lines}
	r.to = &s
	s.share = func() float64 { return r.share() }
	err := r.read(nil)
	if err == nil {
		err = im.addSource(ctx, role, path)
	}
	if err != nil {
		return nil, err
	}
	if s.values.read > 0 {
		o.Note(fmt.Sprintf("%s: %d values were read", path, s.values.read))
		s.values.read = 0
	}
	r.noteLeftOut(path, r.header, o.Note)
	if r.first != nil && s.entities.names != nil && firstAlone(s.triples) {
		if columnsAsFacts(s.triples) {
			return nil, fmt.Errorf("%s:1: the first line, %s, names columns, and the second column has too many values for relations: "+
				"set columns=HEAD,RELATION,TAIL, or edge=COLUMN -RELATION-> COLUMN for each pair of columns that has facts", path, r.first)
		}
		o.Note(fmt.Sprintf("%s: the first line, %s, was read as a fact: if it names the columns, set columns=%s", path, r.first, strings.Join(r.first, ",")))
	}
	err = s.finish(r.header)
	if errors.Is(err, errNoTriples) && (role == roleValid || role == roleTest) {
		return &s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.literals > 0 && o.Literals != keepLiterals {
		o.Note(fmt.Sprintf("%s: %d facts lead to typed literals, which were read as entities (literals=values reads numbers and dates)", path, s.literals))
	}
	if s.repeated > 0 {
		o.Note(fmt.Sprintf("%s: %d repeated facts were left out", path, s.repeated))
	}
	return &s, nil
}
