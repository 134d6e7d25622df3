package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/tracing"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/collective/mpi"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/regularfile"
)

type serveCmd struct {
	splitModelFlags
	deviceFlag
	File   string        `short:"f" placeholder:"FILE.efo" in:"" predictor:"efo" help:"File of query templates, which the page offers as forms."`
	Listen string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on (${default}), or unix:PATH for a socket; port 0 selects a free one."`
	Watch  time.Duration `placeholder:"TIME" help:"Check the model file at this interval (such as 2s) and reload it when it is replaced."`
	MMap   bool          `name:"mmap" help:"Map the model's file into memory instead of reading a copy. Models larger than half of the available memory are always mapped. Do not overwrite a mapped file in place."`
	Drain  time.Duration `default:"5s" placeholder:"TIME" help:"Time after SIGTERM in which /readyz fails and requests are still answered, so that load balancers stop sending them (default: ${default})."`
	Grace  time.Duration `default:"30s" placeholder:"TIME" help:"Time that requests in progress get to finish after that (default: ${default})."`

	UntilEOF bool `name:"until-eof" help:"Shut down at the end of standard input, so that the server does not outlive the program that started it."`

	semanticsFlag
	rowsFlag

	FactsTokenFile string   `group:"access" instead:"EFOC_FACTS_TOKEN" placeholder:"FILE" help:"File with another token, which lets clients add and remove facts (POST /v1/facts); they go into FILE.efoc.journal. EFOC_FACTS_TOKEN in the environment does the same. Without it, clients cannot change facts."`
	TokenFile      string   `group:"access" instead:"EFOC_TOKEN" placeholder:"FILE" help:"File with the token that clients must send, of 16 bytes or more; EFOC_TOKEN in the environment does the same."`
	Host           []string `group:"access" placeholder:"NAME" help:"Host name of the server; may be repeated. On a loopback address without a token, and whenever this is given, requests for hosts other than this name, localhost and loopback addresses are refused, to prevent DNS rebinding."`
	TLSCert        string   `name:"tls-cert" and:"tls" group:"access" placeholder:"FILE.pem" help:"Certificate for HTTPS, with its intermediate certificates."`
	TLSKey         string   `name:"tls-key" and:"tls" group:"access" placeholder:"FILE.pem" help:"Key of the certificate."`

	LogFormat string `group:"log" enum:"text,json" default:"text" help:"Format of the log, which goes to standard error: text or json."`
	LogLevel  string `group:"log" enum:"debug,info,warn,error" default:"info" help:"Minimum level of messages to log: debug, info, warn or error; info logs one line per request."`

	Pprof string `group:"log" placeholder:"HOST:PORT" help:"Loopback address, or unix:PATH, for Go's profiles (/debug/pprof/); unsafe:HOST:PORT takes any address. Profiles need no token and can slow the server down."`

	TraceQueries bool `group:"log" help:"Put the text of questions into traces. Without it, traces have only shapes, and no names of the graph."`

	Deadline time.Duration `group:"limits" default:"10s" placeholder:"TIME" help:"Time for a request (default: ${default})."`
	Max      optionList    `group:"limits" sep:"none" options:"limits" placeholder:"NAME=N" help:"Another limit, such as k=100; may be repeated."`

	opened bool // the split model, once
}

func (c *serveCmd) Run(a *app) error {
	token, err := readToken("token", c.TokenFile, "EFOC_TOKEN")
	if err != nil {
		return err
	}
	factsToken, err := readToken("facts-token", c.FactsTokenFile, "EFOC_FACTS_TOKEN")
	if err != nil {
		return err
	}
	if token != "" && token == factsToken {
		return usagef("the tokens for facts and for questions are the same: anyone who may ask could change facts; use another one")
	}
	if factsToken != "" && c.file() == "" {
		return usagef("facts are kept beside a model's file: give one with --model")
	}
	if c.Device == "cuda" && c.isSplit() {
		return errSplitOnDevice
	}
	if c.Device == "cuda" && factsToken != "" {
		return errChangesOnDevice("--facts-token-file")
	}
	if c.Watch != 0 && c.file() == "" {
		return usagef("--watch needs a file to look at: give one with --model")
	}
	limits := serveLimits{server.Limits{Rows: int64(c.RowsMB) << 20, Deadline: c.Deadline}}
	if err := c.Max.set("--max", limits.options()); err != nil {
		return err
	}
	if err := limits.Check(); err != nil {
		return usageError{err}
	}
	var templates *lang.File
	if c.File != "" {
		if templates, err = parseFile(c.File); err != nil {
			return err
		}
	}
	log := c.log(a)
	if c.UntilEOF {
		var end context.CancelFunc
		a.ctx, end = context.WithCancel(a.ctx)
		defer end()
		go func() {
			io.Copy(io.Discard, a.stdin)
			end()
		}()
	}
	l, err := listen(a.ctx, c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	var profiles net.Listener
	if c.Pprof != "" {
		if profiles, err = listenPrivately(a.ctx, c.Pprof); err != nil {
			return err
		}
		defer profiles.Close()
	}
	address, remote := l.Addr().(*net.TCPAddr)
	hosts, local := c.Host, !remote || address.IP.IsLoopback() // then this machine alone can reach it
	if remote && local && token == "" {
		hosts = append(hosts, "localhost")
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
		if l, err = server.TLS(l, c.TLSCert, c.TLSKey); err != nil {
			return err
		}
	}
	if !local && token == "" {
		log.Warn("anyone who can reach this address can ask: no token is set", "address", l.Addr().String())
	}
	semantics := "of the model"
	if c.Semantics != nil {
		semantics = c.Semantics.String()
	}
	d, err := c.openDevice()
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close() // after the models that are there
		log.Info("questions are answered on the device", "device", d.Name())
	}
	module, _ := readBuild()
	traces, err := tracing.New(a.ctx, module, log)
	if err != nil {
		return usageError{err}
	}
	defer traces.Close()
	s, err := server.New(a.ctx, server.Config{
		Open: func(ctx context.Context) (*runtime.Model, error) { return c.openToServe(ctx, log) },
		File: c.file(), Templates: templates, Plans: plans, Log: log, Version: versionLine(), Token: token, FactsToken: factsToken, Limits: limits.Limits,
		Device: d, Kernels: gpu.ReadyKernels, Semantics: c.Semantics, Hosts: hosts, Tracer: traces.Tracer(), TraceQueries: c.TraceQueries,
	})
	if err != nil {
		return err
	}
	defer mpi.Stop() // after the model is closed, which lets the other ranks go
	defer s.Close()
	log.Info("listening", "url", scheme+"://"+l.Addr().String()+"/", "model", c.Model, "semantics", semantics, "version", versionLine())
	ctx, stop := context.WithCancel(context.WithoutCancel(a.ctx)) // until the server has drained
	defer stop()
	if profiles != nil {
		log.Info("profiles", "address", profiles.Addr().String())
		go (&http.Server{Handler: server.Profiles(), ReadHeaderTimeout: 5 * time.Second}).Serve(profiles)
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer close(hangup)
	defer signal.Stop(hangup)
	manager := serviceManager{log}
	context.AfterFunc(a.ctx, func() {
		manager.stopping()
		if by, ok := errors.AsType[stopSignal](context.Cause(a.ctx)); ok && by.Signal != os.Interrupt && c.Drain > 0 {
			s.Drain()
			log.Info("draining: no longer ready", "drain_seconds", c.Drain.Seconds())
			time.Sleep(c.Drain)
		}
		stop()
	})
	go func() {
		for range hangup {
			manager.reloading()
			s.Reload(ctx) // logs what came of it
			manager.ready()
		}
	}()
	if c.Watch > 0 {
		go s.Watch(ctx, c.Watch)
	}
	manager.ready()
	go manager.watch(ctx, func() {
		if d != nil && d.Lost() != nil {
			<-ctx.Done() // a new process has the device again
		}
		s.Alive()
	})
	return s.Serve(ctx, l, c.Grace)
}

// listen listens on an address, or on the socket of a path after "unix:".
func listen(ctx context.Context, address string) (net.Listener, error) {
	network := "tcp"
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	return server.Listen(ctx, network, address)
}

// listenPrivately is listen for what only this machine may reach, unless the address begins with "unsafe:".
func listenPrivately(ctx context.Context, address string) (net.Listener, error) {
	address, unsafe := strings.CutPrefix(address, "unsafe:")
	l, err := listen(ctx, address)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() && !unsafe {
		l.Close()
		return nil, usagef("--pprof %s: others could reach this address: use a loopback one, such as 127.0.0.1:6060, or unsafe:%[1]s", address)
	}
	return l, nil
}

// file is the model's file, empty for the built-in and a split model, which nothing changes
// while the server runs.
func (c *serveCmd) file() string {
	if c.isSplit() {
		return ""
	}
	return c.Model
}

// errChangesOnDevice refuses a flag that lets clients change facts.
func errChangesOnDevice(flag string) error {
	return usagef("%s: with --device cuda facts cannot be changed by clients, for the device has a copy of them: leave out one of the two; "+
		"what efoc add puts into the journal is taken up by efoc serve --watch", flag)
}

// garbageBytes is how much garbage may gather beside a large model.
const garbageBytes = 64 << 20

// openToServe opens the model. It stays for long, so that nothing that happens to its
// file should matter: a copy is read, if there is memory for it and the user did not
// choose otherwise.
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
	if m.Mapped() && !c.MMap && !c.isSplit() { // shards are always mapped
		log.Warn("the model is mapped into memory, for a copy would take more than half of what is available: "+
			"replace its file with mv, for overwriting it ends the server", "model", c.Model)
	}
	if info, err := os.Stat(c.Model); err == nil && !m.Mapped() && os.Getenv("GOGC") == "" {
		// By default as much garbage gathers as the model takes. Tables of numbers cost the
		// collector nothing.
		debug.SetGCPercent(int(max(5, min(100, 100*garbageBytes/max(1, info.Size())))))
	}
	return m.Model, nil
}

// minToken is the least length of a token, in bytes; maxToken bounds a file that holds one.
const minToken, maxToken = 16, 64 << 10

// readToken returns the token of a flag's file or of the environment, empty for none.
func readToken(flag, file, variable string) (string, error) {
	token, source := os.Getenv(variable), variable
	switch {
	case file == "" && token == "":
		return "", nil
	case file != "" && token != "":
		return "", usagef("there are --%s-file and %s: give one of them", flag, variable)
	case file != "":
		text, err := regularfile.Read(file, maxToken)
		if err != nil {
			return "", err
		}
		token, source = strings.TrimSpace(string(text)), file
	}
	switch {
	case token == "" || strings.ContainsAny(token, " \t\r\n"):
		return "", fmt.Errorf("%s: want one token, a word without blanks", source)
	case len(token) < minToken:
		return "", fmt.Errorf("%s: the token has %d byte%s, want %d or more, such as openssl rand -hex %[4]d prints", source, len(token), pluralS(len(token)), minToken)
	}
	return token, nil
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
