package tables

import (
	"strconv"
	"strings"
)

// Cell returns a text for a cell of CSV. Spreadsheets run text that begins like a formula: an
// apostrophe before it prevents that. Numbers do not change.
func Cell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
