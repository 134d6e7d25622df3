// Package fuzzy computes with fuzzy sets of entities: a Set gives each entity a degree. An Arena is the memory of the
// sets of one run, with the operations that make new ones: conjunction, disjunction, negation and maximum by a
// t-norm. The package knows neither atoms nor plans.
package fuzzy
