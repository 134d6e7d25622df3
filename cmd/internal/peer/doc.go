// Package peer runs the implementations in PyTorch that efoc is compared with, and
// opens the real inputs that both read: the folder $EFOC_SHARED with graphs in data/ and
// programs in peer/. It knows their command lines and what they print.
package peer
