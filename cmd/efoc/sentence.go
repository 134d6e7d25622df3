package main

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// verdictResult is the answer to a sentence, with everything to print.
type verdictResult struct {
	reply
	*runtime.Verdict
}

// The kinds of questions that have no list of answers.
const (
	yesOrNo = "yes or no"
	howMany = "how many there are"
)

// noAnswers refuses flags that only a list of answers has.
func (c *askCmd) noAnswers(kind string) error {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"offset", c.Offset != 0}, {"show", c.Show != nil}, {"status", len(c.Status) > 0}, {"min-confidence", c.MinConfidence != 0},
		{"in-range", c.InRange}, {"type", c.Type != "" && kind == yesOrNo}, {"why", c.Why != 0 && kind == howMany},
	} {
		if f.given {
			return usagef("--%s is for answers, and the question asks %s", f.name, kind)
		}
	}
	return nil
}

// decide answers a sentence.
func (c *askCmd) decide(a *app, m *openModel, placed *runtime.Model, q *lang.Query, args map[string]string, o compiler.Options) error {
	if err := c.noAnswers(yesOrNo); err != nil {
		return err
	}
	p, err := compiler.Prepare(placed, q, o)
	if err != nil {
		return mistake(err)
	}
	a.warn(q.Warnings)
	ids, err := p.Args(args)
	if err != nil {
		return err
	}
	start := time.Now()
	r, err := p.Ask(a.ctx, ids, runtime.Options{})
	if err != nil {
		return err
	}
	v := r.Verdict
	if c.request != nil {
		return c.writeSPARQL(a, sparqlresult.Decided(c.request, v))
	}
	return a.show(c.Format, &verdictResult{newReply(plan.Verdict, m, q, p.Settings, v.Semantics, time.Since(start)), v})
}

// stored answers a SPARQL query by stored facts, in a format of SPARQL.
func (c *askCmd) stored(a *app) error {
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := c.bind(m); err != nil {
		return err
	}
	if c.request.Describe != nil {
		return sparqlresult.Describe(a.stdout, c.request, m.Model, math.MaxInt)
	}
	result, err := sparqlresult.Facts(a.ctx, c.request, m.Model, math.MaxInt32)
	if err != nil {
		return err
	}
	if c.request.Ask {
		return c.writeSPARQL(a, result)
	}
	f := cmp.Or(sparqlresult.Named(c.Format), sparqlresult.Named("sparql-"+c.Format), sparqlresult.Named("sparql-tsv"))
	return f.Write(a.stdout, c.request, result)
}

// writeSPARQL writes whether the pattern of a SPARQL query holds.
func (c *askCmd) writeSPARQL(a *app, result *sparqlresult.Result) error {
	if f := sparqlresult.Named(c.Format); f != nil {
		return f.Write(a.stdout, c.request, result)
	}
	_, err := fmt.Fprintln(a.stdout, map[bool]string{true: "yes", false: "no"}[result.Holds])
	return err
}

func (r *verdictResult) tsv() [][]string {
	return [][]string{{"holds", "status", "confidence", "degree"},
		{fmt.Sprint(r.Holds), r.Status.String(), confidenceText(r.Confidence), fmt.Sprintf("%.4g", r.Degree)}}
}

// text prints the verdict and its reason.
func (r *verdictResult) text(p *printer) {
	switch text := statusTexts[r.Status]; {
	case r.Status == runtime.Known:
		p.printf("yes, known: it %s\n", text)
	case r.Uncalibrated != "":
		p.printf("not known: it %s; no confidence: %s\n", text, r.Uncalibrated)
	case r.Holds:
		p.printf("probably, confidence %s: %s\n", formatConfidence(r.Confidence), text)
	case r.Confidence >= server.Possible:
		p.printf("possible, confidence %s: %s\n", formatConfidence(r.Confidence), text)
	default:
		p.printf("neither known nor likely, confidence %s: %s\n", formatConfidence(r.Confidence), text)
	}
	for _, w := range r.Witnesses {
		p.printf("\n")
		if w.Degree == 0 {
			p.printf("no witness: the truth degree is 0\n")
			continue
		}
		for i, v := range w.Values {
			p.printf("%s%s = %s", [...]string{"", ", "}[min(i, 1)], v.Variable, v.Label)
		}
		if len(w.Values) > 0 {
			p.printf("\n")
		}
		p.atoms(&w)
	}
	p.printf("\n%s, semantics %s, degree %.4f, in %s\n", r.Model, r.Semantics, r.Degree, roundTime(r.Seconds))
}
