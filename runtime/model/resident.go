package model

import (
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/mapfile"
)

// Of a large mapped bundle only what passes over the entity table read stays in the memory of
// the process. The rest is taken out of it once it is checked. Facts come back as queries
// traverse relations, and are taken out again when they are many: with a graph of a
// hundred million facts, reading a relation's again from the cache of the system takes less than
// a hundredth of a pass over the table.

// residentFrom is how large a mapped bundle is, in bytes, of which that is so.
// Tests lower it.
var residentFrom = 1 << 30

// residentFacts is about how many bytes of facts are in memory at most. Tests lower it.
var residentFacts int64 = 256 << 20

// releaser takes a part of a tensor out of the memory of the process; nil does nothing.
type releaser func(tensor string, part []byte)

// releaser returns what takes those tensors out of memory which passes do not read.
func (source *bundleSource) releaser(m *Manifest) releaser {
	if !source.large {
		return nil
	}
	kept := map[string]bool{tensorRelations: true, tensorNorms: true}
	if m.Table.IsFloat() {
		kept[tensorEntities] = true
	} else {
		kept[tensorCodes], kept[tensorScales], kept[tensorFactors] = true, true, true
	}
	return func(tensor string, part []byte) {
		if !kept[tensor] {
			source.mapping.ReleasePart(part)
		}
	}
}

func (r releaser) release(tensor string, part []byte) {
	if r != nil {
		r(tensor, part)
	}
}

// factPages are the facts of a graph in a large mapped bundle. Nil are those of others.
type factPages struct {
	file  *mapfile.File
	parts [][]byte
	read  atomic.Int64 // since they were taken out of memory
}

// take says that some facts are about to be read, of two ids each.
func (p *factPages) take(facts int64) {
	if p == nil || p.read.Add(8*facts) < residentFacts {
		return
	}
	p.read.Store(8 * facts)
	for _, part := range p.parts {
		p.file.ReleasePart(part)
	}
}
