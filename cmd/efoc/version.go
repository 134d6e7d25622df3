package main

import (
	"fmt"
	"runtime/debug"

	"github.com/efoc/efoc/runtime"
)

// versionCmd prints the version.
type versionCmd struct{}

// Help shows an example.
func (versionCmd) Help() string {
	return `Example:

    efoc version`
}

// Run prints the version.
func (versionCmd) Run(a *app) error {
	_, err := fmt.Fprintln(a.stdout, version())
	return err
}

// version says which efoc this is, and what it works with.
func version() string {
	name, goVersion := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			name = info.Main.Version
		}
		goVersion = ", " + info.GoVersion
	}
	return fmt.Sprintf("efoc %s (bundle format %d, runtime version %d%s)", name, runtime.BundleVersion, runtime.ABI, goVersion)
}
