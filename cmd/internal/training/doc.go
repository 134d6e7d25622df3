// Package training plans, runs and reports the training of a link predictor in a given time, and makes a model of it.
// efoc train uses it; its messages name the flags of that command.
//
//	Job        holds facts out, plans, trains (anew, from a model, or resumed), calibrates, and makes the model
//	Report     describes the training and the quality of the model
//	Defaults   settings by the size of the graph
//	Stopwatch  times a few steps
//	Choices    the rank and the negatives that allow enough epochs in a given time
//	Grade      poor, fair or good
//
// It reads no flags and no graphs, and writes only the checkpoint.
package training
