package main

import (
	"cmp"
	"fmt"
	"regexp"
	goruntime "runtime"
	"runtime/debug"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// version is the release version, which the linker sets (.goreleaser.yaml).
var version string

// readBuild returns the version of the module, (devel) for a local build, and the build settings.
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

// releaseVersion matches release versions; other versions name a commit.
var releaseVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?$`)

// release returns the release version, empty for other builds.
func release() string {
	module, _ := readBuild()
	if !releaseVersion.MatchString(module) {
		return ""
	}
	return module
}

// versionLine describes this efoc and its formats in one line.
func versionLine() string {
	module, _ := readBuild()
	return fmt.Sprintf("efoc %s (bundle format %d, runtime version %d, %s)", module, model.BundleVersion, plan.ABI, goruntime.Version())
}

// versionText adds the build settings, and the SIMD level on this machine.
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
