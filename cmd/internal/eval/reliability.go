package eval

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
)

// claimsEach is the number of answers of a query whose confidence is judged: the best ones
// that follow neither from the model's graph nor from that of the easy answers.
const claimsEach = 10

// Claim is the confidence of an answer, and whether it is a hard one.
type Claim struct {
	Confidence float64 `json:"confidence"`
	True       bool    `json:"true"`
}

// claims lists the claims of a query, none if the model is not calibrated.
func claims(q queryset.Query, report func(o runtime.Options) (*runtime.Answers, error)) ([]Claim, error) {
	answers, err := report(runtime.Options{
		K:      claimsEach + len(q.Easy),
		Filter: runtime.Filter{Statuses: runtime.StatusesOf(runtime.Predicted, runtime.Confirmed, runtime.Undecided)},
	})
	if err != nil || answers.Uncalibrated != "" {
		return nil, err
	}
	var list []Claim
	for _, a := range answers.Answers {
		if _, easy := slices.BinarySearch(q.Easy, int32(a.Entity)); easy {
			continue
		}
		_, right := slices.BinarySearch(q.Hard, int32(a.Entity))
		if list = append(list, Claim{a.Confidence, right}); len(list) == claimsEach {
			break
		}
	}
	return list, nil
}

// Reliability compares confidence with truth.
type Reliability struct {
	// Answers counts the answers.
	Answers int `json:"answers"`
	// AUC is the probability that a true answer has more confidence than a false one, ties
	// counting half; 0 unless there are both.
	AUC float64 `json:"auc"`
	// Skill is the Brier skill: 1 minus the ratio of two mean squared errors, that of
	// confidence and that of always claiming the share of true answers; 0 unless there are both
	// true and false answers.
	Skill float64 `json:"brier_skill"`
	// Bins are ten of equal width, from 0 to 1.
	Bins []Bin `json:"bins"`
	// ECE is the expected calibration error: the mean over the answers of the distance between
	// the confidence of a bin and its share of true answers.
	ECE float64 `json:"expected_calibration_error"`
}

// Bin holds answers of similar confidence.
type Bin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Answers counts the answers, True the true ones; Confidence is their mean confidence.
	Answers    int     `json:"answers"`
	True       int     `json:"true"`
	Confidence float64 `json:"confidence"`
}

// Share is the share of true answers.
func (b *Bin) Share() float64 { return float64(b.True) / float64(max(1, b.Answers)) }

func (b *Bin) add(c Claim) {
	b.Confidence += (c.Confidence - b.Confidence) / float64(b.Answers+1)
	b.Answers++
	if c.True {
		b.True++
	}
}

const bins = 10

// reliability sums up claims, nil if there are none.
func reliability(claims []Claim) *Reliability {
	if len(claims) == 0 {
		return nil
	}
	r := &Reliability{Answers: len(claims)}
	for i := range bins {
		r.Bins = append(r.Bins, Bin{From: float64(i) / bins, To: float64(i+1) / bins})
	}
	for _, c := range claims {
		r.Bins[max(0, min(bins-1, int(c.Confidence*bins)))].add(c)
	}
	for i := range r.Bins {
		b := &r.Bins[i]
		r.ECE += float64(b.Answers) * math.Abs(b.Confidence-b.Share()) / float64(len(claims))
	}
	r.AUC, r.Skill = discrimination(claims)
	return r
}

// discrimination returns the AUC and the Brier skill of claims, 0 unless there are true and false
// ones.
func discrimination(claims []Claim) (auc, skill float64) {
	confidence, truth, brier := make([]float64, len(claims)), make([]bool, len(claims)), 0.0
	share := 0.0
	for i, c := range claims {
		confidence[i], truth[i] = c.Confidence, c.True
		distance := c.Confidence
		if c.True {
			distance, share = 1-c.Confidence, share+1
		}
		brier += distance * distance
	}
	n := float64(len(claims))
	if share == 0 || share == n {
		return 0, 0
	}
	stat.SortWeightedLabeled(confidence, truth, nil)
	tpr, fpr, _ := stat.ROC(nil, confidence, truth, nil)
	return integrate.Trapezoidal(fpr, tpr), 1 - brier/(n*(share/n)*(1-share/n))
}

// table has a row for each bin that has answers.
func (r *Reliability) table() Table {
	t := Table{
		Title:  fmt.Sprintf("Confidence of answers that do not follow from the graph: AUC %.3f, Brier skill %.3f, expected calibration error %.3f", r.AUC, r.Skill, r.ECE),
		Header: []string{"confidence", ">answers", ">mean confidence", ">true"},
	}
	for _, b := range r.Bins {
		if b.Answers > 0 {
			t.Rows = append(t.Rows, tables.Row{fmt.Sprintf("%.2f to %.2f", b.From, b.To), b.Answers, percent(b.Confidence), percent(b.Share())})
		}
	}
	return t
}
