package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// LaTeX returns a table of the MRR of the report, of the reports that it is compared with, and of published figures,
// with the shapes of the three groups in two parts. It needs the package booktabs. † marks models trained on queries.
func (r *Report) LaTeX() string {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\\small\n")
	for i, part := range r.publishedParts() {
		if i > 0 {
			b.WriteString("\n\\medskip\n")
		}
		fmt.Fprintf(&b, "\\begin{tabular}{llr%s}\n\\toprule\nmodel & predictor & rank", strings.Repeat("r", len(part.columns)))
		for _, c := range part.columns {
			b.WriteString(" & " + latexText(c))
		}
		b.WriteString(" \\\\\n\\midrule\n")
		for k, row := range part.rows {
			if k > 0 && row.ours && !part.rows[k-1].ours {
				b.WriteString("\\midrule\n")
			}
			b.WriteString(latexText(row.Model))
			if row.Trained {
				b.WriteString("$^\\dagger$")
			}
			b.WriteString(" & " + latexText(row.Predictor) + " & " + row.rank())
			for _, c := range part.columns {
				b.WriteString(" & " + row.cell(c))
			}
			b.WriteString(" \\\\\n")
			if len(row.Intervals) > 0 {
				b.WriteString(" & \\multicolumn{2}{r}{95\\% interval, $\\pm$}")
				for _, c := range part.columns {
					b.WriteString(" & ")
					if x, ok := row.Intervals[c]; ok {
						b.WriteString(strconv.FormatFloat(50*(x[1]-x[0]), 'f', 1, 64))
					}
				}
				b.WriteString(" \\\\\n")
			}
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
	}
	fmt.Fprintf(&b, "\\caption{MRR in percent; %s.", latexText(fmt.Sprintf("%d queries of %s, filter %s", r.Done, &r.About.Queries, r.About.Filter)))
	if r.Published != nil {
		fmt.Fprintf(&b, " Published figures on %s are of the papers' own queries and checkpoints.", latexText(r.Published[0].Graph))
		if slices.ContainsFunc(r.Published, func(p PublishedRow) bool { return p.Trained }) {
			b.WriteString(" $^\\dagger$ trained on queries.")
		}
	}
	b.WriteString("}\n\\end{table}\n")
	return b.String()
}

// latexText escapes a text.
func latexText(text string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`).Replace(text)
}
