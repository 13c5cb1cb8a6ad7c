package audit

import (
	"context"
	"time"
)

// A trouble is what is wrong now with something that is tried again and again. It
// is logged when it comes, when it becomes another and when it is over: what stands
// for a night would otherwise bury the rest.
type trouble struct {
	bad  func(error) // logs that it came, or became another
	good func()      // logs that it is over
	now  string      // empty while all is well
}

// note takes in how a try went.
func (t *trouble) note(err error) {
	was := t.now
	if t.now = ""; err != nil {
		t.now = err.Error()
	}
	switch {
	case t.now == was:
	case t.now != "":
		t.bad(err)
	default:
		t.good()
	}
}

// ticked works at every tick until the context ends.
func ticked(ctx context.Context, tick <-chan time.Time, work func() error, said *trouble) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
		if err := work(); ctx.Err() == nil {
			said.note(err)
		}
	}
}
