package atlas

//go:generate go tool efoc generate atlas.efo
//go:generate go tool efoc generate --cuda gpu.efo
//go:generate go tool efoc generate films/films.efo
