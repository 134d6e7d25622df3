package cugen

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// program prints the kernels of one program and says how to launch them.
type program struct {
	*lowering
	prefix   string
	text     strings.Builder
	launches []device.Launch
}

func (p *program) printf(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// kernels prints the kernels in the order of their times.
func (p *program) kernels() {
	end := 0
	for _, at := range p.places {
		end = max(end, at.time)
	}
	for time := 0; time <= end+1; time++ {
		p.combine(time - 1)
		p.fuzzy(time)
		p.differences(p.corrections(time))
		for _, g := range p.passes {
			switch {
			case !p.batch && g.time == time:
				p.pass(g)
			case p.batch && g.time == time:
				if len(g.scores) > 0 {
					p.pack(g)
				}
				for _, v := range g.sums {
					p.embeds(v)
				}
			case p.batch && g.time == time-1 && len(g.scores) > 0:
				p.products(g)
			}
		}
	}
}

// corrections are the residuals that the kernel of a time sums; in a batch there are none.
func (p *program) corrections(time int) (values []*ir.Value) {
	for _, v := range p.plan.Values {
		if v.Op == ir.Correct && !p.batch && p.places[v].time == time {
			values = append(values, v)
		}
	}
	return values
}

// kernel adds a launch and returns the name of its kernel.
func (p *program) kernel(kind device.Kind, what string, count int) string {
	name := fmt.Sprintf("%s_%d_%s", p.prefix, len(p.launches)+1, what)
	p.launches = append(p.launches, device.Launch{Kernel: name, Kind: kind, Count: count})
	return name
}

// open prints the head of a kernel that reads the table, or of one that does not.
func (p *program) open(name string, table bool) {
	if table {
		p.printf("template <typename Row> __device__ void %s(const Model &m, const Run &q) {\n", name)
		return
	}
	p.printf("extern \"C\" __global__ void %s(ARGUMENTS) {\n", name)
}

func (p *program) close(name, threads string) {
	p.printf("}\nTABLE_KERNELS(%s, %s)\n\n", name, threads)
}

// memory returns what a program needs, for the host.
func (p *program) memory() device.Program {
	lists := []int{p.places[p.plan.Answer].vector}
	for _, s := range p.plan.Sets {
		lists = append(lists, p.places[s.Value].vector)
	}
	return device.Program{
		Vectors: p.vectors, Embeddings: p.embeddings, Stats: p.numStats, Partials: p.partials,
		Coefficients: p.coefficients, Packed: p.packed, Lists: lists, Launches: p.launches,
	}
}

// notes say what the values of a kernel stand for.
func (p *program) notes(values []*ir.Value) {
	seen := map[string]bool{}
	for _, v := range values {
		if v.Note != "" && !seen[v.Note] {
			seen[v.Note] = true
			p.printf("// v%d is %s.\n", p.places[v].id, oneLine(v.Note))
		}
	}
}

// oneLine keeps a comment a comment, whatever stands in it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\\' {
			return ' '
		}
		return r
	}, s)
}

func direction(v *ir.Value) string {
	if v.Backward {
		return "BACKWARD"
	}
	return "FORWARD"
}

func sign(v *ir.Value) string {
	if v.Negated {
		return "NEGATED"
	}
	return "POSITIVE"
}
