// Command serveload puts load on a running efoc serve and prints a table: queries
// a second, latencies, refusals, and whether every answer was right.
//
//	efoc serve --model fb15k-237.efoc --log-level warn &
//	go run ./cmd/internal/serveload --queries ../shared/data/fb15k-237/queries-dev.jsonl
//	go run ./cmd/internal/serveload --semantics mixed
//	go run ./cmd/internal/serveload --clients 1,64 --seconds 20 --hostile 8
//
// Each client sends one query after the other over a connection that it keeps.
// Queries come from a set of benchmark queries, whose ids must be those of the
// model, or are the server's examples. Before the load each is asked once by itself,
// and the answers under load must have the same probabilities. With --hostile as
// many further clients send what no client should: nonsense, huge bodies, requests
// that end half way and questions whose answer nobody reads.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jedib0t/go-pretty/v6/table"
)

type options struct {
	URL       string   `default:"http://127.0.0.1:8080" help:"Address of the server."`
	Queries   string   `placeholder:"FILE" help:"Benchmark queries, in any format that efoc eval reads; the server's examples if not given."`
	Shapes    []string `placeholder:"SHAPES" help:"Shapes to take queries of; all if not given."`
	Limit     int      `default:"20" help:"Queries of each shape."`
	Semantics string   `enum:",nsmp,fit,mixed" default:"" help:"What answers shall mean: nsmp, fit or mixed; the server's choice if not given."`
	Clients   []int    `default:"1,8,64" help:"Numbers of clients, one measurement each."`
	Seconds   float64  `default:"10" help:"Seconds that a measurement takes."`
	Hostile   int      `help:"Number of hostile clients beside."`
}

func main() {
	var o options
	kong.Parse(&o, kong.Name("serveload"), kong.Description("Puts load on a running efoc serve."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

// run measures with each number of clients in turn.
func run(ctx context.Context, o options) error {
	t := &target{url: o.URL, semantics: o.Semantics}
	questions, err := t.questions(ctx, o)
	if err != nil {
		return err
	}
	if err := t.reference(ctx, questions); err != nil {
		return err
	}
	w := table.NewWriter()
	w.AppendHeader(table.Row{"clients", "queries/s", "p50 ms", "p99 ms", "max ms", "refused (429)", "wrong", "failed", "resident MiB"})
	bad := 0
	for _, clients := range o.Clients {
		r, err := t.load(ctx, questions, clients, o.Hostile, time.Duration(o.Seconds*float64(time.Second)))
		if err != nil {
			return err
		}
		w.AppendRow(table.Row{clients, fmt.Sprintf("%.0f", r.rate), ms(r.p50), ms(r.p99), ms(r.max), r.refused, r.wrong, r.failed, fmt.Sprintf("%.0f", r.resident)})
		bad += r.wrong + r.failed
	}
	fmt.Println(w.RenderMarkdown())
	if bad > 0 {
		return errors.New("there were wrong or failed answers")
	}
	return nil
}

func ms(seconds float64) string { return fmt.Sprintf("%.1f", 1000*seconds) }
