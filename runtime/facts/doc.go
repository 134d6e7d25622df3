// Package facts adds facts to a bundle and removes facts from it, for good: the changes go
// into a journal beside the bundle, and into the model that answers.
//
//	Lock     the right to write, for one program at a time
//	Open     a bundle's journal, for a model of that bundle       -> Store
//	Change   facts to add and to remove, all or none              -> Result
//	Compact  a bundle and its journal become one bundle
//
// A change is acknowledged once it is on the disk, and only then do queries see it. Changes
// that come together are written together.
//
// The package knows the names of facts. How a journal is written is the business of package
// journal, how queries see other facts that of package query.
package facts
