package queryset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// fitType matches the number of a formula in the name of a FIT file; fitUniversal is the number of BetaE's pni.
var fitType = regexp.MustCompile(`type\d{4}`)

const fitUniversal = "type0011"

// qaaFile is the suffix of FIT's and LMPNN's files: queries with two lists of answers, easy and hard.
const qaaFile = "qaa.json"

// checkName refuses a JSON file whose name does not say that it has easy and hard answers. AnyCQ's files have the
// same keys, but wrong answers, or none, instead of hard ones.
func checkName(path string) error {
	name := bareName(path)
	switch {
	case strings.HasSuffix(name, qaaFile):
		return nil
	case strings.HasPrefix(name, "qac_"), strings.HasPrefix(name, "qar_"):
		return fmt.Errorf("%s: AnyCQ's questions, whose answers are not easy and hard ones, so that they cannot be ranked: "+
			"bench anycq asks them; here, name a file of FIT or LMPNN (*%s)", path, qaaFile)
	}
	return fmt.Errorf("%s: a file of JSON with easy and hard answers has a name that ends in %s, as FIT's and LMPNN's: rename it if it is one", path, qaaFile)
}

// readFIT reads a file of queries and answers: {formula: [[slots, easy, hard], …]}.
func (r *reader) readFIT(name string, text io.Reader) error {
	limit := &bounded{r: text, left: maxLine}
	d := json.NewDecoder(limit)
	err := delimited(d, '{', '}', func() error {
		key, err := d.Token()
		if err != nil {
			return err
		}
		text := fmt.Sprint(key) // the key of an object is a text
		form, err := r.form(text)
		if place := fmt.Sprintf("%s: byte %d", name, d.InputOffset()); err != nil && r.refuse(place, text, err, 0) {
			return delimited(d, '[', ']', func() error {
				limit.left = maxLine
				var entry json.RawMessage
				r.refuse(place, text, err, 1)
				return d.Decode(&entry)
			})
		}
		if err != nil {
			return err
		}
		g := r.group(fitName(name, form), form)
		queries := 0
		err = delimited(d, '[', ']', func() error {
			limit.left = maxLine
			queries++
			var entry []json.RawMessage
			if err := d.Decode(&entry); err != nil {
				return err
			}
			if !r.wants(g) {
				return nil
			}
			q, err := form.entry(entry)
			if err != nil {
				return fmt.Errorf("query %d of %s: %w", queries, g.Name, err)
			}
			g.Queries = append(g.Queries, q)
			return nil
		})
		if g.Name == "pni" && !strings.Contains(name, "real_EFO1") && r.wantsName(g.Name) {
			r.warn(name, "pni may have answers of either reading here: BetaE's and LMPNN's is the universal one, FIT's the existential one", queries)
		}
		return err
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends within the queries")
	case errors.Is(err, errBounded):
		err = fmt.Errorf("an entry is longer than %d bytes", maxLine)
	}
	return fmt.Errorf("%s: byte %d: %w", name, d.InputOffset(), err)
}

// delimited parses the members between two delimiters.
func delimited(d *json.Decoder, open, end json.Delim, member func() error) error {
	for _, want := range []json.Delim{open, end} {
		t, err := d.Token()
		if err == nil && t != want {
			err = fmt.Errorf("%v, want %v: a file of queries is {formula: [[slots, easy, hard], …], …}", t, want)
		}
		for err == nil && want == open && d.More() {
			err = member()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fitName names the group of a form in a file.
func fitName(path string, f *form) string {
	number := fitType.FindString(bareName(path))
	if f.name == "pni" && number == fitUniversal {
		return f.name + universal
	}
	return cmp.Or(f.name, number, f.formula)
}

// entry parses one query with its answers.
func (f *form) entry(entry []json.RawMessage) (Case, error) {
	var q Case
	if len(entry) != 3 {
		return q, fmt.Errorf("%d parts, want slots, easy and hard answers", len(entry))
	}
	var slots map[string]int32
	if err := json.Unmarshal(entry[0], &slots); err != nil {
		return q, fmt.Errorf("slots: %w", err)
	}
	for name, id := range slots {
		if id < 0 {
			return q, fmt.Errorf("slot %s is %d, %w", name, id, errID)
		}
	}
	var err error
	q.Args, err = f.args(func(name string) (int32, bool) { id, ok := slots[name]; return id, ok })
	if err != nil {
		return q, err
	}
	for i, answers := range []struct {
		name string
		ids  *[]int32
	}{{"easy", &q.Easy}, {"hard", &q.Hard}} {
		*answers.ids, err = fitAnswers(entry[1+i])
		if err != nil {
			return q, fmt.Errorf("%s answers: %w", answers.name, err)
		}
	}
	return q, nil
}

// fitAnswers parses {"f": [1, 2]} or {"f1": [[1], [2]]}.
func fitAnswers(text json.RawMessage) ([]int32, error) {
	var by map[string]json.RawMessage
	if err := json.Unmarshal(text, &by); err != nil {
		return nil, err
	}
	for name, list := range by {
		if name != "f" && name != "f1" {
			return nil, fmt.Errorf("answers for %q, want f or f1", name)
		}
		var ids []int32
		if json.Unmarshal(list, &ids) == nil {
			return ids, checkIDs(name, ids)
		}
		var tuples [][]int32
		if err := json.Unmarshal(list, &tuples); err != nil {
			return nil, err
		}
		ids = make([]int32, len(tuples))
		for i, t := range tuples {
			if len(t) != 1 {
				return nil, fmt.Errorf("answer %v of %s, want one id each", t, name)
			}
			ids[i] = t[0]
		}
		return ids, checkIDs(name, ids)
	}
	return nil, nil
}
