// Package lsp serves .efo files to editors over the Language Server Protocol, version 3.17: mistakes
// while typing with their corrections, completion, hover, definitions and formatting. lang decides what a
// text means and cmd/internal/explain what a query costs; this package translates between them and the protocol.
// Besides the documents that the editor sends, it reads the other .efo files of a folder, whose templates
// a file may use.
package lsp
