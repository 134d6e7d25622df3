package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/shards/mpi"
)

// helpTexts holds the help texts of efoc and its commands, without the flags.
//
//go:embed help/*.txt
var helpTexts embed.FS

// helpText returns the text of a command.
func helpText(command string) string {
	text, _ := helpTexts.ReadFile("help/" + command + ".txt") // a test reads them all
	return strings.TrimSuffix(string(text), "\n")
}

// hideFlags hides flags in the help.
func hideFlags(flags []*kong.Flag, hide func(*kong.Flag) bool) {
	for _, f := range flags {
		f.Hidden = f.Hidden || hide(f)
	}
}

// lacking reports whether a flag needs a missing build feature, by its tag "needs". The parser still accepts such a
// flag, which then says how to build with it.
func lacking(f *kong.Flag) bool {
	switch f.Tag.Get("needs") {
	case "cuda":
		return !nvidia.Built
	case "mpi":
		return !mpi.Built
	}
	return false
}

// versionFlag prints the version.
type versionFlag bool

// BeforeReset is called by kong for the flag.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	fmt.Fprint(k.Stdout, versionText())
	k.Exit(statusOK)
	return nil
}

// optionTables maps keys to options with their help.
var optionTables = map[string][]cli.Option{
	"settings": settingOptions(nil),
	"triples":  new(tripleFormat).options(),
	"limits":   new(serveLimits).options(),
	"trainer":  trainerOptions(new(training.Given)),
}
