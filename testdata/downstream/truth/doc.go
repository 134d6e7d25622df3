package truth

//go:generate go tool efoc generate --cuda truth.efo
