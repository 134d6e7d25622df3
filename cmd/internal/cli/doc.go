// Package cli reads efoc's command line: kinds of flags, their bounds, a file of flags, conflicts between files, and
// the manual page. It knows no command, no model and no query.
package cli
