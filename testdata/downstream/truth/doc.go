package truth

//go:generate go tool efoc generate truth.efo
