// Package training plans, runs and reports the training of a link predictor in a given time, and makes a
// model of it. efoc train is its user; its messages name the flags of that command.
//
//	Job        holds facts out, plans, trains (anew, from a model, or resumed), calibrates, and makes the model
//	Report     says what the training was and what the model is worth
//	Defaults   settings for a graph of some size
//	Stopwatch  measures how long a few steps take
//	Choices    the rank and the negatives of which enough epochs fit into a time
//	Course     the number of epochs, and of validations, for a time
//	Pace       adapts the number of epochs to the time that is left
//	Grade      poor, fair or good
//
// It reads no flags and no graphs, and writes no file but the checkpoint.
package training
