// Package lsp serves .efo files to editors over the Language Server Protocol, version 3.17: mistakes
// while typing, completion, hover, definitions, formatting and renaming. What a text means is lang's
// matter and what a query costs that of cmd/internal/explain; this package translates between them and
// the protocol. Beside what the editor sends, it reads the other .efo files of a folder, whose templates a file may use.
package lsp
