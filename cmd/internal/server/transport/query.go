package transport

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/bounds"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/lang/nearest"
)

// ReadQuery fills a request from the query string. A parameter sets the field with its JSON name. Lists may be
// repeated and comma-separated; a list tagged query:"whole" may only be repeated. Fields tagged query:"-" exist only
// in JSON.
func ReadQuery(r *http.Request, into any) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problem.Bad("the parameters of the request cannot be read: %w", err)
	}
	names, fields := parameters(into)
	for name, list := range values {
		i := slices.Index(names, name)
		if i < 0 {
			if near := nearest.Names(name, names, 1); len(near) > 0 {
				return problem.Bad("unknown parameter %q: did you mean %s?", name, near[0])
			}
			return problem.Bad("unknown parameter %q: there is %s", name, strings.Join(names, ", "))
		}
		if err := fields[i].set(name, list); err != nil {
			return err
		}
	}
	return checkBounds(into)
}

// field is a field of a request.
type field struct {
	value reflect.Value
	tag   reflect.StructTag
}

// parameters returns the fields of a request that a query string can set, and their names.
func parameters(request any) (names []string, fields []field) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(request).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || f.Tag.Get("query") == "-" {
			continue
		}
		names = append(names, name)
		fields = append(fields, field{reflect.ValueOf(request).Elem().FieldByIndex(f.Index), f.Tag})
	}
	return names, fields
}

// set sets the field from its parameter's values.
func (f *field) set(name string, given []string) (err error) {
	to := f.value
	text := strings.Join(given, ",")
	switch {
	case !utf8.ValidString(text):
		return problem.Bad("%s is not in UTF-8", name)
	case f.tag.Get("query") == "whole":
		to.Set(reflect.ValueOf(given))
		return nil
	case to.Kind() == reflect.Slice:
		to.Set(reflect.ValueOf(strings.Split(text, ",")))
		return nil
	case len(given) > 1:
		return problem.Bad("%s is given %d times, want it once", name, len(given))
	case text == "":
		return nil
	}
	want := "a number"
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
	case reflect.Bool:
		want = "true or false"
		var is bool
		is, err = strconv.ParseBool(text)
		to.SetBool(is)
	case reflect.Int:
		var n int
		n, err = strconv.Atoi(text)
		to.SetInt(int64(n))
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		to.SetFloat(x)
	}
	if err != nil {
		return problem.Bad("%s is %q, want %s", name, text, want)
	}
	return nil
}

// checkBounds checks the numbers of a request against the bounds of its fields.
func checkBounds(request any) error {
	names, fields := parameters(request)
	for i, f := range fields {
		if f.tag.Get("least") == "" {
			continue
		}
		if want := bounds.Want(f.tag, f.value.Int()); want != "" {
			return problem.Bad("%s is %d, want %s", names[i], f.value.Int(), want)
		}
	}
	return nil
}
