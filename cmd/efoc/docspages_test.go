package main

// These files find the fenced blocks of Markdown, the commands in them, and the commands
// between backquotes in running text, for tests that run or check them.

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// docBlock is a fenced block.
type docBlock struct {
	// File is the path below the root, Line that of the opening fence.
	File string
	Line int
	// Language is the word behind the fence: console is a session, commands behind $ with
	// what they print; sh is commands alone, python a program.
	Language string
	// Mark is the comment before the block, <!-- WORDS: TEXT -- WORDS: TEXT -->, by its words,
	// such as "not run". Readers of the page do not see it.
	Mark map[string]string
	Text string
}

// docCommand is a command of a block.
type docCommand struct {
	Text string
	// Output is what the page says that it prints; Shown says that the page does.
	Output string
	Shown  bool
}

// commands returns the commands of a block of language console or sh. A block of Python is one.
func (b *docBlock) commands() (list []docCommand) {
	if b.Language == "python" {
		return []docCommand{{Text: "python3 - <<'END'\n" + b.Text + "END\n"}}
	}
	for line := range strings.Lines(b.Text) {
		text, prompt := strings.CutPrefix(line, "$ ")
		session := b.Language == "console"
		last := len(list) - 1
		switch {
		case session && prompt:
			list = append(list, docCommand{Text: text, Shown: true})
		case session && last >= 0 && continued(list[last].Text) && list[last].Output == "":
			list[last].Text += strings.TrimPrefix(line, "> ")
		case session && last >= 0:
			list[last].Output += line
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case last >= 0 && (continued(list[last].Text) || strings.HasPrefix(line, " ")):
			list[last].Text += line
		default:
			list = append(list, docCommand{Text: line})
		}
	}
	return list
}

// continued reports whether a command goes on in the next line: behind a backslash, or within
// quotes.
func continued(text string) bool {
	return strings.HasSuffix(text, "\\\n") || strings.Count(text, "'")%2 == 1
}

// docPage is a Markdown file.
type docPage struct {
	// Path is that below the root.
	Path   string
	Blocks []docBlock
	// Spans are the texts between backquotes outside blocks.
	Spans []string
}

var (
	fence = regexp.MustCompile("^\\s*```(\\S*)\\s*$")
	mark  = regexp.MustCompile(`^<!-- (.*) -->$`)
	span  = regexp.MustCompile("`([^`]+)`")
)

// readDocs reads every Markdown file below a folder, but those below hidden ones.
func readDocs(root string) (pages []docPage, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		pages = append(pages, parse(filepath.ToSlash(name), string(text)))
		return err
	})
	return pages, err
}

func parse(name, text string) docPage {
	p := docPage{Path: name}
	var open *docBlock
	var prose strings.Builder
	last, n := "", 0 // the line before that is not blank
	for line := range strings.Lines(text) {
		n++
		m := fence.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case open == nil && m != nil:
			open = &docBlock{File: name, Line: n, Language: m[1], Mark: marks(last)}
		case open == nil:
			prose.WriteString(line)
		case m != nil:
			p.Blocks = append(p.Blocks, *open)
			open = nil
		default:
			open.Text += line
		}
		if strings.TrimSpace(line) != "" {
			last = strings.TrimSpace(line)
		}
	}
	for _, m := range span.FindAllStringSubmatch(prose.String(), -1) {
		p.Spans = append(p.Spans, strings.Join(strings.Fields(m[1]), " "))
	}
	return p
}

// marks reads the comment before a block.
func marks(line string) map[string]string {
	found := map[string]string{}
	if m := mark.FindStringSubmatch(line); m != nil {
		for part := range strings.SplitSeq(m[1], " -- ") {
			word, text, _ := strings.Cut(part, ": ")
			found[strings.TrimSpace(word)] = strings.TrimSpace(text)
		}
	}
	return found
}
