package link

//go:generate go run ../../../cmd/efoc generate --plans-only link.efo
//go:generate go run ../../../cmd/efoc generate --plans-only --semantics mixed --package mixed -o mixed/link_efo.go link.efo
