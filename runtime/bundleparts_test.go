package runtime_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/efoc/efoc/testdata/damage"
)

// field is a field of a JSON object, with its value as text.
type field struct {
	Key   string
	Value string
}

// tensorPart is a tensor with its header entry as text.
type tensorPart struct {
	Name  string
	DType string
	Shape string
	// Begin and End shift the data offsets in the header.
	Begin, End int64
	Data       []byte
}

// bundleParts is a bundle in parts, which is reassembled with correct checksums, so
// that tests can make bundles that no writer would. It knows the format by itself and
// shares no code with the reader.
type bundleParts struct {
	// Manifest holds the fields of the manifest except the checksums.
	Manifest []field
	// Text takes the place of the whole manifest if it is not empty.
	Text string
	// Checksums is the text of the checksums, the right ones if it is empty.
	Checksums string
	Tensors   []tensorPart
}

// header is the entry of a tensor in the header of a file.
type header struct {
	DType   string          `json:"dtype"`
	Shape   json.RawMessage `json:"shape"`
	Offsets [2]int64        `json:"data_offsets"`
}

// openParts takes a valid bundle apart.
func openParts(data []byte) (*bundleParts, error) {
	length := binary.LittleEndian.Uint64(data)
	text, body := data[8:8+length], data[8+length:]
	entries, err := fieldsOf(string(text))
	if err != nil {
		return nil, err
	}
	b := &bundleParts{}
	for _, e := range entries {
		if e.Key == "__metadata__" {
			var meta map[string]string
			if err := json.Unmarshal([]byte(e.Value), &meta); err != nil {
				return nil, err
			}
			if b.Manifest, err = fieldsOf(meta["efoc"]); err != nil {
				return nil, err
			}
			b.Manifest = slices.DeleteFunc(b.Manifest, func(f field) bool { return f.Key == "checksums" })
			continue
		}
		var h header
		if err := json.Unmarshal([]byte(e.Value), &h); err != nil {
			return nil, err
		}
		b.Tensors = append(b.Tensors, tensorPart{
			Name: e.Key, DType: h.DType, Shape: string(h.Shape), Data: bytes.Clone(body[h.Offsets[0]:h.Offsets[1]]),
		})
	}
	return b, nil
}

// fieldsOf lists the fields of a JSON object in order.
func fieldsOf(text string) ([]field, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var fields []field
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		fields = append(fields, field{fmt.Sprint(key), string(value)})
	}
	return fields, nil
}

// object is the text of the object that has the fields.
func object(fields []field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, quote(f.Key)+":"+f.Value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Clone returns a deep copy.
func (b *bundleParts) Clone() *bundleParts {
	c := &bundleParts{Manifest: slices.Clone(b.Manifest), Text: b.Text, Checksums: b.Checksums, Tensors: slices.Clone(b.Tensors)}
	for i := range c.Tensors {
		c.Tensors[i].Data = bytes.Clone(c.Tensors[i].Data)
	}
	return c
}

const (
	block = 4 << 20 // bytes under one checksum
	noSum = "crc32c:00000000"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of a tensor: the checksum of its blocks' checksums.
func sum(data []byte) string {
	var sums []byte
	for part := range slices.Chunk(data, block) {
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(part, castagnoli))
	}
	return fmt.Sprintf("crc32c:%08x", crc32.Checksum(sums, castagnoli))
}

// Sums are the right checksums of the tensors.
func (b *bundleParts) Sums() []field {
	var sums []field
	for _, t := range b.Tensors {
		sums = append(sums, field{t.Name, quote(sum(t.Data))})
	}
	return sums
}

// Seal puts the parts together, with right checksums.
func (b *bundleParts) Seal() []byte {
	var entries []field
	var body []byte
	for _, t := range b.Tensors {
		begin := int64(len(body))
		body = append(body, t.Data...)
		entries = append(entries, field{t.Name, fmt.Sprintf(`{"dtype":%s,"shape":%s,"data_offsets":[%d,%d]}`,
			quote(t.DType), t.Shape, begin+t.Begin, int64(len(body))+t.End)})
	}
	manifest := b.Text
	if manifest == "" {
		checksums := b.Checksums
		if checksums == "" {
			checksums = object(b.Sums())
		}
		manifest = object(append(slices.Clone(b.Manifest), field{"checksums", checksums}))
	}
	meta := field{"__metadata__", object([]field{{"efoc", quote(manifest)}, {"efoc.header", quote(noSum)}})}
	text := object(append([]field{meta}, entries...))
	text += strings.Repeat(" ", (8-len(text)%8)%8)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	out = append(out, text...)
	whole := fmt.Sprintf("crc32c:%08x", crc32.Checksum(out, castagnoli))
	copy(out[bytes.Index(out, []byte(`"efoc.header":"`+noSum))+len(`"efoc.header":"`):], whole)
	return append(out, body...)
}

// Damaged returns the bundle with a part of it damaged as a script says: the whole file, the
// manifest, or a tensor. Manifests and tensors get their right checksums again.
func (b bundleParts) Damaged(part uint8, script []byte) []byte {
	switch i := int(part) - 2; i {
	case -2:
		return damage.Apply(b.Seal(), script)
	case -1:
		b.Text = string(damage.Apply([]byte(b.Text), script))
	default:
		i %= len(b.Tensors)
		b.Text, b.Tensors = "", slices.Clone(b.Tensors)
		b.Tensors[i].Data = damage.Apply(b.Tensors[i].Data, script)
	}
	return b.Seal()
}

// quote writes a JSON string. Bytes that are not UTF-8 are replaced.
func quote(s string) string {
	text, _ := jsontext.AppendQuote(nil, s)
	return string(text)
}

// Lean leaves out the parts that a bundle need not have: a small one is opened in less
// time.
func (b *bundleParts) Lean() {
	b.Tensors = slices.DeleteFunc(b.Tensors, func(x tensorPart) bool {
		return strings.HasPrefix(x.Name, "heldout") || strings.HasPrefix(x.Name, "relation.name") || strings.HasPrefix(x.Name, "relation.label") || strings.HasPrefix(x.Name, "entity.label")
	})
	for i := range b.Manifest {
		if b.Manifest[i].Key == "heldout" {
			b.Manifest[i].Value = "0"
		}
	}
}

// Tensor returns the tensor of that name, nil if there is none.
func (b *bundleParts) Tensor(name string) *tensorPart {
	for i := range b.Tensors {
		if b.Tensors[i].Name == name {
			return &b.Tensors[i]
		}
	}
	return nil
}
