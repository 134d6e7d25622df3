package training

import "github.com/efoc/efoc/runtime/model/train"

// Grade grades a model by the share of missing facts among its ten best answers, relative to those that counting
// misses. A model whose MRR does not exceed counting's is poor.
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
