package main

import (
	"cmp"
	"embed"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// helpTexts has what the help of efoc and of each command says beside the flags.
//
//go:embed help/*.txt
var helpTexts embed.FS

// helpText returns the text of a command.
func helpText(command string) string {
	text, _ := helpTexts.ReadFile("help/" + command + ".txt") // a test reads them all
	return strings.TrimSuffix(string(text), "\n")
}

// helpLongFlag prints the help of all commands, one after the other.
type helpLongFlag bool

// BeforeReset is called by kong where the flag is given.
func (helpLongFlag) BeforeReset(k *kong.Kong) error {
	if err := printHelp(k); err != nil {
		return err
	}
	for _, command := range k.Model.Leaves(true) {
		fmt.Fprintf(k.Stdout, "\n%s\n\n", command.Name)
		if err := printHelp(k, command.Name); err != nil {
			return err
		}
	}
	k.Exit(statusOK)
	return nil
}

// printHelp prints the help of a command, or of the program.
func printHelp(k *kong.Kong, command ...string) error {
	c, err := kong.Trace(k, command)
	if err != nil {
		return err
	}
	return c.PrintUsage(false)
}

type versionCmd struct {
	Format string `enum:"text,json" default:"text" help:"Output: text or json."`
}

// build says which efoc this is, what it works with and how it was built.
type build struct {
	// Version is that of the module, (devel) for a local build.
	Version string `json:"version"`
	// Bundle is the version of the bundle format, Runtime that of the contract with
	// generated plans.
	Bundle  int `json:"bundle_format"`
	Runtime int `json:"runtime_version"`
	// Revision is the commit, and Time its time, where the build knows them;
	// Modified says that there were changes beside.
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Kernels are the instructions that the loops use on this machine.
	Kernels string `json:"kernels"`
}

func (c versionCmd) Run(a *app) error {
	b := newBuild()
	if c.Format == "json" {
		return writeJSON(a.stdout, b)
	}
	p := a.printer()
	p.printf("%s\n", b)
	if b.Revision != "" {
		changed := ""
		if b.Modified {
			changed = ", with changes"
		}
		p.printf("commit %s of %s%s\n", b.Revision, b.Time, changed)
	}
	p.printf("%s, kernels %s\n", b.Platform, b.Kernels)
	return p.err
}

// version is that of a release, which the linker sets (cmd/release).
var version string

func newBuild() build {
	b := build{
		Version: "(devel)", Bundle: model.BundleVersion, Runtime: query.ABI, Go: goruntime.Version(),
		Platform: goruntime.GOOS + "/" + goruntime.GOARCH, Kernels: simd.Engine(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		b.Version = cmp.Or(version, info.Main.Version, b.Version)
		b.Revision, b.Time, b.Modified = settings["vcs.revision"], settings["vcs.time"], settings["vcs.modified"] == "true"
	}
	return b
}

// String says in a line which efoc this is, and what it works with.
func (b build) String() string {
	return fmt.Sprintf("efoc %s (bundle format %d, runtime version %d, %s)", b.Version, b.Bundle, b.Runtime, b.Go)
}
