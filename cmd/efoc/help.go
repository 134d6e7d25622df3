package main

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	goruntime "runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/shards/mpi"
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
	fmt.Fprint(k.Stdout, versionText())
	k.Exit(statusOK)
	return nil
}

// manFlag prints the manual page.
type manFlag bool

// BeforeReset is called by kong where the flag is given.
func (manFlag) BeforeReset(k *kong.Kong) error {
	module, _ := readBuild()
	cli.WriteManual(k.Stdout, k.Model, module)
	k.Exit(statusOK)
	return nil
}

// version is the version of a release, which the linker sets (.goreleaser.yaml).
var version string

// readBuild returns the version of the module, (devel) for a local build, and how it was built.
func readBuild() (module string, settings map[string]string) {
	module = "(devel)"
	settings = map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		module = cmp.Or(version, info.Main.Version, module)
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return module, settings
}

// releaseVersion matches the version of a release; others name the commit that they were built from.
var releaseVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?$`)

// release returns the version of a release, empty for another build.
func release() string {
	module, _ := readBuild()
	if !releaseVersion.MatchString(module) {
		return ""
	}
	return module
}

// versionLine says in a line which efoc this is, and what it works with.
func versionLine() string {
	module, _ := readBuild()
	return fmt.Sprintf("efoc %s (bundle format %d, runtime version %d, %s)", module, model.BundleVersion, plan.ABI, goruntime.Version())
}

// versionText adds how it was built, and what its loops use on this machine.
func versionText() string {
	text := versionLine() + "\n"
	if _, b := readBuild(); b["vcs.revision"] != "" {
		text += fmt.Sprintf("commit %s of %s", b["vcs.revision"], b["vcs.time"])
		if b["vcs.modified"] == "true" {
			text += ", with changes"
		}
		text += "\n"
	}
	return text + fmt.Sprintf("%s/%s, kernels %s\n", goruntime.GOOS, goruntime.GOARCH, simd.Engine())
}

// optionTables are the names and their help, by key.
var optionTables = map[string][]cli.Option{
	"settings": settingOptions(nil),
	"triples":  new(tripleFormat).options(),
	"limits":   new(serveLimits).options(),
	"trainer":  trainerOptions(new(training.Given)),
}
