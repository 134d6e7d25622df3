package atlas

//go:generate go tool efoc generate --cuda atlas.efo
//go:generate go tool efoc generate films/films.efo
