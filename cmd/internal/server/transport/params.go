package transport

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/lang/nearest"
)

// params are the parameters of a query string. Lists may be given in parts, which are joined by commas
// here.
type Params map[string]string

// lists are the parameters that may be given several times.
var lists = []string{"status", "show"}

// ReadParams reads the query string of a request, which may have the parameters of the
// given names.
func ReadParams(r *http.Request, names ...string) (Params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, problem.Bad("the parameters of the request cannot be read: %w", err)
	}
	ps := Params{}
	for name, list := range values {
		switch {
		case !slices.Contains(names, name):
			if near := nearest.Names(name, names, 1); len(near) > 0 {
				return nil, problem.Bad("unknown parameter %q: did you mean %s?", name, near[0])
			}
			return nil, problem.Bad("unknown parameter %q: there is %s", name, strings.Join(names, ", "))
		case len(list) > 1 && !slices.Contains(lists, name):
			return nil, problem.Bad("%s is given %d times, want it once", name, len(list))
		}
		ps[name] = strings.Join(list, ",")
		if !utf8.ValidString(ps[name]) {
			return nil, problem.Bad("%s is not in UTF-8", name)
		}
	}
	return ps, nil
}

// read sets a variable to the parameter of that name, if it is given. A list has commas between
// its elements.
func (ps Params) Read(name string, to any) (err error) {
	text, given := ps[name]
	list, isList := to.(*[]string)
	switch {
	case given && isList:
		*list = strings.Split(text, ",")
		return nil
	case text == "":
		return nil
	}
	want := "a number"
	switch to := to.(type) {
	case *bool:
		want = "true or false"
		*to, err = strconv.ParseBool(text)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	case **int:
		*to = new(int)
		**to, err = strconv.Atoi(text)
	}
	if err != nil {
		return problem.Bad("%s is %q, want %s", name, text, want)
	}
	return nil
}
