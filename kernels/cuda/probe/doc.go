// Package probe looks for a GPU before package gorgonia.org/cu, whose initialisation ends the process if there
// is none. Built with the tag cuda, this package first reports the reason. It is initialised before cu because
// packages whose imports are ready are initialised in the order of their import paths. So it must not import
// anything that cu does not.
package probe
