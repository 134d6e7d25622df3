// Package lsp serves .efo files to editors over the Language Server Protocol, version 3.17: mistakes while typing
// with their corrections, completion, hover, definitions and formatting. lang defines the meaning of a text and
// cmd/internal/explain the cost of a query; this package translates between them and the protocol.
package lsp
