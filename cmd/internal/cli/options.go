package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Option is a name for a flag of the form --FLAG NAME=VALUE.
type Option struct {
	Name, Help string
	// Sign, if not empty, is part of each value: an item with it needs no NAME=, and may be repeated.
	Sign string
	// Set stores the value.
	Set func(text string) error
}

// OptionList is the type of such a flag. It may be repeated, and may have several names at once, separated by commas.
type OptionList []string

// Set stores the values of the flag.
func (l OptionList) Set(flag string, options []Option) error {
	seen := map[string]bool{}
	for _, item := range l.items() {
		name, value, ok := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		value = strings.TrimSpace(value)
		bare := slices.IndexFunc(options, func(o Option) bool { return o.Sign != "" && strings.Contains(item, o.Sign) })
		if !ok && bare >= 0 {
			name = options[bare].Name
			value = strings.TrimSpace(item)
			ok = true
		}
		if !ok || value == "" {
			return Usagef("%s %s: want NAME=VALUE", flag, item)
		}
		at := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
		if at < 0 {
			return Usagef("%s %s: unknown name %q; there is %s", flag, item, name, Nearest(name, NamesOf(options, func(o Option) string { return o.Name })))
		}
		if seen[name] && options[at].Sign == "" {
			return Usagef("%s gives %s twice", flag, name)
		}
		seen[name] = true
		if err := options[at].Set(value); err != nil {
			return Usagef("%s %s: %w", flag, item, err)
		}
	}
	return nil
}

// items splits at the commas before a name: columns=a,b,c is one item.
func (l OptionList) items() []string {
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

// OptionHelp returns a table of the names for a command's flags, for its help. The tag "options" of such a flag is
// the key in tables.
func OptionHelp(command *kong.Node, tables map[string][]Option) string {
	var b strings.Builder
	for _, f := range command.Flags {
		options, ok := tables[f.Tag.Get("options")]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n\n--%s takes:\n\n", f.Name)
		width := 0
		for _, o := range options {
			width = max(width, len(o.Name))
		}
		for _, o := range options {
			fmt.Fprintf(&b, "    %-*s  %s\n", width, o.Name, o.Help)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
