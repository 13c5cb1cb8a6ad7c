package audit

import (
	"sync"
	"sync/atomic"
)

// ahead is how many vans are judged before the first of them is handed out: enough
// to keep every processor busy, and few enough that a large programme's verdicts are
// never all in memory.
const ahead = 256

// sideBySide does one thing for each of several, on several processors, and gives the
// answers in order. Specialists compute and nothing else, so it does not matter who
// is judged when. A panic in one of them is the caller's.
func sideBySide[I, O any](in []I, do func(I) O) []O {
	out := make([]O, len(in))
	var next atomic.Int64
	var failed atomic.Value
	var all sync.WaitGroup
	for range min(hands, len(in)) {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.CompareAndSwap(nil, cause{p})
				}
			}()
			for from := next.Add(few) - few; from < int64(len(in)); from = next.Add(few) - few {
				for i := from; i < min(from+few, int64(len(in))); i++ {
					out[i] = do(in[i])
				}
			}
		})
	}
	all.Wait()
	if c, ok := failed.Load().(cause); ok {
		panic(c.value)
	}
	return out
}

// hands is how many judge at a time, and few how many vans one of them takes at once.
const (
	hands = 4
	few   = 8
)

// A cause is what somebody panicked with, of whatever type.
type cause struct{ value any }
