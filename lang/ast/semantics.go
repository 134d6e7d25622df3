package ast

// Semantics are the names of the semantics that a file may choose.
var Semantics = []string{"nsmp", "fit", "mixed"}
