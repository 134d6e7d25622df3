package load

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
)

// outcome is the result of a measurement. Times are in seconds.
type outcome struct {
	tally
	rate, p50, p99, max float64
	resident            float64 // MiB of the server
}

// tally is what one client saw, or all of them.
type tally struct {
	seconds                []float64 // of right answers
	refused, wrong, failed int
}

// load lets the clients ask for a while.
func (t *target) load(ctx context.Context, questions []question, clients, hostile int, length time.Duration) (*outcome, error) {
	t.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: time.Minute}
	defer t.client.CloseIdleConnections()
	end := time.Now().Add(length)
	tallies := make([]tally, clients)
	var asking, attacking sync.WaitGroup
	attack, stop := context.WithCancel(ctx)
	defer stop()
	for i := range hostile {
		attacking.Go(func() { t.harass(attack, i, &questions[i%len(questions)]) })
	}
	start := time.Now()
	for i := range clients {
		asking.Go(func() {
			pick := rand.New(rand.NewPCG(1, uint64(i)))
			for time.Now().Before(end) && ctx.Err() == nil {
				t.one(ctx, &questions[pick.IntN(len(questions))], &tallies[i])
			}
		})
	}
	asking.Wait()
	took := time.Since(start)
	stop()
	attacking.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := &outcome{}
	for _, c := range tallies {
		o.seconds = append(o.seconds, c.seconds...)
		o.refused += c.refused
		o.wrong += c.wrong
		o.failed += c.failed
	}
	slices.Sort(o.seconds)
	o.rate = float64(len(o.seconds)) / took.Seconds()
	if len(o.seconds) > 0 {
		o.p50, o.p99, o.max = trial.Quantile(o.seconds, 0.5), trial.Quantile(o.seconds, 0.99), o.seconds[len(o.seconds)-1]
	}
	var err error
	o.resident, err = t.resident(ctx)
	return o, err
}

// one asks a question and notes the outcome. A client that is refused waits a
// little before it asks again.
func (t *target) one(ctx context.Context, q *question, into *tally) {
	start := time.Now()
	status, got, err := t.ask(ctx, q.body)
	switch {
	case ctx.Err() != nil:
	case err == nil && status == http.StatusTooManyRequests:
		into.refused++
		time.Sleep(20 * time.Millisecond)
	case err != nil || status != http.StatusOK:
		into.failed++
	case !alike(got, q.want):
		into.wrong++
	default:
		into.seconds = append(into.seconds, time.Since(start).Seconds())
	}
}

// codesOff is by how much a probability from a table of 8 bits may be off, relative to it:
// answered alone a question is off by up to 0.011 on FB15k-237, in a large batch by a tenth of
// that.
const codesOff = 0.02

// alike reports whether two lists of probabilities differ by rounding alone.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return max(x-y, y-x) <= codesOff*max(x, y)
	})
}
