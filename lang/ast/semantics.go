package ast

// Semantics lists the semantics that a file can choose.
var Semantics = []string{"nsmp", "fit", "mixed"}
