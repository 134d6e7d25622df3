// Package facts adds and removes the facts of a bundle, and the values of its entities, durably: it writes changes to a
// journal beside the bundle and applies them to the model in use.
//
//	Lock     the right to write, for one program at a time
//	Open     opens a bundle's journal, for a model of that bundle  -> Store
//	Apply    adds and removes facts, all or none                   -> Result
//	Assume   returns a snapshot with facts added and removed       -> runtime.Model
//	Compact  merges the journal into the bundle
//
// A change is acknowledged, and visible to queries, once it is on disk. Each change waits for the disk, so one change
// with many facts is faster than many with one.
//
// The package handles facts by name. Package journal defines the file, package runtime the snapshots that queries
// read.
package facts
