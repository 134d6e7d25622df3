// Package compare measures the speed of NSMP against the fastest mode of an implementation in
// PyTorch, on the same queries, data and number of threads.
//
// It needs the folder of benchmark data, $EFOC_SHARED or shared/ beside the clone: the graphs in data/ and
// the PyTorch program in peer/, which needs Python 3 with PyTorch 2, scipy and numpy. The
// package knows the command line and the output of that program.
//
// Each contender is timed from a query's ids to the scores of all entities, or the best of them, one query at a
// time. Nothing of a query is cached. Importing, compiling and PyTorch's sparse matrices are not timed. Contenders take
// turns, in an order that reverses from round to round, so that a machine that becomes slower
// or faster favours none. The time of a shape in a round is the mean over its queries.
package compare
