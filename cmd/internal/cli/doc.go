// Package cli reads the command line of efoc: kinds of flags, their bounds, a file that gives flags, files
// that a command must not confuse, and the manual page. It knows no command, no model and no query.
package cli
