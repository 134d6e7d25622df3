package queryset

import (
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
