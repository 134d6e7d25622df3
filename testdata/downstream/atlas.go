package atlas

//go:generate go tool efoc generate atlas.efo films/films.efo
