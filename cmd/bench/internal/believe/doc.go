// Package believe measures whether confidence can be believed on a graph: it puts facts aside,
// makes a model of the others, and asks about them. Ordinary questions r(h, y) come from random facts of
// the model's graph, as people ask; held-out questions come from facts put aside.
//
//	go run . believe facts.tsv --budget 1m
//	go run . believe ../../../shared/data/fb15k-237 -c ../../../shared/data/fb15k-237/complex256.pt
package believe
