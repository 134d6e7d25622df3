package tables_test

import (
	"testing"

	"github.com/efoc/efoc/cmd/internal/tables"
)

func TestTables(t *testing.T) {
	header, rows := []string{"shape", ">ms"}, []tables.Row{{"1p", 3}, {"2il", 10.5}}
	const text = "shape    ms\n1p        3\n2il    10.5"
	if got := tables.Text(header, rows); got != text {
		t.Errorf("text is\n%q, want\n%q", got, text)
	}
	const markdown = "| shape | ms |\n| --- | ---:|\n| 1p | 3 |\n| 2il | 10.5 |"
	if got := tables.Markdown(header, rows); got != markdown {
		t.Errorf("Markdown is\n%q, want\n%q", got, markdown)
	}
}
