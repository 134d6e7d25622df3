// Package probe looks for a GPU before anything else does. Package gorgonia.org/cu
// ends the process when it is initialised where there is none; this package, built
// with the tag cuda, says first what is missing. It comes before cu in the order of
// initialisation, which is that of import paths among packages whose imports are
// ready: so it must import nothing that cu does not.
package probe
