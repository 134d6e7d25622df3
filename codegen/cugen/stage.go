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
	prefix string
	// text is what was printed, steps are those that belong to the next kernel of steps.
	text     *strings.Builder
	steps    []string
	launches []device.Launch
}

func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.text, format, args...) }

// kernels prints the kernels in the order of their times. What is of one time is
// independent: steps are printed after the kernels that read the table, where they can be
// in one kernel with those of the times that follow.
func (p *program) kernels() {
	end := 0
	for _, at := range p.places {
		end = max(end, at.time)
	}
	for time := 0; time <= end+1; time++ {
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
		p.step(time)
	}
	p.flush()
}

// step prints what is combined and computed entity by entity at a time.
func (p *program) step(time int) {
	kernels := p.text
	p.text = &strings.Builder{}
	p.combine(time - 1)
	p.fuzzy(time)
	if p.text.Len() > 0 {
		p.steps = append(p.steps, p.text.String())
	}
	p.text = kernels
}

// flush prints the kernel of the steps since the last one.
func (p *program) flush() {
	steps := p.steps
	p.steps = nil
	if len(steps) == 0 {
		return
	}
	name := p.kernel(device.Launch{Kind: device.Steps, Count: len(steps)}, "steps")
	p.printf("extern \"C\" __global__ void __launch_bounds__(MAP_THREADS) %s(ARGUMENTS) {\n  Steps t(m, q, argument);\n", name)
	for _, s := range steps {
		p.printf("  if (t.next()) {\n%s  }\n", s)
	}
	p.printf("}\n\n")
}

// corrections are the residuals that the kernel of a time sums.
func (p *program) corrections(time int) (values []*ir.Value) {
	for _, v := range p.plan.Values {
		if v.Op == ir.Correct && p.places[v].time == time {
			values = append(values, v)
		}
	}
	return values
}

// kernel adds a launch, after that of the steps before it, and returns the name of its kernel.
func (p *program) kernel(l device.Launch, what string) string {
	p.flush()
	l.Kernel = fmt.Sprintf("%s_%d_%s", p.prefix, len(p.launches)+1, what)
	p.launches = append(p.launches, l)
	return l.Kernel
}

// open and close print the head and the end of a kernel that reads the table.
func (p *program) open(name string) {
	p.printf("template <typename Row> __device__ void %s(const Model &m, const Run &q) {\n", name)
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
		Vectors: p.vectors, Embeddings: p.embeddings, Stats: p.stats, Partials: p.partials,
		Coefficients: p.coefficients, Packed: p.packed, Lists: lists, Launches: p.launches,
	}
}

// notes say what the values of a kernel stand for.
func (p *program) notes(values []*ir.Value) {
	for _, v := range values {
		if v.Note != "" {
			p.printf("// v%d is %s.\n", p.places[v].id, oneLine(v.Note))
		}
	}
}

// note is what stands behind the line of a value.
func note(v *ir.Value) string {
	if v.Note == "" {
		return ""
	}
	return " // " + oneLine(v.Note)
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
