package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	"github.com/natefinch/atomic"

	"github.com/efoc/efoc/cmd/internal/queryset"
)

// target is the server under load.
type target struct {
	url string
	// semantics is what answers shall mean, empty for the server's choice.
	semantics string
	codes     bool // the model's table is one of codes
}

// question is a request of the server, as it goes through a connection, and the
// probabilities of its answers.
type question struct {
	body, request []byte
	want          []float64
}

// questions reads the queries, or asks the server for its examples.
func (t *target) questions(ctx context.Context, c *Command) ([]question, error) {
	text, err := t.get(ctx, "/v1/model")
	if err != nil {
		return nil, err
	}
	var m struct{ Table string }
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	t.codes = strings.HasPrefix(m.Table, "int")
	var bodies []any
	if c.Queries == "" {
		if text, err = t.get(ctx, "/v1/examples"); err != nil {
			return nil, err
		}
		var list struct{ Examples []struct{ Formula string } }
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		for _, e := range list.Examples {
			bodies = append(bodies, map[string]any{"formula": e.Formula, "semantics": t.semantics})
		}
	} else {
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
				bodies = append(bodies, map[string]any{field: g.Formula, "args": args, "semantics": t.semantics})
			}
		}
	}
	if len(bodies) == 0 {
		return nil, fmt.Errorf("there are no queries to ask")
	}
	questions := make([]question, len(bodies))
	for i, b := range bodies {
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		var request bytes.Buffer
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url+"/v1/ask", bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		if err := r.Write(&request); err != nil {
			return nil, err
		}
		questions[i].body, questions[i].request = text, request.Bytes()
	}
	return questions, nil
}

// writeTargets writes the questions as targets of the program vegeta, a line of JSON each, in
// random order: it asks them in turn.
func (t *target) writeTargets(path string, questions []question) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	for _, i := range rand.New(rand.NewPCG(3, 0)).Perm(len(questions)) {
		err := e.Encode(map[string]any{
			"method": http.MethodPost, "url": t.url + "/v1/ask", "body": questions[i].body, // as base64
			"header": http.Header{"Content-Type": {"application/json"}},
		})
		if err != nil {
			return err
		}
	}
	return atomic.WriteFile(path, &text)
}

// reference asks each question by itself and keeps the answers.
func (t *target) reference(ctx context.Context, questions []question) error {
	c, err := newWire(t.url)
	if err != nil {
		return err
	}
	defer c.close()
	for i := range questions {
		q := &questions[i]
		status, text, err := c.ask(q.request)
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("the server answers %s with status %d; are the queries the model's?", q.body, status)
		}
		if q.want, err = scores(text); err != nil {
			return err
		}
	}
	return nil
}

// scores returns the probabilities of the answers of a response.
func scores(text []byte) ([]float64, error) {
	var r struct {
		Answers []struct{ Score float64 }
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	got := make([]float64, len(r.Answers))
	for i, a := range r.Answers {
		got[i] = a.Score
	}
	return got, nil
}

// usage is what the server has used so far.
type usage struct {
	resident float64 // MiB of memory
	seconds  float64 // of processors
}

// usage asks the server for what it has used.
func (t *target) usage(ctx context.Context) (u usage, err error) {
	text, err := t.get(ctx, "/metrics")
	if err != nil {
		return u, err
	}
	for name, to := range map[string]*float64{"process_resident_memory_bytes": &u.resident, "process_cpu_seconds_total": &u.seconds} {
		if _, value, ok := strings.Cut(string(text), "\n"+name+" "); ok {
			if _, err := fmt.Sscan(value, to); err != nil {
				return u, fmt.Errorf("%s of the server: %w", name, err)
			}
		}
	}
	u.resident /= 1 << 20
	return u, nil
}

// get reads what is at a path.
func (t *target) get(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s%s: %s", t.url, path, resp.Status)
	}
	return io.ReadAll(resp.Body)
}
