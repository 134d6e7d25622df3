// Package load writes questions for a running efoc serve as targets of vegeta, the program that
// .ci/load puts load on it with.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/natefinch/atomic"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/queryset"
)

// Command is the command line.
type Command struct {
	Output    string    `arg:"" placeholder:"FILE" help:"File of targets to write (vegeta attack -format json)."`
	URL       string    `default:"http://127.0.0.1:8080" help:"Address of the server."`
	Queries   string    `placeholder:"FILE" help:"Benchmark queries with the model's ids, in any format that efoc eval reads; by default the server's examples."`
	Shapes    []string  `placeholder:"SHAPES" help:"Shapes to take queries of; by default all."`
	Limit     cli.Count `default:"20" help:"Queries of each shape."`
	Semantics string    `enum:",nsmp,fit,mixed" default:"" help:"Semantics to ask for: nsmp, fit or mixed; by default the server's choice."`
}

// Run writes the targets, a line of JSON each, in random order: vegeta asks them in turn.
func (c *Command) Run(ctx context.Context) error {
	read := c.benchmark
	if c.Queries == "" {
		read = c.examples
	}
	questions, err := read(ctx)
	if err != nil {
		return err
	}
	if len(questions) == 0 {
		return errors.New("there are no queries to ask")
	}
	rand.New(rand.NewPCG(3, 0)).Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	for _, q := range questions {
		if c.Semantics != "" {
			q["semantics"] = c.Semantics
		}
		body, err := json.Marshal(q)
		if err != nil {
			return err
		}
		if err := e.Encode(target{http.MethodPost, c.URL + "/v1/ask", body, http.Header{"Content-Type": {"application/json"}}}); err != nil {
			return err
		}
	}
	return atomic.WriteFile(c.Output, &text)
}

// target is one of vegeta's; its body becomes base64.
type target struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Body   []byte      `json:"body"`
	Header http.Header `json:"header"`
}

// question is the body of a request to /v1/ask.
type question map[string]any

// examples asks the server for its examples.
func (c *Command) examples(ctx context.Context) (questions []question, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/v1/examples", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", r.URL, resp.Status)
	}
	var list struct{ Examples []struct{ Formula string } }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return nil, err
	}
	for _, e := range list.Examples {
		questions = append(questions, question{"formula": e.Formula})
	}
	return questions, nil
}

// benchmark reads the queries.
func (c *Command) benchmark(ctx context.Context) (questions []question, err error) {
	set, _, err := queryset.Open(ctx, c.Queries, queryset.Options{Shapes: c.Shapes, Limit: int(c.Limit)})
	if err != nil {
		return nil, err
	}
	for _, g := range set.Groups {
		field := "benchmark"
		if g.Template.Name != "" {
			field = "template"
		}
		for _, q := range g.Queries {
			args := map[string]string{}
			for i, p := range g.Template.Params {
				args[p.Name] = "#" + strconv.Itoa(int(q.Args[i]))
			}
			questions = append(questions, question{field: g.Formula, "args": args})
		}
	}
	return questions, nil
}
