package queryset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// qaaFile is what the names of FIT's and LMPNN's files end in: queries with two lists
// of answers, easy ones and hard ones.
const qaaFile = "qaa.json"

// checkName refuses a file of JSON that does not say by its name that it holds easy
// and hard answers. AnyCQ's files have the same keys, but answers that are wrong, or
// none, in the place of the hard ones.
func checkName(path string) error {
	name := bareName(path)
	switch {
	case strings.HasSuffix(name, qaaFile):
		return nil
	case strings.HasPrefix(name, "qac_"):
		return fmt.Errorf("%s: %w", path, errClassification)
	case strings.HasPrefix(name, "qar_"):
		return fmt.Errorf("%s: AnyCQ's query answer retrieval, whose answers are not split into easy and hard ones, so that they cannot be ranked: "+
			"bench anycq asks its questions; here, name a file of FIT or LMPNN (*%s)", path, qaaFile)
	}
	return fmt.Errorf("%s: a file of JSON with easy and hard answers has a name that ends in %s, as FIT's and LMPNN's: rename it if it is one", path, qaaFile)
}

// errClassification says what is wrong with AnyCQ's classification files.
var errClassification = fmt.Errorf("AnyCQ's query answer classification, whose third element holds negative answers, not hard ones, so that they cannot be ranked: "+
	"bench anycq takes qac_*.json files; here, name a file of FIT or LMPNN (*%s)", qaaFile)

// balance recognises AnyCQ's classification files by their content, whatever they
// are called: each query has as many negative answers as positive ones, and the
// number varies. Of FIT's queries at most one in ten of a formula has as many hard
// answers as easy ones.
type balance struct {
	queries, balanced int
	// least and most are the numbers of answers on each side.
	least, most int
}

// minBalanced is the number of queries from which balance is significant.
const minBalanced = 12

// add counts an entry of the file.
func (b *balance) add(entry []json.RawMessage) {
	b.queries++
	if len(entry) != 3 {
		return
	}
	n := countAnswers(entry[1])
	if n == 0 || n != countAnswers(entry[2]) {
		return
	}
	if b.balanced == 0 {
		b.least = n
	}
	b.balanced++
	b.least, b.most = min(b.least, n), max(b.most, n)
}

// check refuses a file of classification.
func (b *balance) check(path string) error {
	if b.balanced == b.queries && b.queries >= minBalanced && b.least < b.most {
		return fmt.Errorf("%s: every one of %d queries has as many answers in its third element as in its second, %d to %d of them: this is %w",
			path, b.queries, b.least, b.most, errClassification)
	}
	return nil
}

// countAnswers returns the number of answers in {"f1": [[1], [2]]}.
func countAnswers(text json.RawMessage) int {
	_, list, _ := bytes.Cut(text, []byte{':'})
	if !bytes.ContainsAny(list, "0123456789") {
		return 0
	}
	return bytes.Count(list, []byte{','}) + 1
}
