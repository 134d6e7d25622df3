package shapes

//go:generate go run ../../cmd/efoc generate --cuda --plans-only shapes.efo
