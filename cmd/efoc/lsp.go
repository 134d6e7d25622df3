package main

import "github.com/efoc/efoc/cmd/internal/lsp"

type lspCmd struct {
	modelFlag
}

func (c *lspCmd) Run(a *app) error {
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	return lsp.Serve(a.ctx, lsp.Config{Model: m.Model, Version: versionLine(), Log: a.stderr}, a.stdin, a.stdout)
}
