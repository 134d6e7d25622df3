package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang/benchmark"
)

// completionCmd prints a shell's commands that set up completion. The shell then runs efoc with the command line in
// COMP_LINE and the position of the cursor in COMP_POINT.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Run(a *app) error {
	const bash = "complete -o default -o bashdefault -C efoc efoc\n"
	switch c.Shell {
	case "bash":
		fmt.Fprint(a.stdout, bash)
	case "zsh":
		fmt.Fprint(a.stdout, "autoload -U +X bashcompinit && bashcompinit\n", bash)
	case "fish":
		fmt.Fprint(a.stdout, fish)
	}
	return nil
}

// fish adds the space after the last word, which commandline drops.
const fish = `function __efoc_choices
    set -lx COMP_LINE (commandline -cp)
    if test -z (commandline -ct)
        set COMP_LINE "$COMP_LINE "
    end
    efoc
end
complete -c efoc -f -a '(__efoc_choices)'
`

// complete prints what may stand at the cursor of a command line, one choice a line.
func complete(w io.Writer, commands *kong.Node, line, cursor string) {
	if at, err := strconv.Atoi(cursor); err == nil && at >= 0 && at < len(line) {
		line = line[:at]
	}
	words := strings.Fields(line)
	if strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	if len(words) < 2 {
		return
	}
	before := words[1 : len(words)-1]
	word := words[len(words)-1]
	if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "-") {
		before = append(before, flag)
		word = value
	}
	for _, choice := range choices(commands, before, word) {
		if strings.HasPrefix(choice, word) {
			fmt.Fprintln(w, choice)
		}
	}
}

// choices returns the words that start with the beginning and may follow the words before it.
func choices(node *kong.Node, before []string, word string) []string {
	flags := node.Flags
	position := 0
	var value *kong.Value // the next word is a value of it
	for _, w := range before {
		child := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == w })
		switch {
		case value != nil:
			value = nil
		case strings.HasPrefix(w, "-"):
			value = valueOfFlag(flags, w)
		case child >= 0:
			node = node.Children[child]
			flags = append(slices.Clip(flags), node.Flags...)
		default:
			position++
		}
	}

	var list []string
	switch {
	case value != nil:
		return valuesOf(value, word)
	case strings.HasPrefix(word, "-"):
		for _, f := range flags {
			if f.Hidden {
				continue
			}
			list = append(list, "--"+f.Name)
			if f.Short != 0 {
				list = append(list, "-"+string(f.Short))
			}
		}
	case len(node.Positional) > 0:
		return valuesOf(node.Positional[min(position, len(node.Positional)-1)], word)
	default:
		for _, n := range node.Children {
			if !n.Hidden {
				list = append(list, n.Name)
			}
		}
	}
	return list
}

// valueOfFlag returns the value that follows a flag, nil if none does.
func valueOfFlag(flags []*kong.Flag, name string) *kong.Value {
	for _, f := range flags {
		if (name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short)) && !f.IsBool() {
			return f.Value
		}
	}
	return nil
}

// valuesOf returns choices for a flag or an argument, by its tag "predictor" or its list of values.
func valuesOf(v *kong.Value, word string) []string {
	switch kind := v.Tag.Get("predictor"); kind {
	case "efo":
		return filesNamed(word, "*."+kind)
	case "model":
		return filesNamed(word, "*.efoc")
	case "file":
		return filesNamed(word, "*")
	case "shape":
		return cli.NamesOf(benchmark.Shapes, shapeName)
	case "protocol":
		return []string{string(sample.BetaE), string(sample.FIT)}
	}
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// filesNamed returns the files that match a pattern and the folders whose paths begin with a text. If that is one folder,
// its files are choices too: a shell ends the word after the only choice.
func filesNamed(beginning, pattern string) (list []string) {
	folder, prefix := filepath.Split(beginning)
	entries, _ := os.ReadDir(cmp.Or(folder, ".")) // no choices in a folder that cannot be read
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := folder + e.Name()
		info, err := os.Stat(path)
		matches, _ := filepath.Match(pattern, e.Name())
		switch {
		case err == nil && info.IsDir():
			list = append(list, path+"/")
		case matches:
			list = append(list, path)
		}
	}
	if len(list) == 1 && strings.HasSuffix(list[0], "/") {
		list = append(list, filesNamed(list[0], pattern)...)
	}
	return list
}
