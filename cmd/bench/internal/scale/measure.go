package scale

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Measure measures a model; Command runs it in a process of its own.
type Measure struct {
	Model   string    `arg:"" help:"Model, which is mapped."`
	Queries cli.Count `default:"100" help:"Queries of each kind."`
	Batch   cli.Count `default:"64" help:"Queries that are asked at once."`
}

// measured is what a measurement prints, as JSON.
type measured struct {
	Facts  int
	Bundle int64 // bytes
	// Opened and First are the seconds until the model was open and until it had answered.
	Opened, First float64
	// Resident is the memory of the process after all queries, Anonymous that which is not
	// the mapped file's, in bytes.
	Resident, Anonymous int64
	// OneHop and TwoHops are milliseconds a query, the medians, Batch is queries a second.
	OneHop, TwoHops, Batch float64
	// TwoHopsCPU and BatchCPU are milliseconds of the processors for a query of two hops, alone
	// and in a batch: they depend less on what else the machine does.
	TwoHopsCPU, BatchCPU float64
}

// Run measures.
func (c *Measure) Run(ctx context.Context, out *cli.Output) error {
	start := time.Now()
	m, err := query.Open(c.Model, model.Mapped())
	if err != nil {
		return err
	}
	defer m.Close()
	r := measured{Facts: m.Graph.NumTriples(), Opened: time.Since(start).Seconds()}
	info, err := os.Stat(c.Model)
	if err != nil {
		return err
	}
	r.Bundle = info.Size()
	a := asker{model: m, cache: &compiler.Cache{}, random: rand.New(rand.NewPCG(1, 2))}
	if _, err := a.ask(ctx, 1); err != nil {
		return err
	}
	r.First = time.Since(start).Seconds()
	for i, to := range []*float64{&r.OneHop, &r.TwoHops} {
		hops := i + 1
		before, err := processorSeconds()
		if err != nil {
			return err
		}
		var times []float64
		for range int(c.Queries) {
			seconds, err := a.ask(ctx, hops)
			if err != nil {
				return err
			}
			times = append(times, 1000*seconds)
		}
		slices.Sort(times)
		*to = times[len(times)/2]
		after, err := processorSeconds()
		if err != nil {
			return err
		}
		r.TwoHopsCPU = 1000 * (after - before) / float64(c.Queries) // the last one stays
	}
	if r.Batch, r.BatchCPU, err = a.batch(ctx, int(c.Batch)); err != nil {
		return err
	}
	if r.Resident, r.Anonymous, err = resident("VmRSS:", "RssAnon:"); err != nil {
		return err
	}
	return json.NewEncoder(out.Stdout).Encode(r)
}

// asker asks questions about random facts.
type asker struct {
	model  *query.Model
	cache  *compiler.Cache
	random *rand.Rand
}

// prepare makes a question of so many hops from a random entity ready.
func (a *asker) prepare(hops int) (query.Question, error) {
	relation := func() string {
		return strconv.Quote(a.model.Relations.Name(int32(a.random.IntN(a.model.Relations.Len()))))
	}
	entity := strconv.Quote(a.model.Entities.Name(int32(a.random.IntN(a.model.NumEntities()))))
	text := fmt.Sprintf("%s(%s, y)", relation(), entity)
	if hops == 2 {
		text = fmt.Sprintf("exists x. %s(%s, x) & %s(x, y)", relation(), entity, relation())
	}
	p, err := compiler.PrepareFormula(a.model, text, compiler.PrepareOptions{Cache: a.cache})
	if err != nil {
		return query.Question{}, err
	}
	bindings, err := p.Bindings(nil)
	return query.Question{Query: p.Query, Bindings: bindings}, err
}

// ask asks a question and returns how long that took.
func (a *asker) ask(ctx context.Context, hops int) (float64, error) {
	p, err := a.prepare(hops)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	_, err = p.Query.Answer(ctx, p.Bindings, query.Options{K: 10})
	return time.Since(start).Seconds(), err
}

// batch returns how many questions of two hops are answered in a second, some number at once, and
// the milliseconds of the processors for one.
func (a *asker) batch(ctx context.Context, size int) (rate, cpu float64, err error) {
	var batch []query.Question
	for range size {
		p, err := a.prepare(2)
		if err != nil {
			return 0, 0, err
		}
		batch = append(batch, p)
	}
	if _, err := query.AnswerBatch(ctx, batch, query.Options{K: 10}); err != nil { // to warm up
		return 0, 0, err
	}
	before, err := processorSeconds()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if _, err = query.AnswerBatch(ctx, batch, query.Options{K: 10}); err != nil {
		return 0, 0, err
	}
	rate = float64(size) / time.Since(start).Seconds()
	after, err := processorSeconds()
	return rate, 1000 * (after - before) / float64(size), err
}

// processorSeconds returns the time that the processors have worked for this process, as Linux
// has it: in hundredths of a second.
func processorSeconds() (float64, error) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	// The name of the program, in brackets, may have blanks.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/self/stat has %d fields behind the name, want at least 13", len(fields))
	}
	user, err := strconv.ParseFloat(string(fields[11]), 64)
	system, err2 := strconv.ParseFloat(string(fields[12]), 64)
	return (user + system) / 100, cmp.Or(err, err2)
}

// resident reads two lines of what Linux says of the memory of this process, in bytes.
func resident(first, second string) (a, b int64, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) != 3 {
			continue
		}
		kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		switch string(fields[0]) {
		case first:
			a = 1024 * kilobytes
		case second:
			b = 1024 * kilobytes
		}
	}
	return a, b, nil
}
