// Package compare is what comparisons of efoc with the implementations in PyTorch share:
// their flags, the real inputs that both read (the folder $EFOC_SHARED with graphs in
// data/ and programs in peer/), queries bound to a plan of efoc, and the programs, of
// which it knows the command lines and what they print.
package compare
