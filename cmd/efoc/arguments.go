package main

import (
	"strings"

	"github.com/efoc/efoc/lang"
)

// arguments reads the values of --set and checks them against the query's
// parameters.
func arguments(q *lang.Query, set []string) (map[string]string, error) {
	names := make([]string, len(q.Params))
	known := make(map[string]bool, len(q.Params))
	for i, p := range q.Params {
		names[i] = p.Name
		known[p.Name] = true
	}
	args := make(map[string]string, len(set))
	for _, s := range set {
		name, value, ok := strings.Cut(s, "=")
		name = strings.TrimPrefix(strings.TrimSpace(name), "$")
		value = strings.TrimSpace(value)
		_, twice := args[name]
		switch {
		case !ok || value == "":
			return nil, usagef("--set %s: want PARAMETER=NAME, such as --set %s", s, example(q))
		case len(names) == 0:
			return nil, usagef("--set %s: the query has no parameters", s)
		case twice:
			return nil, usagef("--set gives %s twice", name)
		case !known[name]:
			if near := lang.Nearest(name, names, 3); len(near) > 0 {
				names = near
			}
			return nil, usagef("--set %s: the query has no parameter %s; there is %s", s, name, strings.Join(names, ", "))
		}
		args[name] = value
	}
	var missing []string
	for _, p := range q.Params {
		if _, ok := args[p.Name]; !ok {
			missing = append(missing, "--set "+p.Name+"="+strings.ToUpper(p.Kind.String()))
		}
	}
	if len(missing) > 0 {
		return nil, usagef("parameters without a value: add %s", strings.Join(missing, " "))
	}
	return args, nil
}

// example returns a setting that the query could take.
func example(q *lang.Query) string {
	for _, p := range q.Params {
		if p.Kind == lang.EntityKind {
			return "'" + p.Name + "=France'"
		}
	}
	return "s1=France"
}
