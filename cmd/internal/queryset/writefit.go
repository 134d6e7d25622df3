package queryset

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang"
)

// fitTypes are the groups in the order of FIT's numbers: BetaE's 14, then FIT's.
var fitTypes = []string{
	"1p", "2p", "3p", "2i", "3i", "ip", "pi", "2in", "3in", "inp", "pin", "pni" + universal, "2u", "up",
	"pni", "2il", "3il", "2m", "2nm", "3mp", "3pm", "im", "3c", "3cm",
}

// fitFormulas are those that FIT's programs know in their own order. The others are the
// shapes with all brackets, opened to the right.
var fitFormulas = map[string]string{
	"pni":             "((r1(s1,e1))&(!(r2(e1,f1))))&(r3(s2,f1))",
	"pni" + universal: "((r1(s1,e1))&(!(r2(e1,f1))))&(r3(s2,f1))",
	"up":              "((r1(s1,e1))&(r3(e1,f1)))|((r2(s2,e1))&(r3(e1,f1)))",
	"3c":              "(r1(s1,e1))&((r2(s2,e2))&((r3(e1,e2))&((r4(e1,f1))&(r5(e2,f1)))))",
	"3cm":             "(r1(s1,e1))&((r2(s2,e2))&((r3(e1,f1))&((r4(e1,f1))&((r5(e1,e2))&(r6(e2,f1))))))",
	"2u" + deMorgan:   "!((!(r1(s1,f1)))&(!(r2(s2,f1))))",
	"up" + deMorgan:   "(!((!(r1(s1,e1)))&(!(r2(s2,e1)))))&(r3(e1,f1))",
}

// fitGroup is a group as FIT writes it.
type fitGroup struct {
	*Group
	key   string
	slots []lang.Param // the template's parameters as the key names them
}

// fit writes the files of FIT: one for each formula, or one for all of the training split.
func (w *writer) fit(set *Set) error {
	var groups []fitGroup
	keys := map[string]string{}
	single := w.options.Split == "train"
	for _, g := range set.Groups {
		f, err := g.fit()
		if err != nil {
			return err
		}
		if other, ok := keys[f.key]; ok && single {
			return fmt.Errorf("groups %s and %s have the same formula, %s, and one file holds each once: convert only one of them", other, g.Name, f.key)
		}
		keys[f.key] = g.Name
		groups = append(groups, f)
	}
	path := filepath.Join(w.path, w.options.Split)
	if single {
		return w.fitFile(path+"_qaa.json", groups)
	}
	next := len(fitTypes)
	for i, g := range groups {
		number := slices.Index(fitTypes, g.Name)
		if number < 0 {
			number, next = next, next+1
		}
		name := fmt.Sprintf("%s_type%04d_real_EFO1_qaa.json", path, number)
		if err := w.fitFile(name, groups[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// fit returns the group as FIT's programs want it.
func (g *Group) fit() (fitGroup, error) {
	if g.isTemplate() {
		return fitGroup{}, fmt.Errorf("group %s is a template: FIT's files only have benchmark formulas", g.Name)
	}
	key := fitFormulas[g.Name]
	if key == "" {
		b := bracketer{free: g.Template.Free}
		key = b.text(g.Template.Formula)
	}
	f, err := parseForm(key)
	if err != nil {
		return fitGroup{}, fmt.Errorf("group %s: %w", g.Name, err)
	}
	if len(f.params) != len(g.Template.Params) {
		return fitGroup{}, fmt.Errorf("internal error: group %s has %d slots, but %d in %s", g.Name, len(g.Template.Params), len(f.params), key)
	}
	return fitGroup{g, key, f.params}, nil
}

// bracketer prints formulas with all brackets, in which the free variable is f1.
type bracketer struct{ free string }

func (b *bracketer) text(f lang.Formula) string {
	switch f := f.(type) {
	case *lang.Exists:
		return b.text(f.Body)
	case *lang.Not:
		return "!(" + b.text(f.Arg) + ")"
	case *lang.And:
		return b.join(f.Args, "&")
	case *lang.Or:
		return b.join(f.Args, "|")
	case *lang.Atom:
		names := []string{f.Head.Name, f.Tail.Name}
		for i, t := range []lang.Term{f.Head, f.Tail} {
			if t.Kind == lang.Variable && t.Name == b.free {
				names[i] = "f1"
			}
		}
		return f.Relation.Name + "(" + strings.Join(names, ",") + ")"
	}
	panic(fmt.Sprintf("internal error: queryset: unknown formula %T", f))
}

// join brackets two at a time, from the right.
func (b *bracketer) join(args []lang.Formula, op string) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = "(" + b.text(a) + ")"
	}
	text := texts[len(texts)-1]
	for i := len(texts) - 2; i >= 0; i-- {
		text = "(" + texts[i] + op + text + ")"
	}
	return text[1 : len(text)-1]
}

// fitFile writes groups into a file.
func (w *writer) fitFile(path string, groups []fitGroup) error {
	return w.file(path, func(to io.Writer) error {
		write := func(text string) { _, _ = io.WriteString(to, text) } // the buffer keeps the error
		write("{")
		for i, g := range groups {
			if i > 0 {
				write(", ")
			}
			key, err := json.Marshal(g.key)
			if err != nil {
				return err
			}
			write(strings.ReplaceAll(string(key), `\u0026`, "&") + ": [")
			for j, q := range g.Queries {
				if err := w.step(path); err != nil {
					return err
				}
				if j > 0 {
					write(", ")
				}
				write(g.fitEntry(q))
			}
			write("]")
		}
		write("}\n")
		return nil
	})
}

// fitEntry writes [slots, easy, hard].
func (g *fitGroup) fitEntry(q Query) string {
	line := []byte("[{")
	for i, p := range g.slots {
		if i > 0 {
			line = append(line, ", "...)
		}
		line = append(strconv.AppendQuote(line, p.Name), ": "...)
		line = strconv.AppendInt(line, int64(q.Args[i]), 10)
	}
	line = append(line, '}')
	for _, ids := range [][]int32{q.Easy, q.Hard} {
		line = append(appendIDs(append(line, `, {"f1": `...), ids, "[", "]"), '}')
	}
	return string(append(line, ']'))
}
