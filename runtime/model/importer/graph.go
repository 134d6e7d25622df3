package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model"
)

// graphData is a graph as it was read.
type graphData struct {
	// n and relations are 0 where only the checkpoint can tell.
	n, relations int
	triples      []model.Triple
	heldout      []model.Triple
	// entities and relationNames are nil where the ids are all there is.
	entities, relationNames *idTable
	// entityFile and relationFile are where these come from.
	entityFile, relationFile string
	// file is that of the triples, visible says which these are.
	file, visible string
	// newReader makes a reader for a file of the same kind.
	newReader func() *tripleReader
	// maxEntity and maxRelation are the largest ids, where they were numbers.
	maxEntity, maxRelation *lineError
	topEntity, topRelation int32
}

// readGraph reads the graph that the options name.
func (im *importer) readGraph(ctx context.Context) (*graphData, error) {
	info, err := os.Stat(im.options.Graph)
	if err != nil {
		return nil, err
	}
	folder, file := im.options.Graph, ""
	if !info.IsDir() {
		folder, file = filepath.Dir(im.options.Graph), im.options.Graph
	}
	g, file, err := im.layoutOf(ctx, folder, file)
	if err != nil {
		return nil, err
	}
	g.file = file
	g.visible, _, _ = strings.Cut(filepath.Base(file), ".")
	r := g.newReader()
	if g.triples, err = im.readTriples(ctx, file, "graph", r); err != nil {
		return nil, err
	}
	g.topEntity, g.topRelation = r.maxEntity, r.maxRel
	if g.relations == 0 && g.relationNames == nil {
		// Nothing says how relations are numbered, but the triples may.
		if folded, ok := foldMirrored(g.triples); ok {
			g.triples, g.topRelation = folded, g.topRelation/2
			g.newReader = func() *tripleReader {
				return &tripleReader{
					both: true, n: im.options.MaxEntities, directed: 2 * im.options.MaxRelations, separator: im.options.Separator,
				}
			}
		}
	}
	g.maxEntity, g.maxRelation = &lineError{file: file, line: r.entityLine}, &lineError{file: file, line: r.relsLine}
	heldout := im.options.Heldout
	if heldout == "" && info.IsDir() {
		heldout = firstFile(folder, heldoutFiles)
	}
	if heldout == "" {
		return g, nil
	}
	r = g.newReader()
	if g.heldout, err = im.readTriples(ctx, heldout, "heldout", r); err != nil {
		return nil, err
	}
	if r.maxEntity > g.topEntity {
		g.topEntity, g.maxEntity = r.maxEntity, &lineError{file: heldout, line: r.entityLine}
	}
	top := r.maxRel
	if r.both {
		top /= 2
	}
	if top > g.topRelation {
		g.topRelation, g.maxRelation = top, &lineError{file: heldout, line: r.relsLine}
	}
	g.heldout = without(g.heldout, g.triples)
	return g, nil
}

// layoutOf finds out how the graph is written. file is empty for a folder; the
// result is the file of the visible triples.
func (im *importer) layoutOf(ctx context.Context, folder, file string) (*graphData, string, error) {
	if file == "" {
		if index := firstFile(folder, []string{"kgindex.json"}); index != "" {
			return im.fitFolder(ctx, folder, index)
		}
		if stats := firstFile(folder, []string{"stats.txt"}); stats != "" {
			return im.betaFolder(ctx, folder, stats)
		}
		if file = firstFile(folder, trainFiles); file == "" {
			return nil, "", fmt.Errorf("%s: no graph that efoc knows: want train.tsv or train.nt with entities.tsv and relations.tsv, train.txt with stats.txt (BetaE), or train_kg.tsv with kgindex.json (FIT)", folder)
		}
	}
	g := &graphData{}
	entities, relations := im.tableFiles(folder)
	if entities == "" && relations == "" && im.namedTriples(ctx, file) {
		// Rows of the checkpoint that have names are ids as good as any.
		entities, relations = im.rowFiles()
	}
	if (entities == "") != (relations == "") {
		return nil, "", fmt.Errorf("%s: only one of the two id tables: %w", folder, errNeedTables)
	}
	switch {
	case entities != "":
		if err := im.readTables(ctx, g, entities, relations); err != nil {
			return nil, "", err
		}
		g.n, g.relations = len(g.entities.names), len(g.relationNames.names)
	case im.numberNames && im.namedTriples(ctx, file):
		g.entities = &idTable{kind: "entity", ids: map[string]int32{}, open: true}
		g.relationNames = &idTable{kind: "relation", ids: map[string]int32{}, open: true}
	}
	g.newReader = func() *tripleReader {
		return &tripleReader{
			entities: g.entities, relations: g.relationNames, separator: im.options.Separator,
			// A relation may come with its inverse.
			n: im.options.MaxEntities, directed: 2 * im.options.MaxRelations,
		}
	}
	if entities != "" && numericTriples(file) {
		g.newReader = func() *tripleReader {
			return &tripleReader{n: g.n, directed: g.relations, separator: im.options.Separator}
		}
	}
	return g, file, nil
}

// tableFiles returns the id tables: those of the options, or else those in the
// folder, or nothing.
func (im *importer) tableFiles(folder string) (entities, relations string) {
	if entities = im.options.Entities; entities == "" {
		entities = firstFile(folder, entityFiles)
	}
	if relations = im.options.Relations; relations == "" {
		relations = firstFile(folder, relationFiles)
	}
	return entities, relations
}

// readTables reads those id tables that are named.
func (im *importer) readTables(ctx context.Context, g *graphData, entities, relations string) (err error) {
	if entities != "" {
		g.entityFile = entities
		if g.entities, err = im.readIDs(ctx, entities, "entity"); err != nil {
			return err
		}
	}
	if relations != "" {
		g.relationFile = relations
		g.relationNames, err = im.readIDs(ctx, relations, "relation")
	}
	return err
}

// betaFolder is the layout of BetaE: stats.txt, and train.txt with integers and
// both directions. Tables of names may be there besides.
func (im *importer) betaFolder(ctx context.Context, folder, stats string) (*graphData, string, error) {
	file := firstFile(folder, []string{"train.txt"})
	if file == "" {
		return nil, "", fmt.Errorf("%s: a BetaE folder without train.txt", folder)
	}
	g := &graphData{}
	directed := 0
	source, err := im.readLines(ctx, stats, "stats", func(line []byte) error {
		key, value, _ := strings.Cut(string(line), ":")
		count, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a count", strings.TrimSpace(value))
		}
		switch strings.TrimSpace(key) {
		case "numentity":
			g.n = int(count)
		case "numrelations":
			directed = int(count)
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	im.sources = append(im.sources, source)
	if g.n == 0 || directed == 0 || directed%2 != 0 {
		return nil, "", fmt.Errorf("%s: want numentity above 0 and an even numrelations, as inverses are counted", stats)
	}
	g.relations = directed / 2
	entities, relations := im.tableFiles(folder)
	if err := im.readTables(ctx, g, entities, relations); err != nil {
		return nil, "", err
	}
	if err := im.betaNames(g, folder, entities == "", relations == ""); err != nil {
		return nil, "", err
	}
	if err := g.checkTables(entities, relations); err != nil {
		return nil, "", err
	}
	g.newReader = func() *tripleReader {
		return &tripleReader{n: g.n, directed: directed, both: true, numbers: true, separator: im.options.Separator}
	}
	return g, file, nil
}

// fitFolder is the layout of FIT and LMPNN: kgindex.json, and train_kg.tsv with
// integers and both directions.
func (im *importer) fitFolder(ctx context.Context, folder, index string) (*graphData, string, error) {
	entities, relations, err := im.readIndex(index)
	if err != nil {
		return nil, "", err
	}
	g := &graphData{entities: entities, relationNames: relations}
	g.n, g.relations = len(entities.names), len(relations.names)
	// Tables that are given besides bring better names and labels.
	if err := im.readTables(ctx, g, im.options.Entities, im.options.Relations); err != nil {
		return nil, "", err
	}
	if err := errors.Join(g.entities.agree(entities), g.relationNames.agree(relations)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", index, err)
	}
	if err := g.checkTables(im.options.Entities, im.options.Relations); err != nil {
		return nil, "", err
	}
	g.newReader = func() *tripleReader {
		return &tripleReader{n: g.n, directed: 2 * g.relations, both: true, numbers: true, separator: im.options.Separator}
	}
	// valid_kg.tsv and test_kg.tsv hold the facts of train_kg.tsv too: they are
	// no part of the graph.
	file := firstFile(folder, []string{"train_kg.tsv"})
	if file == "" {
		return nil, "", fmt.Errorf("%s: a FIT folder without train_kg.tsv", folder)
	}
	return g, file, nil
}

// checkTables compares the lengths of tables that came from the given files
// with the counts of the graph.
func (g *graphData) checkTables(entities, relations string) error {
	if g.entities != nil && len(g.entities.names) != g.n {
		return fmt.Errorf("%s: %d entities, but the graph has %d", entities, len(g.entities.names), g.n)
	}
	if g.relationNames != nil && len(g.relationNames.names) != g.relations {
		return fmt.Errorf("%s: %d relations, but the graph has %d", relations, len(g.relationNames.names), g.relations)
	}
	return nil
}

// The roles of files that may have no triples: a split of nothing.
const (
	roleValid = "valid"
	roleTest  = "test"
)

// readTriples reads a file of triples.
func (im *importer) readTriples(ctx context.Context, path, role string, r *tripleReader) ([]model.Triple, error) {
	line := r.line
	if isNTriples(path) {
		line = r.statement
	}
	source, err := im.readLines(ctx, path, role, line)
	if err != nil {
		return nil, err
	}
	im.sources = append(im.sources, source)
	if r.literals > 0 {
		im.options.Note(fmt.Sprintf("%s: %d statements about literals were left out", path, r.literals))
	}
	triples, err := r.finish()
	if errors.Is(err, errNoTriples) && (role == roleValid || role == roleTest) {
		return []model.Triple{}, nil
	}
	if err != nil {
		return nil, r.place(ctx, path, err)
	}
	if r.header != nil {
		im.options.Note(fmt.Sprintf("%s: the first line, %s, was read as the names of the columns", path, strings.Join(r.header, " ")))
	}
	if r.repeated > 0 {
		im.options.Note(fmt.Sprintf("%s: %d repeated facts were left out", path, r.repeated))
	}
	return triples, nil
}
