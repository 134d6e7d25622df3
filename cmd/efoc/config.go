package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/efoc/efoc/lang"
)

// configFlag is a file of YAML that gives flags, by the names of commands and flags:
//
//	serve:
//	  listen: :8080
//	  max: [k=100, in-flight=64]
type configFlag string

// BeforeResolve is called by kong before it asks where else flags get their values from.
func (configFlag) BeforeResolve(k *kong.Kong, ctx *kong.Context, at *kong.Path) error {
	path := string(ctx.FlagValue(at.Flag).(configFlag))
	if path == "" { // the variable of the environment is empty
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	values, err := readConfig(path, text, k.Model)
	if err != nil {
		return err
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
		for _, variable := range append(slices.Clone(f.Envs), f.Tag.Get("instead")) {
			if os.Getenv(variable) != "" {
				return nil, nil
			}
		}
		return values[f], nil
	}))
	return nil
}

// configReader reads a file of flags and collects the mistakes in it.
type configReader struct {
	path     string
	lines    []string
	values   map[*kong.Flag]any
	mistakes lang.ErrorList
}

// readConfig returns what a file of flags gives: for each flag a text, or a list of them.
func readConfig(path string, text []byte, app *kong.Application) (map[*kong.Flag]any, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &configReader{path: path, lines: strings.Split(string(text), "\n"), values: map[*kong.Flag]any{}}
	for _, document := range file.Content {
		eachKey(r, document, "command", app.Leaves(true), func(c *kong.Node) string { return c.Name }, func(c *kong.Node, flags *yaml.Node) {
			visible := slices.DeleteFunc(slices.Clone(c.Flags), func(f *kong.Flag) bool { return f.Hidden })
			eachKey(r, flags, "flag", visible, func(f *kong.Flag) string { return f.Name }, r.flag)
		})
	}
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	return r.values, nil
}

// eachKey calls read for the keys of a mapping, each of which names one of a list.
func eachKey[T any](r *configReader, mapping *yaml.Node, what string, list []T, name func(T) string, read func(T, *yaml.Node)) {
	if mapping.Kind != yaml.MappingNode {
		r.add(mapping, "", "want %ss, with a colon behind each name", what)
		return
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(mapping.Content, 2) {
		key := pair[0].Value
		at := slices.IndexFunc(list, func(x T) bool { return name(x) == key })
		switch {
		case at < 0:
			r.add(pair[0], "there is "+nearest(key, namesOf(list, name)), "unknown %s %q", what, key)
		case seen[key]:
			r.add(pair[0], "", "%s %s is here twice", what, key)
		default:
			read(list[at], pair[1])
		}
		seen[key] = true
	}
}

// flag reads the value of a flag.
func (r *configReader) flag(f *kong.Flag, value *yaml.Node) {
	var given any = value.Value
	if value.Kind == yaml.SequenceNode {
		list := []any{}
		for _, item := range value.Content {
			list = append(list, item.Value)
		}
		given = list
	} else if value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
		r.add(value, "", "want a value for %s", f.Name)
		return
	}
	trial := reflect.New(f.Target.Type()).Elem()
	if err := f.Parse(kong.Scan().PushTyped(given, kong.FlagValueToken), trial); err != nil {
		r.add(value, "", "%w", err)
	}
	r.values[f] = given
}

// add notes a mistake.
func (r *configReader) add(at *yaml.Node, hint, format string, args ...any) {
	r.mistakes = append(r.mistakes, &lang.Error{
		Pos: lang.Pos{File: r.path, Line: at.Line, Col: at.Column},
		Msg: fmt.Errorf(format, args...).Error(), Hint: hint, Line: r.lines[max(1, at.Line)-1],
	})
}
