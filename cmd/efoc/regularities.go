package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

const (
	// oneValued is the share of heads with one tail above which info calls a relation one-valued.
	oneValued = 0.95
	// regular is the share of facts above which info reports a regularity.
	regular = 0.5
)

// endText describes the number of tails per head of a directed relation, such as "one, 99.8%" or "2.7".
func endText(facts int, e graph.End) string {
	if e.Heads == 0 {
		return ""
	}
	if one := 1 - float64(e.Several)/float64(e.Heads); one >= oneValued {
		return "one" + shareText(one)
	}
	return strconv.FormatFloat(float64(facts)/float64(e.Heads), 'f', 1, 64)
}

// shareText describes the share that has a property, empty if all have it.
func shareText(share float64) string {
	if share == 1 {
		return ""
	}
	return ", " + formatShare(share)
}

// formatShare formats a share in percent; only the whole is 100%, and only nothing is 0%.
func formatShare(share float64) string {
	percent := min(99.9, max(0.1, 100*share))
	switch {
	case share == 0 || share == 1:
		percent = 100 * share
	case percent >= 1 && percent < 99:
		return strconv.FormatFloat(percent, 'f', 0, 64) + "%"
	}
	return strconv.FormatFloat(percent, 'g', 3, 64) + "%"
}

// regularityText describes what most facts of a relation have in common.
func regularityText(m *runtime.Model, r graph.RelationID) string {
	x := &m.Bundle().Manifest.Regularities[r/2]
	facts := x.Facts
	if facts == 0 {
		return ""
	}
	var texts []string
	say := func(share float64, text string) { texts = append(texts, text+shareText(share)) }
	if x.Loops == 0 {
		say(1, "never of itself")
	} else {
		texts = append(texts, "of itself, "+formatShare(float64(x.Loops)/float64(facts)))
	}
	if plain := facts - x.Loops; plain > 0 {
		if share := float64(x.Symmetric) / float64(plain); share >= regular {
			say(share, "symmetric")
		}
	}
	for _, o := range x.Overlaps {
		here := float64(o.Facts) / float64(facts)
		there := float64(o.Facts) / float64(m.Bundle().Manifest.Regularities[o.With/2].Facts)
		name := m.RelationName(o.With &^ 1)
		switch {
		case o.With.IsInverse() && min(here, there) >= regular:
			say(here, "inverse of "+name)
		case min(here, there) >= regular:
			say(here, "same as "+name)
		case here >= regular && o.With.IsInverse():
			say(here, "implies the inverse of "+name)
		case here >= regular:
			say(here, "implies "+name)
		case there >= regular && o.With.IsInverse():
			say(there, "implied by the inverse of "+name)
		case there >= regular:
			say(there, "implied by "+name)
		}
	}
	return strings.Join(texts, "; ")
}

// row returns the row of a relation in info's table.
func (r *relationInfo) row(name string) []string {
	return []string{name, strconv.Itoa(r.Facts), strconv.Itoa(r.Heldout), endText(r.Facts, r.Ends[0]), endText(r.Facts, r.Ends[1]), r.text, r.Example}
}

// missingText describes the share of missing facts that confidence assumes.
func missingText(m model.Missing) string {
	text := fmt.Sprintf("confidence assumes that %s of the facts are missing (%s were held out to fit it)", formatShare(m.Assumed), formatShare(m.HeldOut))
	for _, name := range slices.Sorted(maps.Keys(m.Relations)) {
		if share := m.Relations[name]; share == 0 {
			text += fmt.Sprintf("; %s is complete", name)
		} else {
			text += fmt.Sprintf("; %s of the facts of %s", formatShare(share), name)
		}
	}
	return text
}

// share is a share of facts, written as 5% or 0.05.
type share float64

func (s *share) UnmarshalText(text []byte) error {
	x, err := parseShare(string(text))
	if err != nil || !(x > 0 && x <= 0.5) {
		return fmt.Errorf("%q is no share of the facts above 0 and up to 50%%, such as 5%%", text)
	}
	*s = share(x)
	return nil
}

// decodeShare decodes a flag that may be in percent.
func decodeShare(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("share", &text); err != nil {
		return err
	}
	x, err := parseShare(text)
	if err != nil {
		return fmt.Errorf("%q is no share, such as 90%%", text)
	}
	target.SetFloat(x)
	return nil
}

// parseShare reads a number that may be in percent.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	return x, err
}

// relationInfo is a relation with the number of its facts.
type relationInfo struct {
	Name    string `json:"name"`
	Label   string `json:"label"`
	Facts   int    `json:"facts"`
	Heldout int    `json:"heldout"`
	// Regularity holds statistics of the facts.
	graph.Regularity
	// Example is one of its facts, head -> tail, empty if there is none.
	Example string `json:"example"`

	text string // description of the regularity
}

// describeRelation counts the facts of a relation.
func describeRelation(m *runtime.Model, r graph.RelationID) relationInfo {
	heads, tails := m.Bundle().Graph.Edges(r)
	info := relationInfo{Name: m.RelationName(r), Label: m.Bundle().Relations.Label(int32(r / 2)), Facts: len(heads), Regularity: m.Bundle().Manifest.Regularities[r/2], text: regularityText(m, r)}
	if m.Bundle().Heldout != nil {
		held, _ := m.Bundle().Heldout.Edges(r)
		info.Heldout = len(held)
	}
	if len(heads) > 0 {
		middle := len(heads) / 2
		info.Example = m.EntityLabel(graph.EntityID(heads[middle])) + " -> " + m.EntityLabel(graph.EntityID(tails[middle]))
	}
	return info
}
