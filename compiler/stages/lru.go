package stages

import (
	"container/list"
	"sync"
)

// lru caches values by key and evicts the least recently used. The zero lru is ready to use; it is safe for
// concurrent use.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	kept  map[K]*list.Element
	order list.List // of item[K, V], most recently used first
	bytes int       // of all cached values
}

type item[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

func (r *lru[K, V]) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.order.Len()
}

// find returns the cached value of a key.
func (r *lru[K, V]) find(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.kept[key]
	if !ok {
		return value, false
	}
	r.order.MoveToFront(e)
	return e.Value.(item[K, V]).value, true
}

// keep adds a value; limit bounds the number of values and maxBytes their total size. If another goroutine
// added the key first, keep returns that value, and true.
func (r *lru[K, V]) keep(key K, value V, bytes, limit int) (kept V, raced bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.kept[key]; ok {
		return first.Value.(item[K, V]).value, true
	}
	if r.kept == nil {
		r.kept = map[K]*list.Element{}
	}
	r.kept[key] = r.order.PushFront(item[K, V]{key, value, bytes})
	r.bytes += bytes
	for r.order.Len() > limit || r.bytes > maxBytes {
		oldest := r.order.Remove(r.order.Back()).(item[K, V])
		delete(r.kept, oldest.key)
		r.bytes -= oldest.bytes
	}
	return value, false
}
