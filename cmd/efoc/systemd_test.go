package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// TestServiceManager plays the service manager, which is told when the server is ready, reloads,
// lives and stops.
func TestServiceManager(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	dir, err := os.MkdirTemp("", "") // the path of a socket has to be short
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skipf("needs sockets of a system with systemd: %v", err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", strconv.Itoa(int(time.Second.Microseconds()/10)))
	// next returns the next message that is not the watchdog's, and how many of those came before.
	next := func() (state string, alive int) {
		t.Helper()
		socket.SetReadDeadline(time.Now().Add(patience))
		for buf := make([]byte, 200); ; {
			n, err := socket.Read(buf)
			require.NoError(t, err)
			if state = string(buf[:n]); state != "WATCHDOG=1" {
				return state, alive
			}
			alive++
		}
	}
	s := serve(t, "--model", towns(t))
	if state, _ := next(); state != "READY=1" {
		t.Errorf("at the start: %q", state)
	}
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	if err := self.Signal(syscall.SIGHUP); err != nil {
		t.Skipf("needs a system with hangup signals: %v", err)
	}
	if state, _ := next(); !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=\d+\n$`).MatchString(state) {
		t.Errorf("on a reload: %q", state)
	}
	if state, _ := next(); state != "READY=1" {
		t.Errorf("after the reload: %q", state)
	}
	stopped := make(chan int, 1)
	socket.SetReadDeadline(time.Now().Add(patience))
	buf := make([]byte, 200)
	for range 3 {
		if n, err := socket.Read(buf); err != nil || string(buf[:n]) != "WATCHDOG=1" {
			t.Errorf("of the watchdog: %q, %v", buf[:n], err)
		}
	}
	go func() { stopped <- s.stop() }()
	if state, _ := next(); state != "STOPPING=1" {
		t.Errorf("at the end: %q", state)
	}
	if status := <-stopped; status != statusOK {
		t.Errorf("the server ended with status %d", status)
	}
}

// TestWatchdog reads the environment by which a service manager asks for signs of life.
func TestWatchdog(t *testing.T) {
	own, other := strconv.Itoa(os.Getpid()), strconv.Itoa(os.Getppid())
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
		wrong     bool
	}{
		{usec: "", pid: own},
		{usec: "3000000", pid: "", want: 3 * time.Second},
		{usec: "3000000", pid: own, want: 3 * time.Second},
		{usec: "3000000", pid: other},
		{usec: "0", wrong: true},
		{usec: "-1", wrong: true},
		{usec: "soon", wrong: true},
		{usec: "9999999999999999999", wrong: true},
	} {
		got, err := watchdog(c.usec, c.pid)
		if got != c.want || (err != nil) != c.wrong {
			t.Errorf("watchdog(%q, %q) = %v, %v; want %v, an error: %t", c.usec, c.pid, got, err, c.want, c.wrong)
		}
	}
}

// maxExposure is what systemd makes of the unit: 0 is the least that a service is exposed, 10
// the most; services without any hardening have 9.6.
const maxExposure = 1.5

// TestUnitVerified has systemd read the unit, without and with the drop-in for shards, and judge
// how well it confines the service.
func TestUnitVerified(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, dropIns := range []string{"", "shards.conf"} {
		dir := t.TempDir()
		put := func(name string) string { // with a program that is installed
			return write(t, filepath.Join(dir, name), strings.ReplaceAll(readText(t, filepath.Join("package", name)), "/usr/local/bin/efoc", self))
		}
		path := put("efoc.service")
		if dropIns != "" {
			if _, err := exec.LookPath("mpirun"); err != nil {
				t.Skip("needs mpirun, of the package openmpi-bin")
			}
			require.NoError(t, os.Mkdir(path+".d", 0o755))
			put(filepath.Join("efoc.service.d", dropIns))
		}
		verifyUnit(t, analyze, path)
	}
}

func verifyUnit(t *testing.T, analyze, path string) {
	t.Helper()
	// Mistakes are warnings, which do not change the status.
	if out, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", path).CombinedOutput()
	if err != nil {
		t.Skipf("needs systemd 250 or later, which judges files: %v: %s", err, out)
	}
	found := regexp.MustCompile(`Overall exposure level for efoc.service: ([0-9.]+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%s", out)
	}
	if exposure, err := strconv.ParseFloat(string(found[1]), 64); err != nil || exposure > maxExposure {
		t.Errorf("the exposure is %s, want %g at most:\n%s", found[1], maxExposure, out)
	}
}
