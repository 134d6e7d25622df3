package main

import (
	"fmt"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/world"
)

// modelFlag says which model to use.
type modelFlag struct {
	Model string `short:"m" env:"EFOC_MODEL" placeholder:"FILE.efoc" predictor:"model" help:"Model to use; the built-in one of the world if not given."`
}

// openModel is a model and where it came from.
type openModel struct {
	*query.Model
	// path is empty for the built-in model.
	path string
}

// open opens the model, the built-in one if none is given. Its file is mapped: commands
// run for a short time, and most read a part of it.
func (f modelFlag) open(a *app) (*openModel, error) { return f.openAs(a, model.Mapped()) }

// openAs opens the model in a certain way.
func (f modelFlag) openAs(a *app, how ...model.OpenOption) (*openModel, error) {
	m, err := await(a.ctx, func() (*query.Model, error) {
		if f.Model == "" {
			return world.Open()
		}
		return query.Open(f.Model, how...)
	})
	if err != nil {
		return nil, err
	}
	return &openModel{m, f.Model}, nil
}

// modelSummary says in a few words which model was used.
type modelSummary struct {
	Name string `json:"name"`
	// File is empty for the built-in model.
	File      string `json:"file,omitempty"`
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	Triples   int    `json:"triples"`
}

func (m *openModel) summary() modelSummary {
	f := m.Manifest
	return modelSummary{Name: f.Name, File: m.path, Entities: f.Entities, Relations: f.Relations, Triples: f.Triples}
}

// String names the model and its size.
func (s modelSummary) String() string {
	name := s.Name
	switch {
	case s.File == "":
		name = "built-in model " + name
	case name == "":
		name = "model " + s.File
	default:
		name = "model " + name
	}
	return fmt.Sprintf("%s (%d entities, %d relations, %d facts)", name, s.Entities, s.Relations, s.Triples)
}
