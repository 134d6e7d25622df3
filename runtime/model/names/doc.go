// Package names maps names of entities and relations to ids and back, and suggests names for unknown ones. It
// searches names in place in a bundle.
package names
