package runtime_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// jsonValues take the place of every value of a manifest.
var jsonValues = []string{
	"null", "true", `""`, `"x"`, `"NaN"`, `"\u0000"`, `"\ud800"`, "NaN", "-Infinity", "-1", "0", "-0", "1", "2", "3", "0.5", "-0.5", "1e-46", "1e300", "1e400",
	"4294967296", "4611686018427387904", "9223372036854775808", "[]", "[0]", "[1]", "[null]", "[1,1,1,1]", "[1,1,1]", "[1e300,1,1,1]", "[0,1,1,1]", `["x"]`, "[[]]", "[{}]", "{}", `{"x":1}`,
}

// mutant is a bundle that was changed in one place. names are what an error has one of,
// so that it says where.
type mutant struct {
	what   string
	names  []string
	bundle *bundleParts
}

// manifestMutants changes each field of the manifest in turn, at every depth.
func manifestMutants(b *bundleParts, use func(m mutant)) {
	objectMutants("", b.Manifest, jsonValues, func(what, name string, fields []field) {
		c := b.Clone()
		c.Manifest = fields
		use(mutant{what, namesOf(name), c})
	})
	sums := func(what, text string) {
		c := b.Clone()
		c.Checksums = text
		use(mutant{what, []string{"checksum"}, c})
	}
	for _, v := range jsonValues {
		sums("checksums = "+v, v)
	}
	objectMutants("checksums.", b.Sums(), jsonValues, func(what, _ string, fields []field) { sums(what, object(fields)) })
}

// namesOf lists what an error calls a field.
func namesOf(field string) []string {
	names := []string{field, `unknown field "x"`}
	switch field {
	case "entities", "rank", "relations", "table":
		names = append(names, "tensor ", "entit", "relation", "table") // which the tensors do not fit
	case "attributes", "values":
		names = append(names, "do not belong in a bundle", `tensor "value.`) // the tensors of their values
	case "version":
		names = append(names, "bundle format")
	case "candidates", "negation", "threshold", "temperature", "leaf", "mixture":
		names = append(names, "candidates") // the first that is not there
	case "settings":
		names = append(names, "alpha")
	case "mixed", "evidence", "margin", "terms", "offsets", "unlinked", "ordinary", "lacking", "curve", "low", "high", "refuted", "queries", "answers", "x", "y":
		names = append(names, "confidence")
	case "held_out", "assumed":
		names = append(names, "confidence", "missing")
	case "facts", "loops", "symmetric", "ends", "heads", "several", "lone", "most", "overlaps", "with":
		names = append(names, "regularities")
	case "frequency", "loop", "second", "score_terms":
		names = append(names, "score terms")
	}
	return names
}

// plain reports whether an error has none of the words that only readers of this code know.
func plain(err error) bool {
	return !foreignWords.MatchString(err.Error())
}

var foreignWords = regexp.MustCompile(`json(:|text)|invalid character|unmarshal|\bGo\b|\[\]?(u?int|float|string)|strconv|parsing`)

// hasRemedy reports whether the error of a bundle says what to do.
func hasRemedy(err error) bool {
	text := err.Error()
	return strings.HasSuffix(text, ": the bundle is damaged: copy it again, or make it anew") || strings.HasSuffix(text, ": upgrade efoc") ||
		strings.HasSuffix(text, ": import the data again") || strings.HasSuffix(text, ": import or train the model again") || strings.Contains(text, "not an efoc bundle") ||
		strings.HasSuffix(text, ": name their folder")
}

// firstOf returns the first element of a list in JSON, and what follows it.
func firstOf(list string) (first, rest string) {
	d := json.NewDecoder(strings.NewReader(list[1:]))
	var element json.RawMessage
	if err := d.Decode(&element); err != nil {
		panic(err)
	}
	return string(element), list[1+d.InputOffset():]
}

// objectMutants passes on the fields of an object, changed in one place.
func objectMutants(path string, fields []field, values []string, use func(what, name string, fields []field)) {
	with := func(i int, f ...field) []field {
		return slices.Concat(fields[:i], f, fields[i+1:])
	}
	use(path+"unknown field", "colour", append(slices.Clone(fields), field{Key: "colour", Value: "1"}))
	for i, f := range fields {
		at := path + f.Key
		use(at+" missing", f.Key, with(i))
		use(at+" in capitals", f.Key, with(i, field{Key: strings.ToUpper(f.Key), Value: f.Value}))
		for _, v := range values {
			use(at+" = "+v, f.Key, with(i, field{Key: f.Key, Value: v}))
			use(at+" twice, then "+v, f.Key, with(i, f, field{Key: f.Key, Value: v}))
		}
		inner, rest := f.Value, "" // the first of a list, and the others
		list := strings.HasPrefix(inner, "[{")
		if list {
			inner, rest = firstOf(inner)
		}
		if !strings.HasPrefix(inner, "{") {
			continue
		}
		below, err := fieldsOf(inner)
		if err != nil {
			continue
		}
		objectMutants(at+".", below, values, func(what, name string, changed []field) {
			value := object(changed)
			if list {
				value = "[" + value + rest
			}
			use(what, name, with(i, field{Key: f.Key, Value: value}))
		})
	}
}

// tensorMutants changes each tensor in turn: its entry in the header, and its numbers, element by
// element. names are the tensors to change, all if there are none.
func tensorMutants(b *bundleParts, use func(m mutant), names ...string) {
	for i := range b.Tensors {
		name := b.Tensors[i].Name
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		prefix, _, _ := strings.Cut(name, ".offsets")
		prefix, _, _ = strings.Cut(prefix, ".text")
		prefix, _, _ = strings.Cut(prefix, ".order")
		prefix, _, _ = strings.Cut(prefix, ".heads")
		prefix, _, _ = strings.Cut(prefix, ".tails")
		if strings.HasPrefix(name, "value.") {
			prefix = "values"
		}
		change := func(what string, change func(t *tensorPart)) {
			c := b.Clone()
			change(&c.Tensors[i])
			use(mutant{name + " " + what, []string{prefix, "tensor"}, c})
		}
		for _, dtype := range []string{"", "F64", "F32", "F16", "BF16", "I64", "I32", "U8", "U32", "BOOL", "F128", "f32"} {
			change("of type "+dtype, func(t *tensorPart) { t.DType = dtype })
		}
		for _, shape := range []string{"[]", "[0]", "[1]", "[-1]", "[5]", "[4,5]", "[5,4]", "[5,4,1]", "[2147483648,2147483648]", "[0,9223372036854775807]", "[9223372036854775808]",
			"[1.5]", `["5"]`, "null", "5", "{}", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"} {
			change("of shape "+shape, func(t *tensorPart) { t.Shape = shape })
			change("empty, of shape "+shape, func(t *tensorPart) { t.Shape, t.Data = shape, nil })
		}
		for _, shift := range [][2]int64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {4, 4}, {1 << 40, 1 << 40}, {0, 1 << 62}, {1 << 20, 0}} {
			change(fmt.Sprint("shifted by ", shift), func(t *tensorPart) { t.Begin, t.End = shift[0], shift[1] })
		}
		for _, to := range []string{"", "more", "entity.norm", "__metadata__", "graph.offsets", "entity.name.text", "a\x00b"} {
			change("named "+to, func(t *tensorPart) { t.Name = to })
		}
		c := b.Clone()
		c.Tensors = slices.Delete(c.Tensors, i, i+1)
		use(mutant{name + " missing", []string{prefix, "tensor"}, c})
		c = b.Clone()
		c.Tensors = append(c.Tensors, c.Tensors[i])
		use(mutant{name + " twice", []string{prefix, "tensor"}, c})
		contentMutants(b.Tensors[i], change)
	}
}

// contentMutants changes the elements of a tensor one by one.
func contentMutants(t tensorPart, change func(what string, change func(t *tensorPart))) {
	size := map[string]int{"F32": 4, "I32": 4, "F16": 2, "BF16": 2, "U8": 1, "I8": 1}[t.DType]
	var bits []uint32
	switch t.DType {
	case "F32":
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 1e-45, 1e-20, 1e10, 3e38, math.NaN(), math.Inf(1), math.Inf(-1)} {
			bits = append(bits, math.Float32bits(float32(x)))
		}
	case "F16", "BF16":
		bits = []uint32{0, 1, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7f7f, 0x7f80, 0x7fc0, 0x8000, 0xfc00, 0xff80, 0xffff}
	case "I32":
		bits = []uint32{0, 1, 2, 3, 4, 5, 9, 1 << 20, math.MaxInt32, 1 << 31, math.MaxUint32}
	case "U8":
		bits = []uint32{0, '\n', 'e', '0', '1', '"', 0x7f, 0x80, 0xc3, 0xff}
	}
	for at := 0; at+size <= len(t.Data); at += size {
		for _, x := range bits {
			change(fmt.Sprintf("with %#x at %d", x, at), func(t *tensorPart) {
				var word [4]byte
				binary.LittleEndian.PutUint32(word[:], x)
				copy(t.Data[at:at+size], word[:])
			})
		}
		if next := at + size; next+size <= len(t.Data) {
			change(fmt.Sprintf("with %d and the next exchanged", at), func(t *tensorPart) {
				other := slices.Clone(t.Data[at:next])
				copy(t.Data[at:], t.Data[next:next+size])
				copy(t.Data[next:], other)
			})
			change(fmt.Sprintf("with %d repeated", at), func(t *tensorPart) { copy(t.Data[next:next+size], t.Data[at:next]) })
		}
	}
}

// TestCraftedBundles opens bundles whose checksums are right and whose content is not,
// each different in one place. Either it is refused with an error that says where, or
// it answers in all semantics with degrees that are numbers from 0 to 1. Opening takes
// memory in proportion to the file.
func TestCraftedBundles(t *testing.T) {
	e := newEngine(t)
	every := long.Or(1, 79) // no list of changes repeats itself after 79
	for _, of := range craftedTables {
		dtype := of[0]
		b := crafted(t, dtype, of[1])
		valid, err := runtime.OpenBytes("valid", b.Seal())
		require.NoError(t, err)
		require.NoError(t, e.answer(t, valid, nil))
		tried, refused, answered, most := 0, 0, 0, uint64(0)
		try := func(x mutant) {
			if tried++; tried%every != 0 {
				return
			}
			data := x.bundle.Seal()
			taken := allocated()
			m, err := runtime.OpenBytes("crafted", data)
			if taken = allocated() - taken; taken > most {
				most = taken
			}
			if taken > 1<<18+64*uint64(len(data)) {
				t.Errorf("%s: opening %d bytes took %d", x.what, len(data), taken)
			}
			if err != nil {
				refused++
				named := func(name string) bool { return strings.Contains(strings.ToLower(err.Error()), name) }
				if !slices.ContainsFunc(x.names, named) && !named("no json from byte") {
					t.Errorf("%s: the error does not name any of %q: %v", x.what, x.names, err)
				}
				if !plain(err) || !strings.HasPrefix(err.Error(), "crafted: ") || !hasRemedy(err) {
					t.Errorf("%s: the error does not say which file it is, and what to do, in plain words: %v", x.what, err)
				}
				return
			}
			answered++
			if err := e.answer(t, m, nil); err != nil {
				t.Errorf("%s: %v", x.what, err)
			}
			if err := m.Close(); err != nil {
				t.Errorf("%s: %v", x.what, err)
			}
		}
		if dtype == table.Int8 && of[1] != "" { // its manifest has every field
			manifestMutants(b, try)
		}
		if dtype == table.Float32 {
			tensorMutants(b, try)
		} else {
			tensors := []string{"entity.embedding", "entity.norm", "entity.code", "entity.scale", "entity.residual", "entity.multiplier"}
			tensorMutants(b, try, slices.DeleteFunc(tensors, func(name string) bool { return b.Tensor(name) == nil })...)
		}
		t.Logf("%s: %d crafted bundles: %d refused, %d answered; opening one took %d bytes at most", dtype, refused+answered, refused, answered, most)
		if refused < 300/every || answered < 10/every {
			t.Errorf("only %d were refused and %d answered", refused, answered)
		}
	}
}

// allocated returns the bytes that the process has taken from the heap so far.
func allocated() uint64 {
	var s goruntime.MemStats
	goruntime.ReadMemStats(&s)
	return s.TotalAlloc
}

// TestManifestMutants checks that every field of a manifest is among the mutants.
func TestManifestMutants(t *testing.T) {
	want := map[string]bool{}
	var list func(x reflect.Type)
	list = func(x reflect.Type) {
		switch x.Kind() {
		case reflect.Slice, reflect.Map:
			list(x.Elem())
		case reflect.Struct:
			for i := range x.NumField() {
				name, _, _ := strings.Cut(x.Field(i).Tag.Get("json"), ",")
				want[name] = true
				list(x.Field(i).Type)
			}
		}
	}
	list(reflect.TypeFor[model.Manifest]())
	manifestMutants(crafted(t, table.Int8, table.Float32), func(m mutant) {
		for _, name := range m.names {
			delete(want, name)
		}
		if m.names[0] == "checksum" {
			delete(want, "checksums")
		}
	})
	delete(want, "shard") // of parts alone: see TestShardMutants
	if len(want) > 0 {
		t.Errorf("no mutants of %v", want)
	}
}

// TestOpenInconsistent opens bundles whose checksums are right and whose content cannot be: each
// is refused, with an error that says what and where.
func TestOpenInconsistent(t *testing.T) {
	type change = func(b *bundleParts)
	set := func(key, value string) change {
		return func(b *bundleParts) {
			b.Manifest = append(slices.DeleteFunc(b.Manifest, func(f field) bool { return f.Key == key }), field{key, value})
		}
	}
	word := func(tensor string, at int, bits uint32) change {
		return func(b *bundleParts) { binary.LittleEndian.PutUint32(b.Tensor(tensor).Data[4*at:], bits) }
	}
	number := func(tensor string, at int, x float64) change {
		return word(tensor, at, math.Float32bits(float32(x)))
	}
	version := func(more int) change { return set("version", fmt.Sprint(model.BundleVersion+more)) }
	for _, c := range []struct {
		want   string
		exact  table.Type // beside codes, if it is not empty
		change change
	}{
		{`unknown field "colour"`, "", set("colour", `"red"`)},
		{"temperatures: there are 1, want one for each of 4", "", set("temperatures", "[1]")},
		{"temperatures: there are 0, want one for each of 4", "", set("temperatures", "[]")},
		{"temperatures: directed relation 0: temperature is 0, want 0.0001 to 10000", "", set("temperatures", "[0,0,0,0]")},
		{"sources: bytes of source 0 is -1", "", set("sources", `[{"role":"graph","file":"x","sha256":"","bytes":-1}]`)},
		{"newer than the supported", "", version(1)},
		{"import the data again", "", version(-1)},
		{"no version", "", set("version", "null")},
		{"rank is 0", "", set("rank", "0")},
		{`tensor "entity.embedding": shape is [5 4], want [6 4]`, "", set("entities", "6")},
		{`unknown table type "float64"`, "", set("table", `"float64"`)},
		{`unknown table type "int4", want float32 or int8: import or train the model again`, "", set("table", `"int4"`)},
		{"triples: there are 4", "", set("triples", "5")},
		{"heldout triples: there are 1", "", set("heldout", "2")},
		{"heldout is -1", "", set("heldout", "-1")},
		{`tensor "entity.embedding": row 2 column 1 is NaN, want a finite number`, "", number("entity.embedding", 9, math.NaN())},
		{`tensor "entity.embedding": row 4 column 3 is -Inf, want a finite number`, "", number("entity.embedding", 19, math.Inf(-1))},
		{`tensor "entity.embedding": row 0 has length 3.0000`, "", number("entity.embedding", 0, 3e38)},
		{`tensor "relation.embedding": row 3 column 0 is +Inf`, "", number("relation.embedding", 12, math.Inf(1))},
		{`tensor "relation.embedding": row 0 has length 2e+09`, "", number("relation.embedding", 0, 2e9)},
		{`tensor "entity.norm": number 3 is 0, want 2.806243`, "", number("entity.norm", 3, 0)},
		{`tensor "entity.norm": number 1 is NaN, want`, "", number("entity.norm", 1, math.NaN())},
		{`tensor "entity.norm": number 1 is -1.5, want 1.3693064`, "", number("entity.norm", 1, -1.5)},
		{`tensors "graph": relation 0`, "", word("graph.heads", 0, 4)},
		{`tensors "heldout"`, "", word("heldout.tails", 0, 9)},
		{`tensors "entity.name": order is wrong`, "", word("entity.name.order", 0, 1)},
		{`tensors "entity.name": order holds id 9`, "", word("entity.name.order", 0, 9)},
		{`tensors "entity.name": offsets`, "", word("entity.name.offsets", 1, 9)},
		{`tensors "entity.name": text of id 0`, "", word("entity.name.text", 0, 0)},
		{`tensors "entity.label": order`, "", word("entity.label.order", 0, 1)},
		{`"entity.norm" is missing`, "", func(b *bundleParts) {
			b.Tensors = slices.DeleteFunc(b.Tensors, func(x tensorPart) bool { return x.Name == "entity.norm" })
		}},
		{"do not belong", "", func(b *bundleParts) {
			b.Tensors = append(b.Tensors, tensorPart{Name: "more", DType: "U8", Shape: "[0]"})
		}},
		{"want F32", "", func(b *bundleParts) { b.Tensor("entity.norm").DType = "I32" }},
		{`exact is "bfloat16" beside a table of int8, want float32 beside int8: import or train the model again`, table.Float32, set("exact", `"bfloat16"`)},
		{`exact is "int8" beside a table of int8`, table.Float32, set("exact", `"int8"`)},
		{`exact is "float32" beside a table of float32`, table.Float32, set("table", `"float32"`)},
		{"1 tensors that do not belong", table.Float32, set("exact", `""`)},
		{`tensor "entity.code": element type is U8, want I8`, table.Float32, func(b *bundleParts) { b.Tensor("entity.code").DType = "U8" }},
		{`tensors "entity.scale" and "entity.residual": row 2 has scale NaN`, table.Float32, number("entity.scale", 2, math.NaN())},
		{`tensors "entity.scale" and "entity.residual": row 1 has scale -`, table.Float32, number("entity.scale", 1, -2)},
		{`row 0 has scale 1 and residual 0.00`, table.Float32, number("entity.scale", 0, 1)},
		{`and residual 30, which no row of length 3.2977264 has`, table.Float32, number("entity.residual", 0, 30)},
		{`tensors "entity.scale" and "entity.residual": row 4 has`, table.Float32, number("entity.residual", 4, math.Inf(1))},
	} {
		b := crafted(t, table.Float32)
		if c.exact != "" {
			b = crafted(t, table.Int8, c.exact)
		}
		c.change(b)
		if _, err := model.OpenBytes("x", b.Seal()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}
