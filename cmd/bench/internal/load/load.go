// Package load puts load on a running efoc serve and prints a table: queries per second,
// latencies, refusals, and whether every answer was right.
//
//	efoc serve --model fb15k-237.efoc --log-level warn &
//	go run cmd/bench/main.go load --queries ../shared/data/fb15k-237/queries-dev.jsonl
//	go run cmd/bench/main.go load --semantics mixed
//	go run cmd/bench/main.go load --clients 1,64 --seconds 20 --hostile 8
//	go run cmd/bench/main.go load --clients 64 --rate 1000
//	go run cmd/bench/main.go load --clients 64 --share 0.7
//	go run cmd/bench/main.go load --vegeta targets.jsonl
//
// Each client sends one query after the other over one connection. Queries come from a set
// of benchmark queries with the model's ids, or are the server's examples. Before the load,
// each query is asked once by itself; after the load, all answers are compared with these.
// On a machine that does something else too, the server's processor time per answer says more
// than the rate.
//
// With --rate, questions come at random times at that mean rate, whether or not earlier
// ones are answered (open loop); with --share, at that share of the rate that the clients just
// reached. The clients are then the connections, and the time that a question waits for one
// counts. --hostile adds clients that send nonsense, huge bodies, truncated requests, and
// questions whose answers they do not read. --vegeta writes the questions for vegeta.
package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/tables"
)

// Command is the command line.
type Command struct {
	URL       string     `default:"http://127.0.0.1:8080" help:"Address of the server."`
	Queries   string     `placeholder:"FILE" help:"Benchmark queries, in any format that efoc eval reads; the server's examples if not given."`
	Shapes    []string   `placeholder:"SHAPES" help:"Shapes to take queries of; all if not given."`
	Limit     cli.Count  `default:"20" help:"Queries of each shape."`
	Semantics string     `enum:",nsmp,fit,mixed" default:"" help:"What answers shall mean: nsmp, fit or mixed; the server's choice if not given."`
	Clients   cli.Counts `default:"1,8,64" help:"Numbers of clients, one measurement each."`
	Seconds   float64    `default:"10" help:"Seconds that a measurement takes."`
	Rate      float64    `placeholder:"N" help:"Questions a second, of all clients together; as many as are answered if not given."`
	Share     float64    `placeholder:"SHARE" help:"After each number of clients, ask at this share of the rate that they reached, such as 0.7."`
	Vegeta    string     `placeholder:"FILE" help:"Write the questions as targets of the program vegeta (-format json), and end."`
	Hostile   int        `help:"Number of hostile clients beside."`
}

// Run measures with each number of clients in turn.
func (c *Command) Run(ctx context.Context, out *cli.Output) error {
	t := &target{url: c.URL, semantics: c.Semantics}
	questions, err := t.questions(ctx, c)
	if err != nil {
		return err
	}
	if c.Vegeta != "" {
		return t.writeTargets(c.Vegeta, questions)
	}
	if err := t.reference(ctx, questions); err != nil {
		return err
	}
	header := []string{">clients", ">queries/s", ">p50 ms", ">p99 ms", ">p99/p50", ">max ms", ">server CPU ms/query", ">client CPU ms/query", ">refused (429)", ">wrong", ">off by at most", ">failed", ">resident MiB"}
	var rows []tables.Row
	bad := 0
	measure := func(w work) (rate float64, err error) {
		r, err := t.load(ctx, questions, w)
		if err != nil {
			return 0, err
		}
		rows = append(rows, tables.Row{
			w.clients, fmt.Sprintf("%.0f", r.rate), ms(r.p50), ms(r.p99), fmt.Sprintf("%.1f", r.p99/r.p50), ms(r.max), fmt.Sprintf("%.3f", r.server), fmt.Sprintf("%.3f", r.client), r.refused, r.wrong, fmt.Sprintf("%.1g", r.off), r.failed, fmt.Sprintf("%.0f", r.resident),
		})
		bad += r.wrong + r.failed
		return r.rate, nil
	}
	for _, clients := range c.Clients {
		w := work{clients, c.Hostile, c.Rate, time.Duration(c.Seconds * float64(time.Second))}
		rate, err := measure(w)
		if err == nil && c.Share > 0 {
			w.clients, w.rate = max(clients, connections), c.Share*rate
			_, err = measure(w)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out.Stdout, tables.Markdown(header, rows))
	if bad > 0 {
		return errors.New("there were wrong or failed answers")
	}
	return nil
}

// connections are those of a load at a rate: fewer than the queries in flight that a server
// takes on, so that a burst waits and is not refused.
const connections = 200

func ms(seconds float64) string { return fmt.Sprintf("%.1f", 1000*seconds) }
