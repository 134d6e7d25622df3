package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
)

// target is the server under load.
type target struct {
	url string
	// semantics is what answers shall mean, empty for the server's choice.
	semantics string
	client    *http.Client
}

// question is a request of the server and the probabilities of its answers.
type question struct {
	body []byte
	want []float64
}

// questions reads the queries, or asks the server for its examples.
func (t *target) questions(ctx context.Context, c *Command) ([]question, error) {
	t.client = http.DefaultClient
	var bodies []any
	if c.Queries == "" {
		text, err := t.get(ctx, "/v1/examples")
		if err != nil {
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
		questions[i].body = text
	}
	return questions, nil
}

// reference asks each question by itself and keeps the answers.
func (t *target) reference(ctx context.Context, questions []question) error {
	for i := range questions {
		q := &questions[i]
		status, got, err := t.ask(ctx, q.body)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("the server answers %s with status %d; are the queries the model's?", q.body, status)
		}
		q.want = got
	}
	return nil
}

// ask returns the status and, if it is OK, the probabilities of the answers.
func (t *target) ask(ctx context.Context, body []byte) (int, []float64, error) {
	status, text, err := t.do(ctx, "/v1/ask", body)
	if err != nil || status != http.StatusOK {
		return status, nil, err
	}
	var r struct {
		Answers []struct{ Score float64 }
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return 0, nil, err
	}
	got := make([]float64, len(r.Answers))
	for i, a := range r.Answers {
		got[i] = a.Score
	}
	return status, got, nil
}

// resident returns the MiB of memory that the server has.
func (t *target) resident(ctx context.Context) (float64, error) {
	text, err := t.get(ctx, "/metrics")
	bytes := 0.0
	if _, value, ok := strings.Cut(string(text), "\nprocess_resident_memory_bytes "); ok {
		_, err = fmt.Sscan(value, &bytes)
	}
	return bytes / (1 << 20), err
}

// get reads what is at a path.
func (t *target) get(ctx context.Context, path string) ([]byte, error) {
	status, text, err := t.do(ctx, path, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s%s: %d %s", t.url, path, status, http.StatusText(status))
	}
	return text, err
}

// do sends a request, a POST if it has a body, and returns the status and the body of the
// response.
func (t *target) do(ctx context.Context, path string, body []byte) (int, []byte, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, t.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}
