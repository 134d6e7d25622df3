package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/efoc/efoc/cmd/internal/server"
)

// A job of mpirun ends with any of its processes. efoc serve --job starts the job, listens for
// it, and outlives it: requests are refused while there is none, and the job is started again.

// serveJob serves a split model by a job.
func (c *serveCmd) serveJob(a *app, l net.Listener, hosts []string) error {
	dir, err := os.MkdirTemp("", "efoc-") // the path of a socket has to be short
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log := c.log(a)
	s := &supervisor{front: &server.Front{Socket: filepath.Join(dir, "socket"), Log: log, Deadline: c.Deadline}, output: a.stderr, patience: c.ExchangeMax}
	s.command = slices.Concat(strings.Fields(c.Job), a.program(), a.args,
		[]string{"--job=", "--tls-cert=", "--tls-key=", "--listen=" + unixPrefix + s.front.Socket})
	for _, name := range hosts {
		s.command = append(s.command, "--host="+name)
	}
	running, stop := context.WithCancel(context.WithoutCancel(a.ctx))
	ended := make(chan error, 1)
	serving, fail := context.WithCancel(a.ctx)
	defer fail()
	go func() {
		ended <- s.keep(running)
		fail()
	}()
	context.AfterFunc(a.ctx, serviceManager{log}.stopping)
	err = s.front.Serve(serving, l, c.Grace)
	stop()
	return cmp.Or(<-ended, err)
}

// supervisor keeps a command running that listens on the socket of a front.
type supervisor struct {
	front   *server.Front
	command []string
	output  io.Writer // takes what the command writes
	// patience is how long the job may be silent, unless it is 0.
	patience time.Duration
}

// Between two starts of a job that does not become ready there is a pause.
const (
	firstPause = time.Second
	mostPause  = 30 * time.Second
)

// keep starts the job, and again whenever it ends or the process is hung up, until ctx is done.
// A job that was never ready is not started again: its error is returned.
func (s *supervisor) keep(ctx context.Context) error {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	log, manager := s.front.Log, serviceManager{s.front.Log}
	go manager.watch(ctx, func() {})
	pause := firstPause
	for first := true; ; first = false {
		one, end := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- s.run(one) }()
		ready, err := s.wait(ctx, ended, hangup, func() {
			log.Info("the shards are ready", "job", s.command[0])
			manager.ready()
		})
		end()
		if err == nil {
			err = <-ended
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case first && !ready:
			return fmt.Errorf("the job %q ended before the shards were ready: %w", strings.Join(s.command, " "), err)
		case ready:
			pause = firstPause
		default:
			pause = min(2*pause, mostPause)
		}
		log.Error("the shards are started again", "after", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// errEnded is that of a job that ends without one.
var errEnded = errors.New("the job exited")

// wait waits until the job has ended, with an error then, or is to be, because it has not
// answered for as long as its processes wait for one another. It reports whether the job was ready.
func (s *supervisor) wait(ctx context.Context, ended <-chan error, hangup <-chan os.Signal, then func()) (ready bool, err error) {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	var answered time.Time
	for {
		select {
		case err := <-ended:
			return ready, cmp.Or(err, errEnded)
		case <-hangup:
			return ready, nil
		case <-ctx.Done():
			return ready, nil
		case <-look.C:
			switch {
			case !ready && s.front.Ready(ctx):
				ready, answered = true, time.Now()
				look.Reset(time.Second)
				then()
			case ready && !s.front.Silent(ctx):
				answered = time.Now()
			case ready && s.patience > 0 && time.Since(answered) > s.patience:
				s.front.Log.Error("the first process does not answer", "for", s.patience)
				return ready, nil
			}
		}
	}
}

// run runs the job until it ends, or ctx is done.
func (s *supervisor) run(ctx context.Context) error {
	// The system ends the command with the thread that has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := os.Remove(s.front.Socket); err != nil && !os.IsNotExist(err) {
		return err
	}
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Stdout, cmd.Stderr = s.output, s.output
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "NOTIFY_SOCKET=") || strings.HasPrefix(v, "WATCHDOG_") // the service manager knows this process
	})
	cmd.SysProcAttr = apart()
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}

// program returns the command line that runs this program, without its arguments.
func (a *app) program() []string {
	name, err := os.Executable()
	if err != nil {
		name = os.Args[0]
	}
	return append([]string{name}, os.Args[1:max(1, len(os.Args)-len(a.args))]...)
}

// unixPrefix begins the path of a socket in place of an address.
const unixPrefix = "unix:"

// listen listens on an address, or a socket.
func listen(ctx context.Context, address string) (net.Listener, error) {
	network := "tcp"
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		network, address = "unix", path
	}
	return (&net.ListenConfig{}).Listen(ctx, network, address)
}
