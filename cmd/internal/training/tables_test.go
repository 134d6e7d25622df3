package training

import (
	"testing"

	"github.com/efoc/efoc/cmd/internal/tables"
)

// Cells that a spreadsheet would take for formulas are texts, and numbers are numbers.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "@SUM(A1)": "'@SUM(A1)", "+1+cmd": "'+1+cmd", "-2+3": "'-2+3", "\t=1": "'\t=1", "＝1+1": "'＝1+1",
		"": "", "-2.5e-3": "-2.5e-3", "+1": "+1", "Paris": "Paris", "1=1": "1=1", "'=1": "'=1",
	} {
		if got := tables.Cell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	header, rows := []string{"shape", ">ms"}, []tables.Row{{"1p", 3}, {"2il", 10.5}}
	const text = "shape    ms\n1p        3\n2il    10.5"
	if got := tables.Text(header, rows); got != text {
		t.Errorf("text is\n%q, want\n%q", got, text)
	}
}
