package shapes

//go:generate go run ../../cmd/efoc generate --cuda --plans-only shapes.efo
//go:generate go run ../../cmd/efoc generate --plans-only --semantics mixed --package mixed -o mixed/shapes_efo.go shapes.efo
