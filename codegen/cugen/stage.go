package cugen

import "strings"

// kernels prints the kernels in order of time.
func (p *program) kernels() {
	for _, time := range p.times() {
		p.sweeps(time)
		p.step(time)
	}
	p.flush("  t.rank();\n")
}

// step prints the element-wise ops of a time.
func (p *program) step(time int) {
	kernels := p.text
	p.text = &strings.Builder{}
	p.fuzzy(time)
	if p.text.Len() > 0 {
		p.steps = append(p.steps, p.text.String())
	}
	p.text = kernels
}
