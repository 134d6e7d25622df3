package cli

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v4"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/regularfile"
)

// maxConfig bounds the bytes of a file of flags.
const maxConfig = 1 << 20

// ConfigFlag is a YAML file with flags, by the names of commands and flags:
//
//	serve:
//	  listen: :8080
//	  max: [k=100, in-flight=64]
type ConfigFlag string

// BeforeResolve is called by kong before it resolves flags.
func (ConfigFlag) BeforeResolve(k *kong.Kong, ctx *kong.Context, at *kong.Path) error {
	path := string(ctx.FlagValue(at.Flag).(ConfigFlag))
	if path == "" { // the environment variable is empty
		return nil
	}
	text, err := regularfile.Read(path, maxConfig)
	if err != nil {
		return err
	}
	values, err := ReadConfig(path, text, k.Model)
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

// ReadConfig parses a file of flags: it returns a text for each flag, or a list of texts.
func ReadConfig(path string, text []byte, app *kong.Application) (map[*kong.Flag]any, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: not in UTF-8", path)
	}
	// A line end of YAML 1.1, by which the parser counts lines.
	lineEnd := regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")
	r := &configReader{path: path, lines: lineEnd.Split(string(text), -1), values: map[*kong.Flag]any{}}

	var documents []yaml.Node
	err := yaml.Load(text, &documents, yaml.WithAllDocuments())
	wrong, ok := errors.AsType[*yaml.LoadError](err)
	switch {
	case ok && wrong.Mark.Line > 0:
		r.add(wrong.Mark.Line, wrong.Mark.Column, "", "%s", wrong.Message)
		return nil, r.mistakes
	case ok: // for example control characters
		return nil, fmt.Errorf("%s: %s", path, wrong.Message)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	for i, document := range documents {
		if i > 0 {
			r.addAt(&document, "leave out the line ---", "a second document, want one")
			break
		}
		eachKey(r, document.Content[0], "command", app.Leaves(true), func(c *kong.Node) string { return c.Name }, func(c *kong.Node, flags *yaml.Node) {
			visible := slices.DeleteFunc(slices.Clone(c.Flags), func(f *kong.Flag) bool { return f.Hidden })
			eachKey(r, flags, "flag", visible, func(f *kong.Flag) string { return f.Name }, r.flag)
		})
	}
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	return r.values, nil
}

// behind returns the target of an alias, and other nodes unchanged.
func behind(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// eachKey calls read for the keys of a mapping. Each key must name an element of list.
func eachKey[T any](r *configReader, mapping *yaml.Node, what string, list []T, name func(T) string, read func(T, *yaml.Node)) {
	if behind(mapping).Kind != yaml.MappingNode {
		r.addAt(mapping, "", "want %ss, with a colon behind each name", what)
		return
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(behind(mapping).Content, 2) {
		key := behind(pair[0]).Value
		at := slices.IndexFunc(list, func(x T) bool { return name(x) == key })
		switch {
		case at < 0:
			r.addAt(pair[0], "there is "+Nearest(key, NamesOf(list, name)), "unknown %s %q", what, key)
		case seen[key]:
			r.addAt(pair[0], "", "%s %s is here twice", what, key)
		default:
			read(list[at], pair[1])
		}
		seen[key] = true
	}
}

// flag reads the value of a flag.
func (r *configReader) flag(f *kong.Flag, value *yaml.Node) {
	var given any
	if list := behind(value); list.Kind == yaml.SequenceNode {
		texts := []any{}
		for _, item := range list.Content {
			text, ok := r.text(f, item)
			if !ok {
				return
			}
			texts = append(texts, text)
		}
		given = texts
	} else {
		text, ok := r.text(f, value)
		if !ok {
			return
		}
		given = text
	}

	trial := reflect.New(f.Target.Type()).Elem()
	if err := f.Parse(kong.Scan().PushTyped(given, kong.FlagValueToken), trial); err != nil {
		r.addAt(value, "", "%w", err)
	}
	r.values[f] = given
}

// text returns the text of a scalar, and reports any other value.
func (r *configReader) text(f *kong.Flag, value *yaml.Node) (text string, ok bool) {
	scalar := behind(value)
	if scalar.Kind != yaml.ScalarNode || scalar.ShortTag() == "!!null" {
		r.addAt(value, "", "want a value for %s", f.Name)
		return "", false
	}
	return scalar.Value, true
}

// addAt records a mistake at a node.
func (r *configReader) addAt(at *yaml.Node, hint, format string, args ...any) {
	r.add(at.Line, at.Column, hint, format, args...)
}

// add records a mistake.
func (r *configReader) add(line, column int, hint, format string, args ...any) {
	e := &lang.Error{Pos: ast.Pos{File: r.path, Line: line, Col: column}, Msg: fmt.Errorf(format, args...).Error(), Hint: hint}
	if line >= 1 && line <= len(r.lines) { // the end of the text may be on its own line
		e.Line = r.lines[line-1]
	}
	r.mistakes = append(r.mistakes, e)
}
