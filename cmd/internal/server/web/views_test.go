package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// country is one with a population, in millions, a date and a place.
type country struct {
	name                          string
	millions, latitude, longitude float64
	founded                       string
}

var countries = []country{
	{"Spain", 48.5, 40.4, -3.7, "1469-10-19"}, {"Belgium", 11.7, 50.8, 4.4, "1830-10-04"},
	{"Switzerland", 8.9, 46.9, 7.4, "1848-09-12"}, {"Germany", 83.5, 52.5, 13.4, "1871-01-18"},
}

// placed opens the world with values of some countries.
func placed(context.Context) (*runtime.Model, error) {
	m, err := world.Open()
	if err != nil {
		return nil, err
	}
	list := []values.AttributeValues{
		{Name: "population", Kind: values.NumberKind}, {Name: "founded", Kind: values.DateKind},
		{Name: "latitude", Kind: values.NumberKind}, {Name: "longitude", Kind: values.NumberKind},
	}
	for _, c := range countries {
		e, err := m.Entity(c.name)
		if err != nil {
			return nil, err
		}
		day, err := time.Parse(time.DateOnly, c.founded)
		if err != nil {
			return nil, err
		}
		for i, x := range []float64{c.millions * 1e6, float64(day.Unix()), c.latitude, c.longitude} {
			list[i].Values = append(list[i].Values, values.EntityValue{Entity: e.ID(), Number: x})
		}
	}
	valued, err := m.Bundle().WithValues(list)
	return runtime.NewModel(valued), err
}

// seeViews sees the values by which a question filters as columns, in the file too, and answers on a map, by a number and by a date.
func seeViews(p *page) {
	p.askFor(`borders("France", y) & population(y) > 10000000`)
	for _, c := range countries {
		cell := p.eval(fmt.Sprintf(`[...document.querySelectorAll('#answers tbody tr[class]')].find(r => r.querySelector('th button').textContent === %q)?.querySelector('td.value').textContent ?? ''`, c.name))
		if want := strings.ReplaceAll(fmt.Sprintf("%.1f", c.millions), ".", ",") + "00,000"; c.millions > 10 && cell != want {
			p.t.Errorf("the population of %s is %s, want %s", c.name, cell, want)
		}
	}
	dir := p.downloads()
	p.do(chromedp.SetValue("#extent", "shown"), chromedp.Click("#csv"))
	rows, err := csv.NewReader(strings.NewReader(string(p.arrived(dir, "answers.csv")))).ReadAll()
	require.NoError(p.t, err)
	if at := slices.Index(rows[0], "population"); at < 0 || !slices.ContainsFunc(rows, func(row []string) bool { return row[1] == "Germany" && row[at] == "83500000" }) {
		p.t.Errorf("the file has %q", rows)
	}
	seeChart(p)
	seeMap(p)
}

// seeChart sees bars as long as populations are large, and then points at dates.
func seeChart(p *page) {
	const parts = `[...document.querySelectorAll('#answers .chart tbody tr')].map(r => ({ Name: r.querySelector('th').innerText, Part: (b => (b.parentElement.classList.contains('point') ? b.getBoundingClientRect().left - b.parentElement.getBoundingClientRect().left : b.getBoundingClientRect().width) / b.parentElement.getBoundingClientRect().width)(r.querySelector('.track b')) }))`
	check := func(attribute string, size func(country) float64, least float64) {
		p.t.Helper()
		p.js(fmt.Sprintf(`{ const s = document.querySelector('#answers select'); s.value = %q; s.dispatchEvent(new Event('change')); }`, attribute))
		p.until(fmt.Sprintf(`document.querySelector('#answers .chart thead').innerText.includes(%q) && document.querySelectorAll('#answers .chart tbody tr').length === 4`, attribute))
		sizes := map[string]float64{}
		most := math.Inf(-1)
		for _, c := range countries {
			sizes[c.name] = size(c)
			most = max(most, size(c))
		}
		list := eval[[]struct {
			Name string
			Part float64
		}](p, parts)
		if len(list) != len(countries) {
			p.t.Errorf("the chart has %v", list)
		}
		for _, x := range list {
			if want := (sizes[x.Name] - least) / (most - least); math.Abs(x.Part-want) > 0.01 {
				p.t.Errorf("%s is at %.3f of the chart, want %.3f", x.Name, x.Part, want)
			}
		}
	}
	p.askFor(`borders("France", y)`)
	p.do(chromedp.Click("#view-chart"))
	p.until(`document.querySelectorAll('#answers .chart tbody tr').length === 4`)
	check("population", func(c country) float64 { return c.millions }, 0)
	p.shows("#answers", "Without population:", "Monaco")
	p.picture("chart")
	day := func(c country) float64 {
		t, _ := time.Parse(time.DateOnly, c.founded)
		return float64(t.Unix())
	}
	check("founded", day, day(countries[0]))
	p.picture("timeline")
	p.do(chromedp.Reload())
	p.until(`document.querySelectorAll('#answers .track.point').length === 4`)
}

// seeMap sees answers at their places, the north above and the east on the right, and opens one.
func seeMap(p *page) {
	p.do(chromedp.Click("#view-map"))
	p.until(`document.querySelectorAll('#answers .point').length === 4`)
	points := map[string]place{}
	for _, c := range countries {
		points[c.name] = p.place(fmt.Sprintf(`#answers [data-entity=%q] circle`, c.name))
	}
	for _, a := range countries {
		for _, b := range countries {
			if a.latitude > b.latitude != (points[a.name].Y < points[b.name].Y) || a.longitude < b.longitude != (points[a.name].X < points[b.name].X) {
				p.t.Errorf("%v is at %v, %v at %v", a, points[a.name], b, points[b.name])
			}
		}
	}
	names := p.eval(`document.querySelector('#answers svg').textContent`)
	for _, want := range []string{"45°N", "5°E", "0°", "Germany"} {
		if !strings.Contains(names, want) {
			p.t.Errorf("the map lacks %s: %s", want, names)
		}
	}
	p.picture("map")
	p.js(`document.querySelector('#answers .point').focus()`)
	p.keys("\r")
	p.until(`document.getElementById('browse').open`)
}
