package bundle

import (
	"bytes"
	"context"
	"io"

	"github.com/gavelhq/gavel/platform/fault"
)

// Limits are what whoever checks a bundle is ready to give it, within what a bundle
// may be at all. The zero value gives every bundle that Export makes its check.
type Limits struct {
	Unpacked int64 // bytes of all files, as the archive lists them
	Held     int64 // bytes of memory for what is read as a whole, by weight

	// Pace is called with the number of bytes that were read, packed or not, before
	// more are; it may wait, and an error ends the check. It must be there before
	// many checks share a machine with somebody's work.
	Pace func(ctx context.Context, n int) error
}

// maxHeld is what a bundle as large as Export makes one weighs, and half as much
// again.
const maxHeld = 3 << 30

// A meter counts what a check costs while it costs it, and ends it: at a limit, or
// when nobody waits for the answer any more. Sections read through it and need not
// know; what they say of files that they could not read then is not told to anybody.
type meter struct {
	step   func(n int) error // asks the context and the pace
	limits Limits
	held   int64
	known  map[string]bool // files whose weight is counted
	err    error           // why the check has ended
}

func newMeter(ctx context.Context, l Limits) *meter {
	if l.Unpacked <= 0 || l.Unpacked > maxTotal {
		l.Unpacked = maxTotal
	}
	if l.Held <= 0 || l.Held > maxHeld {
		l.Held = maxHeld
	}
	return &meter{limits: l, known: map[string]bool{}, step: func(n int) error {
		if err := ctx.Err(); err != nil || l.Pace == nil {
			return err
		}
		return l.Pace(ctx, n)
	}}
}

// spend counts bytes that were read.
func (m *meter) spend(n int) error {
	if m.err == nil {
		m.err = m.step(n)
	}
	return m.err
}

// refuse ends the check because it would take more than there is for it.
func (m *meter) refuse() error {
	if m.err == nil {
		m.err = fault.New(fault.TooLarge, "the bundle is larger than what is checked here")
	}
	return m.err
}

// perPart is about what a program needs for one part of a JSON value, or one line,
// however short it is.
const perPart = 64

// weight is how much memory a text takes once it is read. Its bytes say little: a
// list of a million empty objects is two megabytes long.
func weight(text []byte) int64 {
	n := int64(len(text))
	for _, sep := range [][]byte{{','}, {':'}, {'{'}, {'['}, {'\n'}} {
		n += perPart * int64(bytes.Count(text, sep))
	}
	return n
}

// hold counts a part of a text that is to be read as a whole.
func (m *meter) hold(text []byte) error {
	if m.held += weight(text); m.held > m.limits.Held {
		return m.refuse()
	}
	return m.err
}

// metered counts what is read through it, a little at a time: what unpacks it may
// go through a great deal of it without a byte coming out.
type metered struct {
	io.Reader
	m *meter
}

// atOnce is how much is read between two looks at the meter.
const atOnce = 64 << 10

// Read counts.
func (r *metered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(len(p), atOnce)])
	if stop := r.m.spend(n); stop != nil {
		return n, stop
	}
	return n, err
}

// over counts what is read from src.
func (m *meter) over(src io.Reader) io.Reader { return &metered{Reader: src, m: m} }
