// Package cli reads efoc's command line: kinds of flags, their bounds, and conflicts between files. It knows no command,
// no model and no query.
package cli
