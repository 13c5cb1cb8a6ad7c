package api

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// How many requests one server answers at once, and for how long others stand in line. Writes are as many as the database lets in
// together: more would only share its time, and in a rush all of them would come to their limit of time instead of the last ones
// waiting. Reads stand in a line of their own, so that nobody who looks waits behind those who write.
const (
	writesAtOnce = 16
	readsAtOnce  = 64
	mostInLine   = 10_000
	lineWait     = 50 * time.Second
)

// ErrBusy is a request that had no turn: nothing was begun, and it may be sent again.
var ErrBusy = errors.New("the server is busy")

// A line is where requests wait for their turn, first come, first served.
type line struct {
	places  chan struct{}
	waiting atomic.Int64
}

func newLine(atOnce int) *line { return &line{places: make(chan struct{}, atOnce)} }

// enter waits for a turn; leave ends it.
func (l *line) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-l.places }
	select {
	case l.places <- struct{}{}:
		return leave, nil
	default:
	}
	busy := fault.From(fault.Unavailable, ErrBusy, "too many requests wait to be answered").WithNext("send it again in a moment")
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > mostInLine {
		return nil, busy
	}
	tired := time.NewTimer(lineWait)
	defer tired.Stop()
	select {
	case l.places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-tired.C:
		return nil, busy
	}
}

// inTurn runs a request when it is its turn; its limit of time begins then. What sets its own limit stands in no line: it waits for
// others, who may be waiting for this.
func (x *exchange) inTurn(run func() error) error {
	if x.route.Slow {
		return run()
	}
	l := x.api.reads
	if x.route.writes() {
		l = x.api.writes
	}
	leave, err := l.enter(x.r.Context())
	if err != nil {
		return err
	}
	defer leave()
	ctx, stop := context.WithTimeout(x.r.Context(), web.RequestTimeout)
	defer stop()
	x.r = x.r.WithContext(ctx)
	// Where it cannot be set the server's own holds.
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(2 * web.RequestTimeout))
	return run()
}
