package queryset

import "github.com/efoc/efoc/runtime/model/importer/pickle"

// BetaE nests a query as tuples: (start, operations), where operations are a tuple of the letters r and n:
// projections and negations of the start. The start is an entity, the letter e, or the intersection or union of
// parts: (part, part, …) or (part, …, ('u',)). The structure of a query has letters; the query itself has ids and
// marks.

// The marks of union and negation in a query's tuple.
const (
	markUnion    = -1
	markNegation = -2
)

// structures maps the structures of BetaE and its successors, in Python's notation, to the names of their groups and
// to formulas whose slots are numbered in the order of a query's ids.
var structures = map[string]struct{ name, formula string }{
	"('e',('r',))":                                          {"1p", "r1(s1,f)"},
	"('e',('r','r'))":                                       {"2p", "r1(s1,e1)&r2(e1,f)"},
	"('e',('r','r','r'))":                                   {"3p", "r1(s1,e1)&r2(e1,e2)&r3(e2,f)"},
	"(('e',('r',)),('e',('r',)))":                           {"2i", "r1(s1,f)&r2(s2,f)"},
	"(('e',('r',)),('e',('r',)),('e',('r',)))":              {"3i", "r1(s1,f)&r2(s2,f)&r3(s3,f)"},
	"((('e',('r',)),('e',('r',))),('r',))":                  {"ip", "r1(s1,e1)&r2(s2,e1)&r3(e1,f)"},
	"(('e',('r','r')),('e',('r',)))":                        {"pi", "r1(s1,e1)&r2(e1,f)&r3(s2,f)"},
	"(('e',('r',)),('e',('r','n')))":                        {"2in", "r1(s1,f)&!r2(s2,f)"},
	"(('e',('r',)),('e',('r',)),('e',('r','n')))":           {"3in", "r1(s1,f)&r2(s2,f)&!r3(s3,f)"},
	"((('e',('r',)),('e',('r','n'))),('r',))":               {"inp", "r1(s1,e1)&!r2(s2,e1)&r3(e1,f)"},
	"(('e',('r','r')),('e',('r','n')))":                     {"pin", "r1(s1,e1)&r2(e1,f)&!r3(s2,f)"},
	"(('e',('r','r','n')),('e',('r',)))":                    {"pni" + universal, "r1(s1,e1)&!r2(e1,f)&r3(s2,f)"},
	"(('e',('r',)),('e',('r',)),('u',))":                    {"2u", "r1(s1,f)|r2(s2,f)"},
	"((('e',('r',)),('e',('r',)),('u',)),('r',))":           {"up", "(r1(s1,e1)|r2(s2,e1))&r3(e1,f)"},
	"((('e',('r','n')),('e',('r','n'))),('n',))":            {"2u" + deMorgan, "!(!r1(s1,f)&!r2(s2,f))"},
	"((('e',('r','n')),('e',('r','n'))),('n','r'))":         {"up" + deMorgan, "!(!r1(s1,e1)&!r2(s2,e1))&r3(e1,f)"},
	"('e',('r','r','r','r'))":                               {"4p", "r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e3,f)"},
	"('e',('r','r','r','r','r'))":                           {"5p", "r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e3,e4)&r5(e4,f)"},
	"(('e',('r',)),('e',('r',)),('e',('r',)),('e',('r',)))": {"4i", "r1(s1,f)&r2(s2,f)&r3(s3,f)&r4(s4,f)"},
	"((('e',('r',)),('e',('r',)),('e',('r',))),('r',))":     {"3ip", "r1(s1,e1)&r2(s2,e1)&r3(s3,e1)&r4(e1,f)"},
}

// ids are the entities and relations of a query, in the order of the slots.
type ids struct{ entities, relations []int32 }

// read appends the ids of a query, and reports whether it has the given structure.
func (x *ids) read(d *pickle.Decoder, structure, query pickle.Value) bool {
	if op, ok := d.Text(structure); ok {
		id, ok := d.Int(query)
		switch {
		case op == "u":
			return ok && id == markUnion
		case op == "n":
			return ok && id == markNegation
		case op == "r":
			x.relations = append(x.relations, id)
		default:
			x.entities = append(x.entities, id)
		}
		return ok && id >= 0
	}
	want, _ := d.Tuple(structure)
	have, ok := d.Tuple(query)
	if !ok || len(have) != len(want) {
		return false
	}
	for i := range want {
		if !x.read(d, want[i], have[i]) {
			return false
		}
	}
	return true
}
