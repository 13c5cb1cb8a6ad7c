package console

import (
	"context"
	"sync"
	"time"
)

// pieceOfWork is how many bytes are worked on between two rests.
const pieceOfWork = 1 << 20

// A pacer lets all who share it go through so many bytes a second together. On a
// machine that is too busy for that nobody rests.
type pacer struct {
	rate int64 // bytes a second

	mu   sync.Mutex
	free time.Time // when the next piece may begin
}

// rest is how long to wait after so many bytes.
func (p *pacer) rest(n int64, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free.Before(now) {
		p.free = now
	}
	p.free = p.free.Add(time.Duration(float64(n) / float64(p.rate) * float64(time.Second)))
	return p.free.Sub(now)
}

// pace is what one of them is slowed down with.
func (p *pacer) pace() func(context.Context, int) error {
	done := 0
	return func(ctx context.Context, n int) error {
		if done += n; done < pieceOfWork {
			return nil
		}
		wait := time.NewTimer(p.rest(int64(done), time.Now()))
		defer wait.Stop()
		done = 0
		select {
		case <-wait.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
