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
	off                 float64 // largest difference of a probability, relative to it
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
// a rate, through whom that many questions a second come at random times.
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
	times := &arrivals{rate: w.rate, end: start.Add(w.length), random: rand.New(rand.NewPCG(2, 0)), last: start}
	for i := range w.clients {
		asking.Go(func() { t.client(ctx, questions, times, uint64(i), &tallies[i]) })
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
	}
	o.judge(tallies, t.codes)
	slices.Sort(o.seconds)
	o.rate = float64(len(o.seconds)) / took.Seconds()
	if n := float64(len(o.seconds)); n > 0 {
		o.p50, o.p99, o.max = trial.Quantile(o.seconds, 0.5), trial.Quantile(o.seconds, 0.99), o.seconds[len(o.seconds)-1]
		o.server, o.client = 1000*(after.seconds-before.seconds)/n, 1000*own/n
	}
	return o, nil
}

// arrivals are the times when questions come: at random with a rate, whoever is free then, and
// otherwise whenever a client is free.
type arrivals struct {
	rate float64
	end  time.Time

	mu     sync.Mutex
	random *rand.Rand
	last   time.Time
}

// wait waits for the next question, until the time is over. With a rate it may have come
// already, for no client was free.
func (a *arrivals) wait() (came time.Time, more bool) {
	if a.rate == 0 {
		now := time.Now()
		return now, now.Before(a.end)
	}
	a.mu.Lock()
	a.last = a.last.Add(time.Duration(a.random.ExpFloat64() / a.rate * float64(time.Second)))
	came = a.last
	a.mu.Unlock()
	if !came.Before(a.end) {
		return came, false
	}
	time.Sleep(time.Until(came))
	return came, true
}

// client asks one question after the other until the time is over. A client that is refused
// waits a little before it asks again. The time of an answer counts from when its question came.
func (t *target) client(ctx context.Context, questions []question, times *arrivals, number uint64, into *tally) {
	c, err := newWire(t.url)
	if err != nil {
		into.failed++
		return
	}
	defer c.close()
	pick := rand.New(rand.NewPCG(1, number))
	for came, more := times.wait(); more && ctx.Err() == nil; came, more = times.wait() {
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
			into.seconds = append(into.seconds, time.Since(came).Seconds())
			into.replies = append(into.replies, reply{q, text})
		}
	}
}

// By how much a probability may be off from the one that was given without load, relative to
// it. Numbers are added in another order beside others: on FB15k-237 that makes 1e-5. In a
// table of codes those of a query that runs alone are rounded, except in the rows that matter
// most: that makes 0.001 in all but 1% of the answers, and 0.011 in the worst of 13,800. The
// rounding of a row bounds it too, but by more than ten times as much.
const (
	numbersOff   = 1e-4
	codesOff     = 0.02
	mostCodesOff = 0.003 // of all but 1% of the answers
)

// off appends by how much each of two lists of probabilities differ, relative to the larger
// one; 1 if the lists are not equally long.
func off(all, a, b []float64) []float64 {
	if len(a) != len(b) {
		return append(all, 1)
	}
	for i, x := range a {
		by := 0.0
		if y := b[i]; x != y {
			by = max(x-y, y-x) / max(x, y)
		}
		all = append(all, by)
	}
	return all
}

// judge compares the answers with those that were given without load. With a table of codes
// the 1% that are off by most may be off by more than the others.
func (o *outcome) judge(tallies []tally, codes bool) {
	var all []float64
	for _, c := range tallies {
		for _, r := range c.replies {
			got, err := scores(r.text)
			if err != nil {
				all = append(all, 1)
				continue
			}
			all = off(all, got, r.question.want)
		}
	}
	slices.Sort(all)
	for i, by := range all {
		switch {
		case !codes && by <= numbersOff, codes && by <= mostCodesOff:
		case codes && by <= codesOff && 100*(len(all)-i) <= len(all)+99:
		default:
			o.wrong++
		}
		o.off = by
	}
}
