package training

import "github.com/efoc/efoc/runtime/model/train"

// Grade says how good a model is, by the share of missing facts among its ten best answers: how many it
// finds of those that counting does not. A model whose MRR is not above the MRR of counting is poor.
func Grade(valid, counting train.Metrics) string {
	found := (valid.Hits10 - counting.Hits10) / max(1e-9, 1-counting.Hits10)
	switch {
	case valid.MRR <= counting.MRR || found < 0.1:
		return "poor"
	case found < 1.0/3:
		return "fair"
	}
	return "good"
}
