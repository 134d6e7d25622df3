package shapes

//go:generate go run ../../cmd/efoc generate --cuda shapes.efo
