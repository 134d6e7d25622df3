// Package release makes the files of a release: static programs for all targets in archives with
// licence and README, a bill of materials (CycloneDX) for each, and their checksums. The same
// commit and version give the same bytes, wherever and whenever they are made.
//
//	go run cmd/release/main.go --version v1.2.3 --output dist
//
// .ci/package calls it and makes the image of a container too. The program itself is main.go
// alone, which the go command leaves out of ./... for its build constraint, as in cmd/bench.
package release

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Targets are the systems and processors that there are programs for.
var Targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// Options say what to make.
type Options struct {
	Version string   // such as v1.2.3
	Root    string   // of the module
	Output  string   // folder
	Targets []string // such as linux/amd64
}

// Main runs the command.
func Main() {
	o := Options{Root: "."}
	flag.StringVar(&o.Version, "version", "", "version of the release, such as v1.2.3")
	flag.StringVar(&o.Output, "output", "dist", "folder to write to")
	targets := flag.String("targets", strings.Join(Targets, ","), "systems and processors, with commas between them")
	flag.Parse()
	o.Targets = strings.Split(*targets, ",")
	if err := Make(o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// Make makes the files of a release, the checksums last.
func Make(o Options) error {
	if o.Version == "" || strings.ContainsAny(o.Version, "/\\ '\"") {
		return fmt.Errorf("the version is %q, want one such as v1.2.3", o.Version)
	}
	if err := os.MkdirAll(o.Output, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range o.Targets {
		names, err := o.make(target)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(o.Output, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), name)
		}
	}
	return os.WriteFile(filepath.Join(o.Output, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// make makes the files of a target and returns their names: the archive and what is in it.
func (o *Options) make(target string) (names []string, err error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return nil, fmt.Errorf("want a system and a processor, such as linux/amd64")
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	program := "efoc"
	if system == "windows" {
		program += ".exe"
	}
	path := filepath.Join(work, program)
	if err := o.build(system, processor, path); err != nil {
		return nil, err
	}
	base := strings.Join([]string{"efoc", o.Version, system, processor}, "_")
	bill := base + ".cdx.json"
	if err := writeBill(path, filepath.Join(o.Output, bill), o.Version); err != nil {
		return nil, err
	}
	entries := []entry{{path, program, 0o755}, {filepath.Join(o.Root, "LICENSE"), "LICENSE", 0o644}, {filepath.Join(o.Root, "README.md"), "README.md", 0o644}}
	archive, write := base+".tar.gz", writeTar
	if system == "windows" {
		archive, write = base+".zip", writeZip
	}
	return []string{archive, bill}, write(filepath.Join(o.Output, archive), base, entries)
}

// build builds the program, statically and without paths of this machine.
func (o *Options) build(system, processor, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+o.Version, "-o", to, "./cmd/efoc")
	c.Dir = o.Root
	c.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=")
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	return nil
}
