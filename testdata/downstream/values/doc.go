package values

//go:generate go tool efoc generate values.efo
