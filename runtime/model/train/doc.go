// Package train fits the link predictor of a bundle: ComplEx with reciprocal
// relations and the N3 regulariser, by cross-entropy over all entities and Adagrad
// (Lacroix et al., Canonical Tensor Decomposition for Knowledge Base Completion,
// ICML 2018), optionally with relation prediction as a second objective (Chen et
// al., Relation Prediction as an Auxiliary Training Objective, AKBC 2021) and with
// a sampled softmax for graphs of very many entities.
//
//	New        a graph and options     -> Trainer
//	Run        epochs, validation, checkpoints, the best model kept
//	Evaluate   filtered ranks
//
// Each fact is an example in both directions, and examples with the same head
// and relation are trained as one query with several targets: the sum of their
// losses is the same and needs a third of the arithmetic on FB15k-237.
//
// On one machine every number depends on the options and the graph alone, not on the
// number of threads; on others, package product may multiply with another unit. Work is
// cut into tasks that write to different places, and sums are
// taken in the order of their terms. What is drawn at random depends on the
// seed and the place in the training, so that a checkpoint needs no more than
// the tables and that place.
//
// The package knows neither files of graphs nor names nor queries.
package train
