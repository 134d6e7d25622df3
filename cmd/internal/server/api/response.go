package api

import (
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// envelope is the part of each response besides the reply.
type envelope struct {
	Kind     string          `json:"kind"`
	Query    string          `json:"query"`
	Engine   compiler.Engine `json:"engine"`
	Model    string          `json:"model"`
	Settings model.Settings  `json:"settings"`
	Seconds  float64         `json:"seconds"`
	Warnings []string        `json:"warnings,omitempty"`
}

// work describes how answers of one variable were found.
type work struct {
	Shape     string `json:"shape"`
	ShapeName string `json:"shape_name,omitempty"`
	Layers    []int  `json:"layers,omitempty"`
	Batch     int    `json:"batch"`
}

// Response is the reply to a question and how it was found.
type Response struct {
	envelope envelope
	work     *work // nil except for answers of one variable
	*runtime.Reply
}

func newResponse(p *host.Prepared, engine compiler.Engine, took time.Duration, r *runtime.Reply) *Response {
	e := envelope{
		Kind: r.Kind.String(), Query: p.Line, Engine: engine, Model: p.Model().Bundle().Manifest.Name, Settings: p.Settings, Seconds: took.Seconds(),
	}
	for _, warning := range slices.Concat(p.Source.Warnings, p.Warnings) {
		e.Warnings = append(e.Warnings, warning.String())
	}
	return &Response{envelope: e, Reply: r}
}

// MarshalJSON writes one object.
func (r *Response) MarshalJSON() ([]byte, error) {
	if r.work == nil {
		return print.Object(&r.envelope, r.Reply)
	}
	return print.Object(&r.envelope, r.work, r.Reply)
}
