package eval

import (
	"bytes"
	"encoding/json"

	"github.com/efoc/efoc/cmd/internal/queryset"
)

// dumped are the fields of a dumped query beyond the fields of a query file.
type dumped struct {
	// Ranks and Scores belong to the hard answers, in their order.
	Ranks  []float64 `json:"ranks"`
	Scores []float32 `json:"scores,omitempty"`
	// Misses are the numbers of predicted links in derivations.
	Misses []int `json:"missing_links,omitempty"`
}

// Dump returns the queries asked as JSON Lines: the lines of a query file, as package queryset documents them, with
// the fields of dumped.
func Dump(set *queryset.Set, o *Outcome) ([]byte, error) {
	var lines []byte
	for i, g := range set.Groups {
		line := g.LineWriter()
		for k, x := range o.Groups[i].Queries {
			if x == nil {
				continue
			}
			more, err := json.Marshal(dumped{x.Ranks, x.Scores, x.Misses})
			if err != nil {
				return nil, err
			}
			lines = append(bytes.TrimSuffix(line(lines, g.Queries[k]), []byte("}\n")), ", "...)
			lines = append(append(lines, more[1:]...), '\n')
		}
	}
	return lines, nil
}
