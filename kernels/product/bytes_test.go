package product

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestBytes compares the instructions encoded as bytes with the output of the GNU assembler for the texts in
// their comments.
func TestBytes(t *testing.T) {
	for _, tool := range []string{"as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOARCH != "amd64" {
			t.Skip("needs as and objcopy for amd64")
		}
	}
	file, err := os.ReadFile("../internal/amx/product_amd64.s")
	require.NoError(t, err)
	texts, want := ".intel_syntax noprefix\n", []byte(nil)
	seen := map[string]bool{}
	for _, line := range strings.Split(string(file), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "BYTE") {
			continue
		}
		code, text, _ := strings.Cut(line, " // ")
		for _, x := range regexp.MustCompile(`0x[0-9a-f]{2}`).FindAllString(code, -1) {
			b, err := strconv.ParseUint(x, 0, 8)
			require.NoError(t, err)
			want = append(want, byte(b))
		}
		texts += "{disp32} " + text + "\n"
		name, _, _ := strings.Cut(text, " ")
		seen[name] = true
	}
	for _, name := range []string{"ldtilecfg", "tilerelease", "tilezero", "tileloadd", "tilestored", "tdpbf16ps", "tdpbssd", "vcvtne2ps2bf16", "vdpbf16ps"} {
		if !seen[name] {
			t.Errorf("%s does not occur", name)
		}
	}
	dir := t.TempDir()
	source, object, raw := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o"), filepath.Join(dir, "a.bin")
	require.NoError(t, os.WriteFile(source, []byte(texts), 0o644))
	for _, args := range [][]string{{"as", "-o", object, source}, {"objcopy", "-O", "binary", "-j", ".text", object, raw}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v: too old an assembler?\n%s", args, err, out)
		}
	}
	got, err := os.ReadFile(raw)
	require.NoError(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("bytes are\n% x\nwant\n% x", want, got)
	}
}
