package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/runtime/query"
)

type mcpCmd struct {
	modelFlag
	deviceFlag
	Semantics string `enum:"nsmp,fit,mixed," default:"" placeholder:"SEMANTICS" help:"What answers mean, as with ask, where the assistant does not say: nsmp, fit or mixed; if not given, what was best on the model's validation queries."`
	Tokens    int    `least:"100" most:"100000" default:"2000" placeholder:"N" help:"Length of a tool's text, in tokens of about four bytes; what is longer is cut at a line (default: ${default})."`
	Write     bool   `help:"Give the assistant a tool that adds and removes facts, which go into FILE.efoc.journal. Without it nothing that it does changes anything."`
}

// bytesPerToken is what a token of a language model has of such text, or more.
const bytesPerToken = 4

func (c *mcpCmd) Run(a *app) error {
	if c.Write && c.Model == "" {
		return usagef("facts are kept beside a model's file: give one with --model")
	}
	if c.Write && c.Device == "cuda" {
		return errChangesOnDevice("--write")
	}
	d, err := c.openDevice()
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close()
	}
	config := server.Config{
		Device: d, Kernels: gpu.ReadyKernels,
		Open: func(ctx context.Context) (*query.Model, error) {
			m, err := c.openAs(&app{ctx: ctx})
			if err != nil {
				return nil, err
			}
			return m.Model, nil
		},
		File: c.Model, Plans: plans, Version: newBuild().String(), Semantics: standardSemantics(c.Semantics),
		ToolsWrite: c.Write, Limits: server.Limits{ToolBytes: bytesPerToken * c.Tokens},
	}
	s, err := server.New(a.ctx, config)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.ServeMCP(a.ctx, &mcp.IOTransport{Reader: io.NopCloser(a.stdin), Writer: nopCloser{a.stdout}, MaxLineLength: int(server.DefaultLimits().Body)})
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	if is[*json.SyntaxError](err) {
		return fmt.Errorf("standard input is not JSON-RPC, in which an assistant speaks to efoc mcp: %w", err)
	}
	return err
}

// nopCloser leaves standard output open at the end of a session.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
