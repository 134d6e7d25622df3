package truth

//go:generate go tool efoc generate --semantics mixed truth.efo
