package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

type mcpCmd struct {
	Templates string `arg:"" optional:"" placeholder:"FILE.efo" in:"" help:"File of query templates, which the assistant asks by name."`
	modelFlag
	deviceFlag
	semanticsFlag
	Tokens int  `least:"100" most:"100000" default:"2000" placeholder:"N" help:"Maximum length of a tool's text, in tokens of about four bytes; longer text is cut at a line (default: ${default})."`
	Write  bool `help:"Give the assistant a tool that adds and removes facts, which go into FILE.efoc.journal. Without it, all tools are read-only."`
}

// bytesPerToken is a lower bound on the bytes per token of a language model for such text.
const bytesPerToken = 4

func (c *mcpCmd) Run(a *app) error {
	if c.Write && c.Model == "" {
		return usagef("facts are kept beside a model's file: give one with --model")
	}
	if c.Write && c.Device == "cuda" {
		return errChangesOnDevice("--write")
	}
	var templates *lang.File
	if c.Templates != "" {
		f, err := parseFile(c.Templates)
		if err != nil {
			return err
		}
		templates = f
	}
	d, err := c.openDevice()
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close()
	}
	config := server.Config{
		Options: host.Options{
			Device:  d,
			Kernels: gpu.ReadyKernels,
			Open: func(ctx context.Context) (*runtime.Model, error) {
				m, err := c.openAs(&app{ctx: ctx})
				if err != nil {
					return nil, err
				}
				return m.Model, nil
			},
			File:      c.Model,
			Plans:     plans,
			Semantics: c.Semantics,
			Limits:    limits.Limits{ToolBytes: bytesPerToken * c.Tokens},
		},
		Version:    versionLine(),
		Templates:  templates,
		ToolsWrite: c.Write,
	}
	s, err := server.New(a.ctx, config)
	if err != nil {
		return err
	}
	defer s.Close()

	transport := &mcp.IOTransport{Reader: io.NopCloser(a.stdin), Writer: leftOpen{a.stdout}, MaxLineLength: int(limits.Default().Body)}
	err = s.ServeMCP(a.ctx, transport)
	if err != nil {
		err = fmt.Errorf("the client broke the protocol, so the session ended: %w", err)
	}
	return cmp.Or(a.ctx.Err(), err)
}

// leftOpen is a writer that the end of a session does not close.
type leftOpen struct{ io.Writer }

func (leftOpen) Close() error { return nil }
