package tables

import (
	"strconv"
	"strings"
)

// Cell returns a text for a cell of CSV. Spreadsheets run texts that begin as a formula does:
// these get an apostrophe before them, which keeps a text a text. Numbers stay as they are.
func Cell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
