// Package names maps names of entities and relations to ids and back, and suggests names for unknown ones. It searches
// the names where a bundle has them.
package names
