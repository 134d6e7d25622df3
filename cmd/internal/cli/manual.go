package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// WriteManual writes the manual page of a version: the help of efoc and of all commands, with the macros of man(7).
func WriteManual(w io.Writer, app *kong.Application, version string) {
	title, description, _ := strings.Cut(app.Help, "\n")
	fmt.Fprintf(w, ".TH EFOC 1 \"\" \"efoc %s\"\n.SH NAME\nefoc \\- %s\n", version, Roff(strings.TrimPrefix(title, "efoc ")))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B efoc\n.I command\n[\\fIargument\\fR ...] [\\fIflag\\fR ...]\n.SH DESCRIPTION\n")
	writeParagraphs(w, description)
	fmt.Fprint(w, ".SH FLAGS OF ALL COMMANDS\n")
	writeFlags(w, app.Flags)
	for _, command := range app.Leaves(true) {
		fmt.Fprintf(w, ".SH \"%s\"\n%s\n", Roff(strings.ToUpper(command.FullPath())), Roff(command.Help))
		fmt.Fprintf(w, ".PP\n.B efoc %s\n", Roff(command.Summary()))
		writeParagraphs(w, command.Detail)
		writeFlags(w, command.Flags)
	}
}

// writeParagraphs writes a text of the help. Indented lines stay unchanged.
func writeParagraphs(w io.Writer, text string) {
	for part := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(part, " ") {
			fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", Roff(part))
		} else {
			fmt.Fprintf(w, ".PP\n%s\n", Roff(part))
		}
	}
}

func writeFlags(w io.Writer, flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		short := ""
		if f.Short != 0 {
			short = fmt.Sprintf("-%c, ", f.Short)
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", Roff(short+strings.Trim(f.Summary(), "[]")), Roff(f.Help))
	}
}

// Roff escapes a text, so that no line begins with a macro.
func Roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
