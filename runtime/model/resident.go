package model

import (
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Of a large mapped bundle, and of a part of a split model, only what passes over the entity
// table read stays in the memory of the process. The rest is taken out of it once it is
// checked. It comes back as queries traverse relations, decide what is known and name answers,
// and is taken out again when it is much: with a graph of a hundred million facts, reading a
// relation's again from the cache of the system takes less than a hundredth of a pass over the
// table.

// residentFrom is how large a mapped bundle of a whole model is, in bytes, of which that is so.
// Tests lower it.
var residentFrom = 1 << 30

// residentRest is about how many bytes of a bundle are in memory beside what passes read.
// Tests lower it.
var residentRest int64 = 256 << 20

// residentOnce is that of a bundle that is read once, all of it.
const residentOnce = 32 << 20

// stay says what of a mapped bundle stays in memory.
type stay int

const (
	stayAll stay = iota
	stayPasses
	stayNothing
)

// pages are those of a mapped bundle that do not stay in memory, nil if the whole bundle stays
// resident.
type pages struct {
	file  *mapfile.File
	kept  map[string]bool // tensors that stay
	parts [][]byte        // all others
	most  int64           // of which about so many bytes are in memory
	read  atomic.Int64    // bytes read at most since the last look
	base  atomic.Int64    // bytes of all files in memory after these were taken out
}

// pages returns those of tensors that do not stay in memory.
func (source *bundleSource) pages(m *Manifest, tensors []safetensors.Tensor) *pages {
	p := &pages{file: source.mapping, kept: map[string]bool{}, most: residentRest}
	switch source.stay {
	case stayAll:
		return nil
	case stayNothing:
		p.most = residentOnce
	default:
		p.kept[tensorRelations], p.kept[tensorNorms] = true, true
		if m.Table.IsFloat() {
			p.kept[tensorEntities] = true
		} else {
			p.kept[tensorCodes], p.kept[tensorScales] = true, true
		}
	}
	for _, t := range tensors {
		if !p.kept[t.Name] {
			p.parts = append(p.parts, t.Data)
		}
	}
	return p
}

// release takes a part of a tensor out of memory unless it is to stay.
func (p *pages) release(tensor string, part []byte) {
	if p != nil && !p.kept[tensor] {
		p.file.ReleasePart(part)
	}
}

// releaseRows is release for the rows of a table.
func (p *pages) releaseRows(t Table) {
	if p == nil {
		return
	}
	for _, x := range t.tensors() {
		p.release(x.Name, x.Data)
	}
}

// releaseFacts is release for heads or tails of a graph.
func (p *pages) releaseFacts(list []int32) {
	if p != nil {
		p.file.ReleasePart(safetensors.FromInt32s("", list).Data)
	}
}

// releaseAll takes all that does not stay out of memory.
func (p *pages) releaseAll() {
	if p == nil {
		return
	}
	for _, part := range p.parts {
		p.file.ReleasePart(part)
	}
	now, _ := mapfile.Resident()
	p.base.Store(now)
}

// take says that some bytes are about to be read. From time to time it looks how much of all
// files is in memory.
func (p *pages) take(bytes int64) {
	if p == nil || p.read.Add(bytes) < p.most/16 {
		return
	}
	p.read.Store(bytes)
	if now, known := mapfile.Resident(); !known || now-p.base.Load() > p.most {
		p.releaseAll()
	}
}

// rowTouches is how many bytes come into memory when the tails of a head are sought: the
// system brings 64 kB around each page that is read, of the heads and of the tails.
const rowTouches = 128 << 10
