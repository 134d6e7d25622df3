package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestSetupSources checks which package sources toolkit/setup.sh passes to apt-get: the machine's own, with
// non-free added to main. A fake apt-get prints them.
func TestSetupSources(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("setup.sh needs bash on Linux")
	}
	script := filepath.Join("toolkit", "setup.sh")
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	if strings.Contains(string(text), "://") {
		t.Errorf("%s names a host", script)
	}
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	put("etc/sources.list", `# deb http://old.example/debian stable main
deb http://one.example/debian stable main contrib # a mirror
deb [arch=amd64 signed-by=/k.gpg] http://two.example/debian stable main non-free
deb-src http://one.example/debian stable main
deb http://flat.example/main ./
`, 0o644)
	put("etc/sources.list.d/extra.list", "deb http://extra.example/debian stable tools\n", 0o644)
	put("etc/sources.list.d/own.sources", "Types: deb\nURIs: http://three.example/debian\nSuites: stable stable-updates\nComponents: contrib main\nSigned-By: /k.gpg\n\n"+
		"Types: deb\nURIs: http://four.example/debian\nSuites: stable\nComponents: main non-free non-free-firmware\n", 0o644)
	put("etc/sources.list.d/off.sources.disabled", "Types: deb\nURIs: http://off.example\nSuites: x\nComponents: main\n", 0o644)
	// It prints every file in the source folder passed to it.
	put("bin/apt-get", `#!/bin/sh
for a in "$@"; do
	case $a in
	Dir::Etc::sourcelist=/dev/null) ;;
	Dir::Etc::sourcelist=*) cat "${a#*=}" ;;
	Dir::Etc::sourceparts=*) cat "${a#*=}"/* ;;
	esac
done
exit 1
`, 0o755)
	cmd := exec.Command(bash, script, filepath.Join(dir, "root"))
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "APT_ETC="+filepath.Join(dir, "etc"))
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("setup.sh goes on without packages:\n%s", out)
	}
	const end = "setup.sh: cannot fetch"
	got, _, found := strings.Cut(string(out), end)
	want := `deb http://extra.example/debian stable tools
Types: deb
URIs: http://three.example/debian
Suites: stable stable-updates
Components: contrib main non-free
Signed-By: /k.gpg

Types: deb
URIs: http://four.example/debian
Suites: stable
Components: main non-free non-free-firmware
# deb http://old.example/debian stable main
deb http://one.example/debian stable main contrib non-free
deb [arch=amd64 signed-by=/k.gpg] http://two.example/debian stable main non-free
deb-src http://one.example/debian stable main
deb http://flat.example/main ./
`
	if got != want || !found {
		t.Errorf("sources are\n%s\nwant\n%s%s", out, want, end)
	}
}
