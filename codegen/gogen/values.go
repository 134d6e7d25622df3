package gogen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
)

// valueNames names the variables that hold a plan's values, for what they hold: the state
// of e1 at layer 2 is e1At2, its embedding e1At2Emb; the message to it by r3 is r3ToE1At2,
// made of r3ToE1At2Scores and r3ToE1At2Links. Names come from the notes of values; what
// has none is named for the value that it is computed for. Where several
// would have one name, all but the first have a letter behind it.
func valueNames(p *ir.Plan) map[*ir.Value]string {
	stems, names := map[*ir.Value]string{}, map[*ir.Value]string{}
	taken := map[string]bool{}
	for _, v := range p.Values {
		if stem := stemOf(v, stems); stem != "" {
			stems[v] = stem
			// Embeddings share the stem of their state. So may values of truth degrees:
			// their names are made different in the end.
			if _, embeds := stateOf[v.Op]; !embeds && alloc.HasBuffers(v.Space()) {
				stems[v] = distinct(taken, stem)
			}
		}
	}
	inherit(p.Values, stems)
	taken = map[string]bool{"w": true, "v": true, "x": true, "f": true, "sweep": true}
	for i := range max(p.Constants, p.Relations) {
		taken[fmt.Sprint("s", i+1)], taken[fmt.Sprint("r", i+1)] = true, true
	}
	for _, v := range p.Values {
		if alloc.Unbuffered(v) {
			continue // has no variable
		}
		suffix := suffixes[v.Op]
		if v.Op == ir.Normalize && v.Note == "" { // of a message's observed part
			suffix = "Links"
		}
		name := stems[v] + suffix
		if name == "" {
			name = v.Op.String()
		}
		names[v] = distinct(taken, strings.ToLower(name[:1])+name[1:])
	}
	return names
}

// distinct returns a name with a letter behind it if it is taken, and takes it.
func distinct(taken map[string]bool, name string) string {
	free := name
	for i := 1; taken[free]; i++ {
		free = name + string(rune('A'+i))
		if i > 24 {
			free = fmt.Sprint(name, "Z", i)
		}
	}
	taken[free] = true
	return free
}

// inherit gives the values without notes the stems of those that they are computed for.
func inherit(values []*ir.Value, stems map[*ir.Value]string) {
	given := map[*ir.Value]string{}
	for _, v := range slices.Backward(values) {
		if stems[v] == "" {
			stems[v] = given[v]
		}
		if makesRows(v) {
			continue // named for its atom, which candidates are not
		}
		for _, a := range v.Args {
			if v.Op != ir.Estimate || given[a] == "" {
				given[a] = stems[v]
			}
		}
	}
}

// suffixes say what a value is for the one that its stem names; states, messages and
// answers have none.
var suffixes = map[ir.Op]string{
	ir.OneHot: "OneHot", ir.Neighbors: "Counts", ir.Traverse: "Counts", ir.Loops: "Counts", ir.Ends: "Ends", ir.Complement: "Absent",
	ir.Elsewhere: "Elsewhere",
	ir.Project:   "Query", ir.Score: "Scores", ir.LoopScore: "Scores", ir.Softmax: "Softmax", ir.Blend: "Blend", ir.Mul: "Product",
	ir.Embed: "Emb", ir.Estimate: "Estimate", ir.Correct: "Emb", ir.Cosine: "Cosines", ir.ScaleMax: "Scaled", ir.Max: "Max",
	ir.Row: "Row", ir.Rows: "Rows", ir.Best: "Best", ir.Every: "Every", ir.Values: "Values", ir.Diagonal: "Loops", ir.Peak: "Peak",
	ir.Branch: "Branches", ir.Join: "Joined", ir.Dense: "Degrees", ir.Any: "Any", ir.Except: "Except", ir.Others: "Others", ir.Other: "Other", ir.Follow: "Followed", ir.Times: "Product",
}

// Notes of values, as package lower writes them.
var (
	messageNote = regexp.MustCompile(`^(?:layer (\d+): |each )?(\w+) -> (\w+) by !?(\w+)\(`)
	stateNote   = regexp.MustCompile(`^layer (\d+): (?:state|embedding) of (\w+)`)
	ofNote      = regexp.MustCompile(`^(?:degrees of|candidates of|values of|the best|a branch for each) (\w+)$`)
)

// stateOf holds the ops that compute the embedding of a state, and which operand that is.
var stateOf = map[ir.Op]int{ir.Embed: 0, ir.Correct: 0}

// stemOf returns what a value's note says, "" if that is nothing. The stems of values
// before it are known.
func stemOf(v *ir.Value, stems map[*ir.Value]string) string {
	if makesRows(v) { // for an atom, of which several may lead to one value
		return fmt.Sprint("r", v.Rel+1)
	}
	if m := messageNote.FindStringSubmatch(v.Note); m != nil {
		return m[4] + "To" + codegen.Exported(m[3]) + at(m[1])
	}
	if m := stateNote.FindStringSubmatch(v.Note); m != nil {
		if state, ok := stateOf[v.Op]; ok && stems[v.Args[state]] != "" {
			return stems[v.Args[state]]
		}
		return m[2] + at(m[1])
	}
	if m := ofNote.FindStringSubmatch(v.Note); m != nil && m[1] != "branch" {
		return m[1]
	}
	switch v.Op {
	case ir.Root:
		return "root"
	case ir.Mix, ir.Readout:
		return "answer"
	case ir.ScaleSum:
		if v.Args[0].Op == ir.Mul { // a readout, without what is excluded
			return "allowed"
		}
		return "union"
	case ir.Either:
		return "union"
	case ir.Mixture:
		return "mixture"
	}
	return ""
}

// at marks the layer of a name.
func at(layer string) string {
	if layer == "" {
		return ""
	}
	return "At" + layer
}
