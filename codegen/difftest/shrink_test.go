package difftest

import (
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// shrinkTries bounds the cases that a minimisation tries.
const shrinkTries = 600

// shrink returns the smallest case that it finds which still fails: with fewer
// queries, entities, facts and atoms, a smaller rank, and plainer settings.
func shrink(c *testCase, fails func(*testCase) bool) *testCase {
	for tries := 0; tries < shrinkTries; {
		smaller := false
		for _, try := range smallerCases(c) {
			if tries++; tries > shrinkTries {
				break
			}
			if fails(try) {
				c, smaller = try, true
				break
			}
		}
		if !smaller {
			break
		}
	}
	return c
}

// smallerCases returns cases that are a step smaller, the largest step first.
func smallerCases(c *testCase) (list []*testCase) {
	with := func(change func(d *testCase)) {
		d := c.clone()
		change(d)
		for _, b := range d.Bindings {
			d.fit(b)
		}
		list = append(list, d)
	}
	if n := len(c.Bindings); n > 1 {
		for _, part := range [][2]int{{0, 1}, {0, n / 2}, {n / 2, n}, {0, n - 1}, {1, n}} {
			with(func(d *testCase) { d.Bindings = d.Bindings[part[0]:part[1]] })
		}
	}
	for _, text := range smallerTemplates(c.Query) {
		with(func(d *testCase) { d.Query = text })
	}
	for _, number := range []struct {
		at    func(d *testCase) *int
		least int
	}{
		{func(d *testCase) *int { return &d.World.Entities }, 1},
		{func(d *testCase) *int { return &d.World.Rank }, 1},
		{func(d *testCase) *int { return &d.World.Facts }, 0},
		{func(d *testCase) *int { return &d.World.Relations }, 1},
		{func(d *testCase) *int { return &d.Settings.Layers }, 0},
	} {
		value := *number.at(c)
		steps := []int{number.least, number.least + (value-number.least)/2, value - 1}
		for _, step := range slices.Compact(steps) {
			if step >= number.least && step < value {
				with(func(d *testCase) { *number.at(d) = step })
			}
		}
	}
	plain := model.DefaultSettings()
	for _, change := range []func(d *testCase){
		func(d *testCase) { d.World.Table, d.World.Exact = model.Float32, "" },
		func(d *testCase) { d.World.Scale = 1 },
		func(d *testCase) { d.World.Shift = 0 },
		func(d *testCase) { d.World.Temperatures = false },
		func(d *testCase) { d.Settings.Degrees = plain.Degrees },
		func(d *testCase) { d.Settings.Alpha = plain.Alpha },
		func(d *testCase) { d.Settings.Lambda = plain.Lambda },
		func(d *testCase) { d.Settings.Weight = plain.Weight },
		func(d *testCase) { d.Settings.Epsilon = plain.Epsilon },
	} {
		with(change)
		if last := list[len(list)-1]; last.World == c.World && last.Settings == c.Settings {
			list = list[:len(list)-1]
		}
	}
	return list
}

// fit brings values within a smaller world.
func (c *testCase) fit(values map[string]int32) {
	q, err := parseTemplate(c.Query)
	if err != nil {
		return // the case cannot be run, and is left out
	}
	known := map[string]bool{}
	for _, p := range q.Params {
		known[p.Name] = true
		limit := c.World.Entities
		if p.Kind == lang.RelationKind {
			limit = 2 * c.World.Relations
		}
		values[p.Name] %= int32(limit)
	}
	for name := range values {
		if !known[name] {
			delete(values, name)
		}
	}
}

// smallerTemplates returns the templates in which one part is left out, or stands for
// the whole that it is a part of, as far as they are templates.
func smallerTemplates(text string) (list []string) {
	for i := 0; ; i++ {
		q, err := parseTemplate(text)
		if err != nil {
			return list
		}
		places := formulasOf(&q.Formula)
		if i >= 2*len(places) {
			return list
		}
		place := places[i/2]
		switch f := (*place).(type) {
		case *lang.And:
			f.Args = without(f.Args, i)
			if *place = f; len(f.Args) == 1 {
				*place = f.Args[0]
			}
		case *lang.Or:
			f.Args = without(f.Args, i)
			if *place = f; len(f.Args) == 1 {
				*place = f.Args[0]
			}
		case *lang.Not:
			*place = f.Arg
		case *lang.Exists:
			*place = f.Body
		}
		used := map[string]bool{}
		lang.Walk(q.Formula, func(f lang.Formula) {
			if a, ok := f.(*lang.Atom); ok {
				used[a.Relation.Name] = true
			}
			for _, t := range lang.Terms(f) {
				used[t.Name] = true
			}
		})
		q.Params = slices.DeleteFunc(q.Params, func(p lang.Param) bool { return !used[p.Name] })
		smaller := oneLine(q)
		if smaller == text || slices.Contains(list, smaller) {
			continue
		}
		if _, err = parseTemplate(smaller); err == nil {
			list = append(list, smaller)
		}
	}
}

// without leaves out the first argument, or the last.
func without(args []lang.Formula, i int) []lang.Formula {
	if i%2 == 0 {
		return args[1:]
	}
	return args[:len(args)-1]
}

// formulasOf returns the places of a formula and all its parts.
func formulasOf(f *lang.Formula) []*lang.Formula {
	list := []*lang.Formula{f}
	for _, part := range parts(*f) {
		list = append(list, formulasOf(part)...)
	}
	return list
}
