package atlas

//go:generate go tool efoc generate --cuda --bench atlas.efo
//go:generate go tool efoc generate films/films.efo
