package cugen

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// program prints the kernels of a plan and describes the launches of these and of the shared kernels.
type program struct {
	*lowering
	prefix string
	// text is the printed text; steps are the steps of the next kernel.
	text     *strings.Builder
	steps    []string
	scores   []device.Score
	sums     []device.Sum
	launches []device.Launch
}

func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.text, format, args...) }

// flush prints a kernel with the pending steps, which ends with end.
func (p *program) flush(end string) {
	steps := p.steps
	p.steps = nil
	if len(steps) == 0 {
		return
	}
	name := fmt.Sprintf("%s_%d_steps", p.prefix, len(p.launches)+1)
	p.launches = append(p.launches, device.Launch{Kind: device.Steps, Kernel: name, Count: len(steps)})
	p.printf("extern \"C\" __global__ void __launch_bounds__(MAP_THREADS) %s(ARGUMENTS) {\n  Steps t(m, q, argument);\n", name)
	for _, s := range steps {
		p.printf("  if (t.next()) {\n%s  }\n", s)
	}
	p.printf("%s}\n\n", end)
}

// memory returns the memory that a program needs, for the host.
func (p *program) memory() device.Program {
	lists := []int{p.places[p.plan.Answer].vector}
	for _, s := range p.plan.Sets {
		lists = append(lists, p.places[s.Value].vector)
	}
	return device.Program{
		Vectors: p.vectors, Embeddings: p.embeddings, Stats: p.stats, Scores: p.scores, Sums: p.sums, Lists: lists, Launches: p.launches,
	}
}

// note returns the comment at the end of a value's line.
func note(v *ir.Value) string {
	if v.Note == "" {
		return ""
	}
	return " // " + oneLine(v.Note)
}

// oneLine replaces characters that would end a comment.
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
