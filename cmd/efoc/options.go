package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/training"
)

// option is a name that a flag of the form --FLAG NAME=VALUE takes.
type option struct {
	name, help string
	// set takes the value.
	set func(text string) error
}

// optionList is the type of such a flag. It may be given several times, and several names at
// once, with commas between them.
type optionList []string

// set sets the values that the flag gives.
func (l optionList) set(flag string, options []option) error {
	seen := map[string]bool{}
	for _, item := range l.items() {
		name, value, ok := strings.Cut(item, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || value == "" {
			return usagef("%s %s: want NAME=VALUE", flag, item)
		}
		at := slices.IndexFunc(options, func(o option) bool { return o.name == name })
		if at < 0 {
			return usagef("%s %s: unknown name %q; there is %s", flag, item, name, nearest(name, namesOf(options, func(o option) string { return o.name })))
		}
		if seen[name] {
			return usagef("%s gives %s twice", flag, name)
		}
		seen[name] = true
		if err := options[at].set(value); err != nil {
			return usagef("%s %s: %w", flag, item, err)
		}
	}
	return nil
}

// items splits at the commas before a name: columns=a,b,c is one item.
func (l optionList) items() []string {
	var items []string
	for _, text := range l {
		for i, part := range strings.Split(text, ",") {
			if i > 0 && !strings.Contains(part, "=") {
				items[len(items)-1] += "," + part
				continue
			}
			items = append(items, part)
		}
	}
	return items
}

// optionHelp returns a table of the names that the flags of a command take, for its help. The
// tag "options" of such a flag is the key in tables.
func optionHelp(command *kong.Node) string {
	var b strings.Builder
	for _, f := range command.Flags {
		options, ok := optionTables[f.Tag.Get("options")]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n\n--%s takes:\n\n", f.Name)
		width := 0
		for _, o := range options {
			width = max(width, len(o.name))
		}
		for _, o := range options {
			fmt.Fprintf(&b, "    %-*s  %s\n", width, o.name, o.help)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// optionTables are the names and their help, by key.
var optionTables = map[string][]option{
	"settings": settingOptions(nil),
	"triples":  new(tripleFormat).options(),
	"limits":   new(serveLimits).options(),
	"trainer":  trainerOptions(new(training.Given)),
}
