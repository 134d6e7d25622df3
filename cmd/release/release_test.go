package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/long"
)

// TestMake makes a release for this machine twice, in other folders: the files are the same,
// the program is static and says its version, and the bill has what go version -m says.
func TestMake(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	long.Need(t, "it compiles all of efoc without paths of this machine")
	const version = "v9.8.7"
	target := runtime.GOOS + "/" + runtime.GOARCH
	var out [2]string
	for i := range out {
		out[i] = t.TempDir()
		t.Setenv("TMPDIR", t.TempDir())
		if err := Make(Options{Version: version, Root: filepath.Join("..", ".."), Output: out[i], Targets: []string{target}}); err != nil {
			t.Fatal(err)
		}
	}
	sums := read(t, filepath.Join(out[0], "SHA256SUMS"))
	if !bytes.Equal(sums, read(t, filepath.Join(out[1], "SHA256SUMS"))) || bytes.Count(sums, []byte("\n")) != 2 {
		t.Errorf("two builds differ:\n%s", sums)
	}
	if sha256sum, err := exec.LookPath("sha256sum"); err == nil {
		c := exec.Command(sha256sum, "-c", "SHA256SUMS")
		c.Dir = out[0]
		if text, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
	base := "efoc_" + version + "_" + runtime.GOOS + "_" + runtime.GOARCH
	files := untar(t, read(t, filepath.Join(out[0], base+".tar.gz")))
	if !bytes.Equal(files[base+"/LICENSE"], read(t, filepath.Join("..", "..", "LICENSE"))) || len(files) != 3 || len(files[base+"/README.md"]) == 0 {
		t.Errorf("the archive has %d files, or another licence", len(files))
	}
	program := filepath.Join(t.TempDir(), "efoc")
	if err := os.WriteFile(program, files[base+"/efoc"], 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(program, "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(text), "efoc "+version+" ") {
		t.Errorf("%v: efoc --version says %s", err, text)
	}
	if runtime.GOOS == "linux" {
		f, err := elf.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
			t.Error("the program is not static")
		}
	}
	if root, err := filepath.Abs(filepath.Join("..", "..")); err != nil || bytes.Contains(files[base+"/efoc"], []byte(root)) {
		t.Errorf("the program has the path %s of this machine, %v", root, err)
	}
	bill := read(t, filepath.Join(out[0], base+".cdx.json"))
	checkBill(t, bill, program, version)
	if !bytes.Contains(bill, []byte(`"pkg:golang/github.com/prometheus/client_golang@`)) {
		t.Error("the bill lacks a module that efoc has")
	}
}

// TestBill writes the bill of materials of the program that runs this test.
func TestBill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "bill.cdx.json")
	if err := writeBill(program, to, "v1"); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	checkBill(t, read(t, to), program, "v1")
	if err := writeBill(filepath.Join("..", "..", "LICENSE"), to, "v1"); err == nil {
		t.Error("a text has a bill of materials")
	}
}

// TestModule checks what a bill has of a module: the one in its place, if there is one.
func TestModule(t *testing.T) {
	m := &debug.Module{Path: "example.com/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/new", Version: "v2.0.0", Sum: "h1:x"}}
	c := module(m)
	if c.PackageURL != "pkg:golang/example.com/new@v2.0.0" || c.Name != "example.com/new" || c.Type != "library" || (*c.Properties)[0].Value != "h1:x" {
		t.Errorf("%+v", c)
	}
}

// checkBill compares a bill of materials with what the go command says of the program.
func checkBill(t *testing.T, bill []byte, program, version string) {
	t.Helper()
	var got struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(bill, &got); err != nil {
		t.Fatal(err)
	}
	if got.BOMFormat != "CycloneDX" || got.SpecVersion != "1.6" || got.Metadata.Component.Name != "github.com/efoc/efoc" || got.Metadata.Component.Version != version {
		t.Errorf("the bill begins with %+v", got.Metadata)
	}
	listed := map[string]bool{}
	for _, c := range got.Components {
		listed[c.Name+" "+c.Version] = true
		if c.PURL != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%s is found at %s", c.Name, c.PURL)
		}
	}
	text, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "dep" {
			if modules++; !listed[fields[1]+" "+fields[2]] {
				t.Errorf("the bill lacks %s %s", fields[1], fields[2])
			}
		}
	}
	if len(got.Components) != modules+1 {
		t.Errorf("the bill has %d components of %d modules and the standard library", len(got.Components), modules)
	}
}

// TestZip reads an archive for Windows, which is the same however old its files are.
func TestZip(t *testing.T) {
	from := filepath.Join(t.TempDir(), "efoc.exe")
	if err := os.WriteFile(from, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for i := range texts {
		when := time.Now().Add(time.Duration(-i) * 1000 * time.Hour)
		if err := os.Chtimes(from, when, when); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "efoc.zip")
		if err := writeZip(to, "folder", []entry{{from, "efoc.exe", 0o755}}); err != nil {
			t.Fatal(err)
		}
		texts[i] = read(t, to)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two archives of one file differ")
	}
	z, err := zip.NewReader(bytes.NewReader(texts[0]), int64(len(texts[0])))
	if err != nil || len(z.File) != 1 || z.File[0].Name != "folder/efoc.exe" || z.File[0].Mode() != 0o755 {
		t.Errorf("%v: %+v", err, z)
	}
}

func TestMakeErrors(t *testing.T) {
	for _, c := range []struct{ version, target, want string }{
		{"", "linux/amd64", "the version is"}, {"v1 -X a=b", "linux/amd64", "the version is"}, {"v1", "linux", "want a system"}, {"v1", "plan10/amd64", "go build"},
	} {
		err := Make(Options{Version: c.version, Root: filepath.Join("..", ".."), Output: t.TempDir(), Targets: []string{c.target}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func untar(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
