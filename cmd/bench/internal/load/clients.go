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
	server              float64 // processor seconds of the server for 1,000 answers
	client              float64 // those of this process
	resident            float64 // MiB of the server
}

// tally is what one client saw, or all of them.
type tally struct {
	seconds                []float64 // of answers
	refused, wrong, failed int
	replies                []reply
}

// reply is an answer that is compared with what is wanted after the load.
type reply struct {
	question *question
	text     []byte
}

// work is a load: some clients that ask for a while, as fast as they are answered, or, with
// a rate, that many questions a second together at random times.
type work struct {
	clients, hostile int
	rate             float64
	length           time.Duration
}

// load lets the clients ask for a while.
func (t *target) load(ctx context.Context, questions []question, w work) (*outcome, error) {
	before, err := t.usage(ctx)
	if err != nil {
		return nil, err
	}
	own := processorSeconds()
	tallies := make([]tally, w.clients)
	var asking, attacking sync.WaitGroup
	attack, stop := context.WithCancel(ctx)
	defer stop()
	for i := range w.hostile {
		attacking.Go(func() { t.harass(attack, i, &questions[i%len(questions)]) })
	}
	start := time.Now()
	for i := range w.clients {
		asking.Go(func() { t.client(ctx, questions, w, uint64(i), &tallies[i]) })
	}
	asking.Wait()
	took := time.Since(start)
	stop()
	attacking.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	own = processorSeconds() - own
	after, err := t.usage(ctx)
	if err != nil {
		return nil, err
	}
	o := &outcome{resident: after.resident}
	for _, c := range tallies {
		o.seconds = append(o.seconds, c.seconds...)
		o.refused += c.refused
		o.failed += c.failed
		for _, r := range c.replies {
			if got, err := scores(r.text); err != nil || !alike(got, r.question.want) {
				o.wrong++
			}
		}
	}
	slices.Sort(o.seconds)
	o.rate = float64(len(o.seconds)) / took.Seconds()
	if n := float64(len(o.seconds)); n > 0 {
		o.p50, o.p99, o.max = trial.Quantile(o.seconds, 0.5), trial.Quantile(o.seconds, 0.99), o.seconds[len(o.seconds)-1]
		o.server, o.client = 1000*(after.seconds-before.seconds)/n, 1000*own/n
	}
	return o, nil
}

// client asks one question after the other until the time is over. A client that is refused
// waits a little before it asks again. With a rate a question may come while the one
// before is not answered: it waits, and its time counts from when it came.
func (t *target) client(ctx context.Context, questions []question, w work, number uint64, into *tally) {
	c, err := newWire(t.url)
	if err != nil {
		into.failed++
		return
	}
	defer c.close()
	pick := rand.New(rand.NewPCG(1, number))
	due := time.Now()
	for end := due.Add(w.length); due.Before(end) && ctx.Err() == nil; {
		if w.rate > 0 {
			due = due.Add(time.Duration(pick.ExpFloat64() * float64(w.clients) / w.rate * float64(time.Second)))
			time.Sleep(time.Until(due))
		} else {
			due = time.Now()
		}
		q := &questions[pick.IntN(len(questions))]
		status, text, err := c.ask(q.request)
		switch {
		case ctx.Err() != nil:
		case err == nil && status == http.StatusTooManyRequests:
			into.refused++
			time.Sleep(20 * time.Millisecond)
		case err != nil || status != http.StatusOK:
			into.failed++
		default:
			into.seconds = append(into.seconds, time.Since(due).Seconds())
			into.replies = append(into.replies, reply{q, text})
		}
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
