package explain

import (
	"fmt"
	"io"

	"github.com/efoc/efoc/runtime/model"
	"github.com/emicklei/dot"
)

// DOT writes the query graph for graphviz: a cluster a disjunct, the free
// variable in a double circle, constants in boxes, negated edges dashed and red.
func (r *Report) DOT(w io.Writer) error {
	g := dot.NewGraph(dot.Directed)
	g.Attr("rankdir", "LR")
	g.Attr("label", r.title())
	g.Attr("labelloc", "t")
	for i := range r.Disjuncts {
		d := &r.Disjuncts[i]
		// Clusters are written in the order of their ids.
		cluster := g.Subgraph(fmt.Sprintf("disjunct %04d", i+1), dot.ClusterOption{})
		label := fmt.Sprintf("D = %d, L = %d", d.D, d.L)
		if r.Semantics == model.FIT { // without layers
			label = "truth degrees"
		}
		if len(r.Disjuncts) > 1 {
			label = fmt.Sprintf("disjunct %d: %s", i+1, label)
		}
		cluster.Label(label)
		nodes := map[string]dot.Node{}
		for _, t := range d.Terms {
			nodes[t.ID] = cluster.Node(fmt.Sprintf("%d/%s", i, t.ID)).Attr("label", t.Name+"\n"+t.ID).Attr("shape", shapes[t.Kind])
		}
		for _, e := range d.Edges {
			edge := cluster.Edge(nodes[e.Head], nodes[e.Tail])
			switch {
			case e.Unequal:
				edge.Attr("label", e.Relation).Attr("style", "dashed").Attr("color", "red").Attr("fontcolor", "red").Attr("dir", "none")
			case e.Negated:
				edge.Attr("label", "not "+e.Relation).Attr("style", "dashed").Attr("color", "red").Attr("fontcolor", "red")
			default:
				edge.Attr("label", e.Relation)
			}
		}
	}
	_, err := io.WriteString(w, g.String())
	return err
}

// shapes are the node shapes of the kinds of terms.
var shapes = map[TermKind]string{Free: "doublecircle", Existential: "circle", Constant: "box"}

// title names the shape in one line.
func (r *Report) title() string {
	if r.ShapeName != "" {
		return r.ShapeName + ": " + r.Shape
	}
	return r.Shape
}
