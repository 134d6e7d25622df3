// Package tables lays out tables for people, uniformly in all commands.
package tables

import (
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Row is a line of a table.
type Row = table.Row

// Text returns aligned columns. A header that starts with > aligns its column to the right; the header is optional.
func Text(header []string, rows []Row) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Box.PaddingLeft = ""
	t.Style().Box.PaddingRight = "  "
	t.Style().Format.Header = text.FormatDefault
	t.SuppressTrailingSpaces()
	head := make(table.Row, len(header))
	configs := make([]table.ColumnConfig, len(header))
	for i, h := range header {
		name, right := strings.CutPrefix(h, ">")
		head[i] = name
		configs[i].Number = i + 1
		if right {
			configs[i].Align = text.AlignRight
			configs[i].AlignHeader = text.AlignRight
		}
	}
	if len(head) > 0 {
		t.AppendHeader(head)
	}
	t.SetColumnConfigs(configs)
	t.AppendRows(rows)
	return t.Render()
}

// Cell escapes a text for a cell of CSV. Spreadsheets evaluate text that begins like a formula: an apostrophe before
// it prevents that. Numbers do not change.
func Cell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
