package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// serviceManager is told how the server fares, by the protocol of sd_notify: systemd, if it
// started the process, and nobody otherwise.
type serviceManager struct{ log *slog.Logger }

func (m serviceManager) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		m.log.Warn("the service manager cannot be told", "error", err)
	}
}

func (m serviceManager) ready()    { m.notify(daemon.SdNotifyReady) }
func (m serviceManager) stopping() { m.notify(daemon.SdNotifyStopping) }

// reloading says that another model is being opened.
func (m serviceManager) reloading() {
	m.notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
}

// watch says, twice in the time that the service manager allows, that the server is alive, as
// often as alive returns. If it does not return the service manager restarts the server.
func (m serviceManager) watch(ctx context.Context, alive func()) {
	allowed, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		m.log.Warn("the service manager's watchdog cannot be served", "error", err)
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
		m.notify(daemon.SdNotifyWatchdog)
	}
}
