package model_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// values take the place of every value of a manifest.
var values = []string{
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
	objectMutants("", b.Manifest, values, func(what, name string, fields []field) {
		c := b.Clone()
		c.Manifest = fields
		use(mutant{what, namesOf(name), c})
	})
	sums := func(what, text string) {
		c := b.Clone()
		c.Checksums = text
		use(mutant{what, []string{"checksum"}, c})
	}
	for _, v := range values {
		sums("checksums = "+v, v)
	}
	objectMutants("checksums.", b.Sums(), values, func(what, _ string, fields []field) { sums(what, object(fields)) })
}

// namesOf lists what an error calls a field.
func namesOf(field string) []string {
	names := []string{field, `unknown field "x"`}
	switch field {
	case "entities", "rank", "relations", "table":
		names = append(names, "tensor ", "entit", "relation", "table") // which the tensors do not fit
	case "version":
		names = append(names, "bundle format")
	case "candidates", "negation", "threshold", "temperature", "leaf", "mixture":
		names = append(names, "candidates") // the first that is not there
	case "settings":
		names = append(names, "alpha")
	case "mixed", "evidence", "margin", "offsets", "unlinked", "curve", "refutable", "queries", "answers", "x", "y":
		names = append(names, "confidence")
	}
	return names
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
		inner, list := f.Value, ""
		if strings.HasPrefix(inner, "[{") {
			inner, list = inner[1:len(inner)-1], "[%s]"
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
			if list != "" {
				value = fmt.Sprintf(list, value)
			}
			use(what, name, with(i, field{Key: f.Key, Value: value}))
		})
	}
}

// tensorMutants changes each tensor in turn: what the header says of it, and all that
// it holds, element by element. names are the tensors to change, all if there are none.
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
	every := long.Or(1, 7) // no list of changes repeats itself after 7
	for _, of := range craftedTables {
		table := of[0]
		b := crafted(t, table, of[1])
		valid, err := query.OpenBytes("valid", b.Seal())
		require.NoError(t, err)
		require.NoError(t, e.answer(t, valid, nil))
		tried, refused, answered, most := 0, 0, 0, uint64(0)
		try := func(x mutant) {
			if tried++; tried%every != 0 {
				return
			}
			data := x.bundle.Seal()
			taken := allocated()
			m, err := query.OpenBytes("crafted", data)
			if taken = allocated() - taken; taken > most {
				most = taken
			}
			if taken > 1<<18+64*uint64(len(data)) {
				t.Errorf("%s: opening %d bytes took %d", x.what, len(data), taken)
			}
			if err != nil {
				refused++
				named := func(name string) bool { return strings.Contains(strings.ToLower(err.Error()), name) }
				if !slices.ContainsFunc(x.names, named) && !named("invalid character") {
					t.Errorf("%s: the error does not name any of %q: %v", x.what, x.names, err)
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
		if table == model.Int8 && of[1] != "" { // its manifest has every field
			manifestMutants(b, try)
		}
		if table == model.Float32 {
			tensorMutants(b, try)
		} else {
			tensors := []string{"entity.embedding", "entity.norm", "entity.code", "entity.scale", "entity.residual", "entity.multiplier"}
			tensorMutants(b, try, slices.DeleteFunc(tensors, func(name string) bool { return b.Tensor(name) == nil })...)
		}
		t.Logf("%s: %d crafted bundles: %d refused, %d answered; opening one took %d bytes at most", table, refused+answered, refused, answered, most)
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
	manifestMutants(crafted(t, model.Int8, model.Float32), func(m mutant) {
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
