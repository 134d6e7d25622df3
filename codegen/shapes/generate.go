package shapes

//go:generate go run ../../cmd/efoc generate shapes.efo
