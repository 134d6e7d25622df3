package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/shards/mpi"
)

type serveCmd struct {
	splitModelFlags
	deviceFlag
	File string `short:"f" placeholder:"FILE.efo" in:"" help:"File of query templates, which the page offers as forms and assistants ask by name."`
	listenFlags
	Watch time.Duration `placeholder:"TIME" help:"Check the model file at this interval (such as 2s) and reload it when it is replaced."`
	MMap  bool          `name:"mmap" help:"Map the model's file into memory instead of reading a copy. Models larger than half of the available memory are always mapped. Do not overwrite a mapped file in place."`
	Drain time.Duration `default:"5s" placeholder:"TIME" help:"Time after SIGTERM in which /readyz fails and requests are still answered, so that load balancers stop sending them (default: ${default})."`
	Grace time.Duration `default:"30s" placeholder:"TIME" help:"Time that requests in progress get to finish after that (default: ${default})."`

	UntilEOF bool `name:"until-eof" help:"Shut down at the end of standard input, so that the server does not outlive the program that started it."`

	semanticsFlag
	rowsFlag
	tokenFlags

	LogFormat string `group:"log" enum:"text,json" default:"text" help:"Format of the log, which goes to standard error: text or json."`
	LogLevel  string `group:"log" enum:"debug,info,warn,error" default:"info" help:"Minimum level of messages to log: debug, info, warn or error; info logs one line per request."`

	limitFlags

	opened bool // the split model has been opened
}

func (c *serveCmd) Run(a *app) error {
	config, err := c.config(a)
	if err != nil {
		return err
	}
	log := config.Log
	if c.UntilEOF {
		var end context.CancelFunc
		a.ctx, end = context.WithCancel(a.ctx)
		defer end()
		go func() {
			io.Copy(io.Discard, a.stdin)
			end()
		}()
	}

	l, err := c.listen(a.ctx, config.Token == "")
	if err != nil {
		return err
	}
	defer l.close()
	config.Hosts = l.hosts

	config.Device, err = c.openDevice()
	if err != nil {
		return err
	}
	if config.Device != nil {
		defer config.Device.Close() // after its models
		log.Info("questions are answered on the device", "device", config.Device.Name())
	}

	s, err := server.New(a.ctx, config)
	if err != nil {
		return err
	}
	defer mpi.Stop() // after closing the model, which ends the other ranks
	defer s.Close()
	semantics := "of the model"
	if c.Semantics != nil {
		semantics = c.Semantics.String()
	}
	log.Info("listening", "url", l.url(), "model", c.Model, "semantics", semantics, "version", versionLine())
	return c.serve(a, s, l, config)
}

// config checks the flags, and returns the configuration without hosts and device.
func (c *serveCmd) config(a *app) (server.Config, error) {
	token, factsToken, err := c.tokens(c.file() != "")
	if err != nil {
		return server.Config{}, err
	}
	if c.Device == "cuda" && c.isSplit() {
		return server.Config{}, errSplitOnDevice
	}
	if c.Device == "cuda" && factsToken != "" {
		return server.Config{}, errChangesOnDevice("--facts-token-file")
	}
	if c.Watch != 0 && c.file() == "" {
		return server.Config{}, usagef("--watch needs a file to look at: give one with --model")
	}
	limits, err := c.limits(c.RowsMB)
	if err != nil {
		return server.Config{}, err
	}
	var templates *lang.File
	if c.File != "" {
		templates, err = parseFile(c.File)
		if err != nil {
			return server.Config{}, err
		}
	}

	log := c.log(a)
	return server.Config{
		Options: host.Options{
			Open:      func(ctx context.Context) (*runtime.Model, error) { return c.openToServe(ctx, log) },
			File:      c.file(),
			Plans:     plans,
			Log:       log,
			Limits:    limits,
			Kernels:   gpu.ReadyKernels,
			Semantics: c.Semantics,
		},
		Templates:  templates,
		Version:    versionLine(),
		Token:      token,
		FactsToken: factsToken,
	}, nil
}

// serve answers requests until a signal ends the server.
func (c *serveCmd) serve(a *app, s *server.Server, l *listeners, config server.Config) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(a.ctx)) // until the server has drained
	defer stop()
	if l.profiles != nil {
		config.Log.Info("profiles", "address", l.profiles.Addr().String())
		go (&http.Server{Handler: transport.Profiles(), ReadHeaderTimeout: 5 * time.Second}).Serve(l.profiles)
	}
	c.drainAtEnd(a.ctx, s, config.Log, stop)
	defer reloadOnHangup(ctx, s)()
	if c.Watch > 0 {
		go s.Watch(ctx, c.Watch)
	}
	return s.Serve(ctx, l.main, c.Grace)
}

// drainAtEnd calls stop once ctx ends: after the server has drained, if a signal other than an interrupt ended it.
func (c *serveCmd) drainAtEnd(ctx context.Context, s *server.Server, log *slog.Logger, stop func()) {
	context.AfterFunc(ctx, func() {
		if by, ok := errors.AsType[stopSignal](context.Cause(ctx)); ok && by.Signal != os.Interrupt && c.Drain > 0 {
			s.Drain()
			log.Info("draining: no longer ready", "drain_seconds", c.Drain.Seconds())
			time.Sleep(c.Drain)
		}
		stop()
	})
}

// reloadOnHangup reopens the model at each hangup signal, until end is called.
func reloadOnHangup(ctx context.Context, s *server.Server) (end func()) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		for range hangup {
			s.Reload(ctx) // logs the outcome
		}
	}()
	return func() {
		signal.Stop(hangup)
		close(hangup)
	}
}

// file returns the model's file. It is empty for the built-in model and for a split model, which do not change while
// the server runs.
func (c *serveCmd) file() string {
	if c.isSplit() {
		return ""
	}
	return c.Model
}

// errChangesOnDevice refuses a flag that allows clients to change facts.
func errChangesOnDevice(flag string) error {
	return usagef("%s: with --device cuda facts cannot be changed by clients, for the device has a copy of them: leave out one of the two; "+
		"what efoc add puts into the journal is taken up by efoc serve --watch", flag)
}

// garbageBytes bounds the garbage next to a large model.
const garbageBytes = 64 << 20

// openToServe opens the model. It reads a copy, unless memory is short or the user chose otherwise, so that a
// long-running server does not depend on the file.
func (c *serveCmd) openToServe(ctx context.Context, log *slog.Logger) (*runtime.Model, error) {
	var how []model.OpenOption
	if c.MMap {
		how = append(how, model.Mapped())
	}
	if c.isSplit() && c.opened {
		return nil, errors.New("a split model is not opened again while the server runs: start it, with all its processes, anew")
	}
	m, err := c.openSplit(&app{ctx: ctx}, how...)
	if err != nil {
		return nil, err
	}
	c.opened = true
	if m.Bundle().Mapped() && !c.MMap && !c.isSplit() { // shards are always mapped
		log.Warn("the model is mapped into memory, for a copy would take more than half of what is available: "+
			"replace its file with mv, for overwriting it ends the server", "model", c.Model)
	}
	if info, err := os.Stat(c.Model); err == nil && !m.Bundle().Mapped() && os.Getenv("GOGC") == "" {
		// By default as much garbage may accumulate as the model's size. Tables of numbers cost the collector
		// nothing.
		debug.SetGCPercent(int(max(5, min(100, 100*garbageBytes/max(1, info.Size())))))
	}
	return m.Model, nil
}

func (c *serveCmd) log(a *app) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // one of the flag's values
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}
