// Package compare measures efoc against other implementations on the same queries, data
// and number of threads.
//
//	Peer      the speed of NSMP, against the fastest mode of an implementation in PyTorch
//	Tradeoff  quality against time of every way to answer queries
//
// Both need the folder of real inputs, $EFOC_SHARED or ../shared: the graphs in data/ and
// the PyTorch programs in peer/, which need Python 3 with PyTorch 2, scipy and numpy. Of those
// programs the package knows the command lines and what they print.
//
// All contenders are timed from a query's ids to the scores of all entities, one query at
// a time; importing, compiling and the sparse matrices of PyTorch come before. They take
// turns, in an order that is reversed from round to round, so that a machine that gets
// slower or faster in between favours none. The time of a shape in a round is the mean
// over its queries.
package compare
