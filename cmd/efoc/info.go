package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// infoCmd shows what a model holds.
type infoCmd struct {
	File string `arg:"" name:"file.efoc" optional:"" predictor:"model" help:"Model, as with --model."`
	modelFlag
	Relations bool   `short:"r" xor:"what" help:"List the relations and how many facts each has."`
	Find      string `xor:"what" placeholder:"NAME" help:"Look for entities and relations of this name or a similar one."`
	Limit     int    `short:"n" default:"10" help:"Number of names that --find shows of each kind."`
	Format    string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv."`
}

// Help shows examples.
func (c *infoCmd) Help() string {
	return `Examples:

    efoc info
    efoc info --relations
    efoc info my.efoc --find germny --format json`
}

// Run prints what is asked for.
func (c *infoCmd) Run(a *app) error {
	if c.Limit < 1 {
		return usagef("--limit is %d, want 1 or more", c.Limit)
	}
	if c.File != "" {
		c.Model = c.File
	}
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	switch {
	case c.Find != "":
		found := find(m.Model, c.Find, c.Limit)
		if len(found) == 0 {
			return fmt.Errorf("nothing in the model has a name like %q", c.Find)
		}
		return c.write(a, found, foundRows(found))
	case c.Relations:
		relations := listRelations(m.Model)
		return c.write(a, relations, relationRows(relations))
	}
	return c.overview(a, m)
}

// write prints rows, the first of which is the header, in the format asked for.
func (c *infoCmd) write(a *app, value any, rows [][]string) error {
	switch c.Format {
	case "json":
		return writeJSON(a.stdout, value)
	case "tsv":
		for i := range rows[0] {
			rows[0][i] = strings.TrimPrefix(rows[0][i], ">")
		}
		return writeTSV(a.stdout, rows)
	}
	p := &printer{w: a.stdout}
	var body []table.Row
	for _, row := range rows[1:] {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		body = append(body, cells)
	}
	p.table(rows[0], body)
	return p.err
}

// tableText says how the entity table is stored, and how far codes are off.
func tableText(m *openModel) string {
	t := &m.Predictor.EntityTable
	text := fmt.Sprintf("%s, %d bytes", m.Manifest.Table, t.Bytes())
	if t.Codes() == nil {
		return text
	}
	beside := "nothing exact beside it"
	if t.Type().IsFloat() {
		beside = fmt.Sprintf("%s beside it, %d bytes", t.Type(), t.RowBytes())
	}
	e := m.Predictor.CodeError()
	return fmt.Sprintf("%s; %s; rows are off by %.2f%% of their length on average, by %.2f%% at most", text, beside, 100*e.Mean, 100*e.Largest)
}

// overview prints the manifest.
func (c *infoCmd) overview(a *app, m *openModel) error {
	f := m.Manifest
	if c.Format == "json" {
		return writeJSON(a.stdout, f)
	}
	file := m.path
	if file == "" {
		file = "(built in)"
	}
	inverse := "conjugates of the relations"
	if f.Reciprocal {
		inverse = "trained by themselves"
	}
	rows := [][]string{
		{"name", f.Name}, {"file", file}, {"description", f.Description},
		{"entities", strconv.Itoa(f.Entities)}, {"relations", strconv.Itoa(f.Relations)},
		{"facts", fmt.Sprintf("%d (%s)", f.Triples, f.Visible)}, {"held back", strconv.Itoa(f.Heldout)},
		{"rank", strconv.Itoa(f.Rank)}, {"table", tableText(m)}, {"inverses", inverse},
		{"settings", settingsText(f.Settings)},
	}
	for _, shape := range slices.Sorted(maps.Keys(f.Tuned)) {
		name := shape
		if known := compiler.ShapeName(shape); known != "" {
			name = known
		}
		for _, s := range f.Tuned[shape] {
			rows = append(rows, []string{"tuned", name + ": " + settingsText(s)})
		}
	}
	if t := f.Temperatures; len(t) > 0 {
		rows = append(rows, []string{"temperatures", fmt.Sprintf("by relation, %.2f to %.2f", slices.Min(t), slices.Max(t))})
	}
	for _, s := range f.Sources {
		rows = append(rows, []string{"source", fmt.Sprintf("%s %s, %d bytes, sha256 %s", s.Role, s.File, s.Bytes, s.SHA256)})
	}
	if c.Format == "tsv" {
		return writeTSV(a.stdout, rows)
	}
	p := &printer{w: a.stdout}
	var body []table.Row
	for _, row := range rows {
		if row[1] != "" {
			body = append(body, table.Row{row[0], row[1]})
		}
	}
	p.table(nil, body)
	return p.err
}

// relationInfo is a relation and the number of its facts.
type relationInfo struct {
	Name    string `json:"name"`
	Label   string `json:"label"`
	Facts   int    `json:"facts"`
	Heldout int    `json:"heldout"`
	// Example is one of its facts, head -> tail, empty if there is none.
	Example string `json:"example"`
}

// listRelations returns the relations in the order of their ids.
func listRelations(m *query.Model) []relationInfo {
	var list []relationInfo
	for r := range model.RelationID(m.NumRelations() / 2) {
		list = append(list, describeRelation(m, 2*r))
	}
	return list
}

// describeRelation counts the facts of a relation.
func describeRelation(m *query.Model, r model.RelationID) relationInfo {
	heads, tails := m.Graph.Edges(r)
	info := relationInfo{Name: m.RelationName(r), Label: m.Relations.Label(int32(r / 2)), Facts: len(heads)}
	if m.Heldout != nil {
		held, _ := m.Heldout.Edges(r)
		info.Heldout = len(held)
	}
	if len(heads) > 0 {
		middle := len(heads) / 2
		info.Example = m.EntityLabel(model.EntityID(heads[middle])) + " -> " + m.EntityLabel(model.EntityID(tails[middle]))
	}
	return info
}

func relationRows(list []relationInfo) [][]string {
	rows := [][]string{{"relation", ">facts", ">held back", "example"}}
	for _, r := range list {
		rows = append(rows, []string{r.Name, strconv.Itoa(r.Facts), strconv.Itoa(r.Heldout), r.Example})
	}
	return rows
}

// foundName is a name that was looked for.
type foundName struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Label string `json:"label"`
	// Facts counts the facts of the graph that the entity or relation is part of.
	Facts int `json:"facts"`
}

// find looks for a name among the entities and relations: the one that has it
// first, then at most limit similar ones of each kind.
func find(m *query.Model, name string, limit int) []foundName {
	var found []foundName
	for _, kind := range []struct {
		names *model.Names
		kind  string
		facts func(id int32) int
	}{
		{m.Entities, "entity", func(id int32) int { return degree(m, model.EntityID(id)) }},
		{m.Relations, "relation", func(id int32) int { return describeRelation(m, model.RelationID(2*id)).Facts }},
	} {
		seen := map[int32]bool{}
		add := func(name string) {
			id, err := kind.names.Find(name)
			if err != nil || seen[id] || len(seen) == limit {
				return
			}
			seen[id] = true
			found = append(found, foundName{kind.kind, kind.names.Name(id), kind.names.Label(id), kind.facts(id)})
		}
		add(name)
		var shared *model.AmbiguousNameError
		if _, err := kind.names.Find(name); errors.As(err, &shared) {
			for _, candidate := range shared.Candidates {
				add(candidate)
			}
		}
		for _, near := range kind.names.Nearest(name, limit) {
			add(near)
		}
	}
	return found
}

// degree counts the facts that an entity is part of.
func degree(m *query.Model, e model.EntityID) int {
	facts := 0
	for r := range model.RelationID(m.NumRelations()) {
		facts += len(m.Graph.Tails(e, r))
	}
	return facts
}

func foundRows(found []foundName) [][]string {
	rows := [][]string{{"kind", "name", "label", ">facts"}}
	for _, f := range found {
		rows = append(rows, []string{f.Kind, f.Name, f.Label, strconv.Itoa(f.Facts)})
	}
	return rows
}

// settingsText says what settings are.
func settingsText(s model.Settings) string {
	layers := "D+1"
	if s.Layers > 0 {
		layers = strconv.Itoa(s.Layers)
	}
	text := fmt.Sprintf("lambda %v, alpha %v, weight %v, epsilon %v, layers %s", s.Lambda, s.Alpha, s.Weight, s.Epsilon, layers)
	if d := s.Degrees; d != (model.Degrees{}) {
		text += fmt.Sprintf("; candidates %d, negation %v, threshold %v, temperature %v, leaf %v, mixture %v",
			d.Candidates, d.Negation, d.Threshold, d.Temperature, d.Leaf, d.Mixture)
	}
	return text
}
