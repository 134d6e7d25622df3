package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

type infoCmd struct {
	File string `arg:"" name:"file.efoc" optional:"" in:"" help:"Model; the same as --model."`
	modelFlag
	ListRelations bool   `short:"r" xor:"view" help:"List the relations with their numbers of facts and regularities: the values of an entity (one, or their mean) and the entities of a value, loops, symmetry, and relations with the same facts."`
	Find          string `xor:"view" placeholder:"NAME" help:"Look for entities and relations of this name or a similar one."`
	K             int    `least:"1" short:"k" default:"10" help:"Number of names of each kind that --find shows."`
	Format        string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv."`
}

func (c *infoCmd) Run(a *app) error {
	c.Model = cmp.Or(c.File, c.Model)
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	switch {
	case c.Find != "":
		request := lookup.Request{Name: c.Find, K: c.K}
		found, err := request.Find(a.ctx, m.Model)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("nothing in the model has a name like %q", c.Find)
		}
		var rows [][]string
		for _, f := range found {
			rows = append(rows, []string{f.Kind, c.name(m, f.Name), f.Label, strconv.Itoa(f.Facts)})
		}
		return c.write(a, found, []string{"kind", "name", "label", ">facts"}, rows)
	case c.ListRelations:
		var relations []relationInfo
		var rows [][]string
		for id := range graph.RelationID(m.NumRelations() / 2) {
			r := describeRelation(m.Model, 2*id)
			relations = append(relations, r)
			rows = append(rows, r.row(c.name(m, r.Name)))
		}
		return c.write(a, relations, []string{"relation", ">facts", ">held back", "values", "entities", "regularities", "example"}, rows)
	}
	rows := overview(m)
	if c.Format == "table" {
		rows = slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" })
	}
	return c.write(a, m.Bundle().Manifest, nil, rows)
}

// name abbreviates a name for people.
func (c *infoCmd) name(m *openModel, whole string) string {
	if c.Format != "table" {
		return whole
	}
	return m.Bundle().Prefixed(whole)
}

// write prints a value, or rows with an optional header, in the requested format.
func (c *infoCmd) write(a *app, value any, header []string, rows [][]string) error {
	switch c.Format {
	case "json":
		return writeJSON(a.stdout, value)
	case "tsv":
		for i, h := range header {
			header[i] = strings.TrimPrefix(h, ">")
		}
		if header != nil {
			rows = slices.Insert(rows, 0, header)
		}
		return writeTSV(a.stdout, rows)
	}
	p := a.printer()
	p.Table(header, tableRows(rows))
	return p.Err
}

// tableText describes the entity table's format and the error of its codes.
func tableText(m *openModel) string {
	t := &m.Bundle().Predictor.EntityTable
	text := fmt.Sprintf("%s, %d bytes", m.Bundle().Manifest.Table, t.Bytes())
	if t.Codes() == nil {
		return text
	}
	beside := "nothing exact beside it"
	if t.Type().IsFloat() {
		beside = fmt.Sprintf("%s beside it, %d bytes", t.Type(), t.RowBytes())
	}
	e := m.Bundle().Predictor.CodeError()
	return fmt.Sprintf("%s; %s; rows are off by %.2f%% of their length on average, by %.2f%% at most", text, beside, 100*e.Mean, 100*e.Largest)
}

// overview lists the contents of the manifest.
func overview(m *openModel) [][]string {
	f := m.Bundle().Manifest
	inverse := "conjugates of the relations"
	if f.Reciprocal {
		inverse = "trained by themselves"
	}
	rows := [][]string{
		{"name", f.Name}, {"file", cmp.Or(m.path, "(built in)")}, {"description", f.Description},
		{"entities", strconv.Itoa(f.Entities)}, {"relations", strconv.Itoa(f.Relations)},
		{"facts", fmt.Sprintf("%d (%s)", f.Triples, f.Visible)}, {"held back", strconv.Itoa(f.Heldout)},
		{"not true", strconv.Itoa(f.Untrue)}, {"rank", strconv.Itoa(f.Rank)}, {"table", tableText(m)}, {"inverses", inverse},
		{"settings", settingsText(f.Settings)}, {"semantics", f.Semantics.String()},
	}
	if f.TypeRelation != "" {
		rows = append(rows, []string{"types", f.TypeRelation})
	}
	if f.Attributes != nil {
		rows = append(rows, []string{"values", attributesText(m, f.Attributes)})
	}
	if t := f.Temperatures; len(t) > 0 {
		rows = append(rows, []string{"temperatures", fmt.Sprintf("by relation, %.2f to %.2f", slices.Min(t), slices.Max(t))})
	}
	if f.ScoreTerms.Any() {
		rows = append(rows, []string{"score terms", calibrate.ScoreTermsText(f.ScoreTerms)})
	}
	if len(f.Confidence) > 0 {
		rows = append(rows, []string{"confidence", calibratedText(f.Confidence)}, []string{"missing", missingText(f.Missing)})
	}
	for _, s := range f.Sources {
		rows = append(rows, []string{"source", fmt.Sprintf("%s %s, %d bytes, sha256 %s", s.Role, s.File, s.Bytes, s.SHA256)})
	}
	return rows
}

// attributesText lists attributes of entities, as many as fit a line or two.
func attributesText(m *openModel, list []values.Attribute) string {
	const most = 10
	var texts []string
	for _, a := range list[:min(most, len(list))] {
		texts = append(texts, fmt.Sprintf("%d of %s (%s)", a.Values, m.Bundle().Prefixed(a.Name), a.Kind))
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and those of %d attributes more", more))
	}
	return strings.Join(texts, ", ")
}

// calibratedText describes the basis of a model's confidences.
func calibratedText(c model.Confidence) string {
	var texts []string
	for _, s := range model.AllSemantics {
		if x := c.Of(s); x != nil {
			texts = append(texts, fmt.Sprintf("%s by %d answers to %d queries", s, x.Ordinary.Answers+x.HeldOut.Answers, x.Ordinary.Queries+x.HeldOut.Queries))
		}
	}
	return strings.Join(texts, "; ")
}

// settingsText lists settings, including those of truth degrees if they are not the default.
func settingsText(s model.Settings) string {
	var messages, degrees []string
	for _, x := range model.AllSettings() {
		text := x.Name + " " + x.Text(s)
		switch {
		case !x.OfDegrees():
			messages = append(messages, text)
		case s.Degrees != (model.Degrees{}) && (!x.IsSwitch() || x.Get(s) != 0):
			degrees = append(degrees, text)
		}
	}
	text := strings.Join(messages, ", ")
	if len(degrees) > 0 {
		text += "; " + strings.Join(degrees, ", ")
	}
	return text
}
