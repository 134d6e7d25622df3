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
	"github.com/efoc/efoc/runtime/collective/mpi"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
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

// hideFlags leaves flags out of the help.
func hideFlags(flags []*kong.Flag, hide func(*kong.Flag) bool) {
	for _, f := range flags {
		f.Hidden = f.Hidden || hide(f)
	}
}

// lacking reports whether a flag needs what this program was built without, by its tag "needs".
// Such a flag is still taken: it says how to build with it.
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

// BeforeReset is called by kong where the flag is given.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	fmt.Fprint(k.Stdout, newBuild())
	k.Exit(statusOK)
	return nil
}

// build says which efoc this is, what it works with and how it was built.
type build struct {
	// version is that of the module, (devel) for a local build.
	version string
	// bundle is the version of the bundle format, runtime that of the contract with
	// generated plans.
	bundle, runtime int
	// revision is the commit, and time its time, where the build knows them;
	// modified says that there were changes beside.
	revision, time string
	modified       bool
	// kernels are the instructions that the loops use on this machine.
	goVersion, platform, kernels string
}

// version is that of a release, which the linker sets (.goreleaser.yaml).
var version string

func newBuild() build {
	b := build{
		version: "(devel)", bundle: model.BundleVersion, runtime: plan.ABI, goVersion: goruntime.Version(),
		platform: goruntime.GOOS + "/" + goruntime.GOARCH, kernels: simd.Engine(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		b.version = cmp.Or(version, info.Main.Version, b.version)
		b.revision, b.time, b.modified = settings["vcs.revision"], settings["vcs.time"], settings["vcs.modified"] == "true"
	}
	return b
}

// line says in a line which efoc this is, and what it works with.
func (b build) line() string {
	return fmt.Sprintf("efoc %s (bundle format %d, runtime version %d, %s)", b.version, b.bundle, b.runtime, b.goVersion)
}

// String adds how it was built, and what its loops use on this machine.
func (b build) String() string {
	text := b.line() + "\n"
	if b.revision != "" {
		text += fmt.Sprintf("commit %s of %s", b.revision, b.time)
		if b.modified {
			text += ", with changes"
		}
		text += "\n"
	}
	return text + fmt.Sprintf("%s, kernels %s\n", b.platform, b.kernels)
}
