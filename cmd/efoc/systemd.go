package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"
)

// serviceManager receives the server's state by the protocol of sd_notify: systemd, if it started the process,
// otherwise nobody.
type serviceManager struct{ log *slog.Logger }

func (m serviceManager) notify(state string) {
	if err := notify(os.Getenv("NOTIFY_SOCKET"), state); err != nil {
		m.log.Warn("the service manager cannot be told", "error", err)
	}
}

// notify sends state to a socket, if its name is not empty.
func notify(socket, state string) error {
	if socket == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return err
	}
	defer conn.Close()

	_, err = conn.Write([]byte(state))
	return err
}

func (m serviceManager) ready()    { m.notify("READY=1") }
func (m serviceManager) stopping() { m.notify("STOPPING=1") }

// reloading reports the start of a reload.
func (m serviceManager) reloading() {
	m.notify(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d\n", monotonic().Microseconds()))
}

// watch calls alive and reports success twice per watchdog interval. If alive blocks, the service manager restarts
// the server.
func (m serviceManager) watch(ctx context.Context, alive func()) {
	allowed, err := watchdog(os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID"))
	if err != nil {
		m.log.Warn("the service manager's watchdog cannot be served", "error", err)
		return
	}
	if allowed == 0 {
		return
	}

	tick := time.NewTicker(allowed / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		alive()
		m.notify("WATCHDOG=1")
	}
}

// watchdog returns the service manager's watchdog interval for this process, 0 for none.
func watchdog(usec, pid string) (time.Duration, error) {
	if usec == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0, nil
	}
	n, err := strconv.ParseUint(usec, 10, 52)
	if err != nil || n < 2 {
		return 0, fmt.Errorf("WATCHDOG_USEC is %q, want a number of microseconds", usec)
	}
	return time.Duration(n) * time.Microsecond, nil
}
