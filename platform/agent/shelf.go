package agent

import (
	"container/list"
	"sync"
)

// A shelf keeps the most recently used of things that never change, up to a
// weight.
type shelf[T any] struct {
	mu    sync.Mutex
	most  int
	held  int
	order *list.List // of entries, newest first
	byKey map[string]*list.Element
}

type entry[T any] struct {
	key    string
	value  T
	weight int
}

func newShelf[T any](most int) *shelf[T] {
	return &shelf[T]{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

func (s *shelf[T]) get(key string) (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byKey[key]
	if !ok {
		return v, false
	}
	s.order.MoveToFront(e)
	return e.Value.(entry[T]).value, true
}

func (s *shelf[T]) put(key string, v T, weight int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byKey[key]; ok {
		s.drop(e)
	}
	s.byKey[key] = s.order.PushFront(entry[T]{key, v, weight})
	for s.held += weight; s.held > s.most && s.order.Len() > 0; {
		s.drop(s.order.Back())
	}
}

// forget drops what will not be asked for again.
func (s *shelf[T]) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byKey[key]; ok {
		s.drop(e)
	}
}

func (s *shelf[T]) drop(e *list.Element) {
	gone := s.order.Remove(e).(entry[T])
	s.held -= gone.weight
	delete(s.byKey, gone.key)
}
