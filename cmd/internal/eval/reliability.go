package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
)

// claimsEach is the number of answers per query whose confidence is judged: the best that follow neither from the
// model's graph nor from the graph of the easy answers.
const claimsEach = 10

// Claim is the confidence of an answer, and whether it is a hard one.
type Claim struct {
	Confidence float64 `json:"confidence"`
	True       bool    `json:"true"`
}

// claims lists the claims of a query with the given share of facts held out, none if the model is not calibrated.
func claims(q queryset.Case, x *runtime.Run, heldOut float64) ([]Claim, error) {
	answers, err := x.Reply(runtime.Options{
		K:       claimsEach + len(q.Easy),
		HeldOut: heldOut,
		Filter:  runtime.AnswerFilter{Statuses: runtime.Predicted | runtime.Confirmed | runtime.Undecided},
	})
	if err != nil || answers.Uncalibrated != "" {
		return nil, err
	}
	var list []Claim
	for _, a := range answers.Rows {
		e := int32(a.Values[0].ID)
		if _, easy := slices.BinarySearch(q.Easy, e); easy {
			continue
		}
		_, right := slices.BinarySearch(q.Hard, e)
		list = append(list, Claim{a.Confidence, right})
		if len(list) == claimsEach {
			break
		}
	}
	return list, nil
}

// Reliability compares confidence with truth.
type Reliability struct {
	// Answers counts the answers.
	Answers int `json:"answers"`
	// AUC is the probability that a true answer has more confidence than a false one, ties counting half; 0 unless
	// both exist.
	AUC float64 `json:"auc"`
	// Brier is the Brier score: the mean squared distance between confidence and truth, which is 0
	// or 1.
	Brier float64 `json:"brier"`
	// Skill is the Brier skill: 1 minus the ratio of the Brier score to that of always claiming the share of true
	// answers; 0 unless there are both true and false answers.
	Skill float64 `json:"brier_skill"`
	// Bins are ten bins of equal width, from 0 to 1.
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

// NewReliability summarises claims; it is nil if there are none.
func NewReliability(claims []Claim) *Reliability {
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
	r.discriminate(claims)
	return r
}

// discriminate sets the measures that do not depend on bins.
func (r *Reliability) discriminate(claims []Claim) {
	confidence := make([]float64, len(claims))
	truth := make([]bool, len(claims))
	true01 := make([]float64, len(claims))
	for i, c := range claims {
		confidence[i] = c.Confidence
		truth[i] = c.True
		if c.True {
			true01[i] = 1
		}
	}
	n := float64(len(claims))
	r.Brier = math.Pow(floats.Distance(confidence, true01, 2), 2) / n
	share := stat.Mean(true01, nil)
	if share == 0 || share == 1 {
		return
	}
	r.Skill = 1 - r.Brier/(share*(1-share))
	r.AUC = AUC(confidence, truth)
}

// AUC returns the area under the ROC curve of scores, which it sorts along with their truth: the share of pairs of a
// true and a false one in which the true one has the greater score, ties counting half. Both must exist.
func AUC(scores []float64, truth []bool) float64 {
	stat.SortWeightedLabeled(scores, truth, nil)
	tpr, fpr, _ := stat.ROC(nil, scores, truth, nil)
	return integrate.Trapezoidal(fpr, tpr)
}

// reliabilityTable has a row for each shape, and one for all.
func (r *Report) reliabilityTable() Table {
	t := Table{
		Title:  "Confidence, as for questions of held-out facts, of answers that do not follow from the graph, the " + strconv.Itoa(claimsEach) + " best of each query",
		Header: []string{"shape", ">answers", ">true", ">AUC", ">Brier score", ">skill", ">calibration error"},
	}
	add := func(name string, x *Reliability) {
		right := 0
		for _, b := range x.Bins {
			right += b.True
		}
		row := tables.Row{name, x.Answers, percent(float64(right) / float64(x.Answers))}
		for _, figure := range []float64{x.AUC, x.Brier, x.Skill, x.ECE} {
			row = append(row, strconv.FormatFloat(figure, 'f', 3, 64))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, s := range r.Shapes {
		if s.Reliability != nil {
			add(s.Name, s.Reliability)
		}
	}
	add("all", r.Reliability)
	return t
}

// table has a row for each nonempty bin.
func (r *Reliability) table() Table {
	t := Table{
		Title:  "Confidence and truth of these answers",
		Header: []string{"confidence", ">answers", ">mean confidence", ">true"},
	}
	for _, b := range r.Bins {
		if b.Answers > 0 {
			t.Rows = append(t.Rows, tables.Row{fmt.Sprintf("%.2f to %.2f", b.From, b.To), b.Answers, percent(b.Confidence), percent(b.Share())})
		}
	}
	return t
}
