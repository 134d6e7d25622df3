package startup

//go:generate go tool efoc generate --types-only startup.efo
