// Package train fits the link predictor of a bundle: ComplEx with reciprocal relations and
// the N3 regulariser, by cross-entropy over all entities and Adagrad (Lacroix et al.,
// Canonical Tensor Decomposition for Knowledge Base Completion, ICML 2018). Relation
// prediction is an optional second objective (Chen et al., Relation Prediction as an
// Auxiliary Training Objective, AKBC 2021). Graphs with very many entities use a sampled
// softmax.
//
//	New        a graph and options     -> Trainer
//	Run        epochs, validation, checkpoints; keeps the best model
//	Start      begins a run with the embeddings of another model
//	Evaluate   filtered ranks
//
// Each fact is an example in both directions. Examples with the same head and relation are
// trained as one query with several targets: the sum of their losses is the same and needs a
// third of the arithmetic on FB15k-237.
//
// On one machine, every number depends only on the options and the graph, not on the number of threads; on another,
// package product may multiply with another unit. Tasks write to separate memory, and sums are taken in a fixed
// order. Random draws depend on the seed and the position in the training, so a checkpoint needs only the tables and
// that position.
//
// The package knows neither graph files, names nor queries.
package train
