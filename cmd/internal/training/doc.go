// Package training plans how a link predictor is trained in a given time, and says how good it
// has become.
//
//	Defaults   settings for a graph of some size
//	Search     short trials choose negatives, rank and the weight of relations
//	Bench      takes such trials on a graph
//	Course     the number of epochs, and of validations, for a time
//	Pace       adapts the number of epochs to the time that is left
//	Grade      poor, fair or good
//
// It knows graphs, options and seconds, but no flags, no names of files and no calibration.
package training
