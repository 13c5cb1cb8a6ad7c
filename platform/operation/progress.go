package operation

import "sync/atomic"

// progress is a share in per cent that one goroutine sets and another reads.
type progress struct{ n atomic.Int32 }

func (p *progress) set(percent int) { p.n.Store(int32(min(max(percent, 0), 99))) }
func (p *progress) get() int        { return int(p.n.Load()) }
