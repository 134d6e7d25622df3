package main

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/model"
)

// missingFlag says what share of the facts the graph lacks.
type missingFlag struct {
	Missing []missingShare `sep:"none" placeholder:"[RELATION=]SHARE" help:"The share of all facts that the graph lacks, such as 5%, or of the facts of a relation: capital=0 says that it is complete. Confidence assumes these shares. May be repeated. By default the share of the validation split; half of it for facts that train has held out and put back."`
}

// shares returns the shares by relation; the share of all facts has the name "".
func (f *missingFlag) shares() map[string]float64 {
	all := map[string]float64{}
	for _, x := range f.Missing {
		all[x.relation] = x.share
	}
	return all
}

// warnUnused warns of shares that a new model does not use.
func (f *missingFlag) warnUnused(a *app, m *model.Manifest) {
	if len(f.Missing) > 0 && len(m.Confidence) == 0 {
		a.warnf("--missing has no effect: there is no confidence, which takes %d validation facts", model.LeastValidation)
	}
}

// missingShare is the share of the facts of a relation that the graph lacks, or of all facts.
type missingShare struct {
	relation string
	share    float64
}

func (x *missingShare) UnmarshalText(text []byte) error {
	number := string(text)
	if at := strings.LastIndexByte(number, '='); at >= 0 {
		x.relation = number[:at]
		number = number[at+1:]
	}
	share, err := parseShare(number)
	if err != nil || !(share >= 0 && share < 1) {
		return fmt.Errorf("%q is no share of facts from 0 to below 100%%, such as 5%% or capital=0", text)
	}
	x.share = share
	return nil
}
